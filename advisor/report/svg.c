/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line charts as inline SVG. Colours come from the style sheet (classes line0..line5). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/escape.h"
#include "advisor/report/render.h"
#include "advisor/base/ban.h"

#define WIDTH  640.0
#define HEIGHT 300.0
#define LEFT   64.0
#define RIGHT  16.0
#define TOP    16.0
#define BOTTOM 46.0
#define COLOURS 6

struct scale {
	double low, high; /* of the values (their logarithms if log) */
	double from, to;  /* on paper */
	bool log;
};

static double place(const struct scale *s, double v)
{
	double x = s->log ? log10(v) : v;

	return s->from + (x - s->low) / (s->high - s->low) * (s->to - s->from);
}

/* 1, 2 or 5 times a power of ten, about a fifth of the span. */
static double step_of(double span)
{
	double raw = span / 5, power = pow(10, floor(log10(raw))), m = raw / power;

	return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

static void extent(const struct chart *c, bool of_y, double *low, double *high)
{
	*low = INFINITY;
	*high = -INFINITY;
	for (size_t i = 0; i < c->n_lines; i++)
		for (size_t k = 0; k < c->lines[i].n; k++) {
			double v = of_y ? c->lines[i].y[k] : c->lines[i].x[k];

			*low = fmin(*low, v);
			*high = fmax(*high, v);
		}
}

static bool scale_y(const struct chart *c, struct scale *s)
{
	double low, high;

	extent(c, true, &low, &high);
	*s = (struct scale){.from = HEIGHT - BOTTOM, .to = TOP, .log = c->log_y && low > 0};
	if (!isfinite(low) || !isfinite(high))
		return false;
	if (s->log) {
		s->low = floor(log10(low));
		s->high = fmax(ceil(log10(high)), s->low + 1);
	} else {
		s->high = high > 0 ? high * 1.05 : 1;
	}
	return true;
}

static bool scale_x(const struct chart *c, struct scale *s)
{
	double low, high;

	extent(c, false, &low, &high);
	*s = (struct scale){.from = LEFT, .to = WIDTH - RIGHT};
	if (!isfinite(low) || !isfinite(high))
		return false;
	s->high = c->x_labels ? (double)(c->n_x_labels - 1) : fmax(high, 1e-9);
	return s->high > 0;
}

static void y_tick(struct buf *b, double y, double value)
{
	buf_addf(b, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
		    "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n",
		 LEFT, y, WIDTH - RIGHT, y, LEFT - 6, y + 4, value);
}

static void y_axis(struct buf *b, const struct chart *c, const struct scale *s)
{
	if (s->log) {
		for (double e = s->low; e <= s->high + 0.5; e++)
			y_tick(b, place(s, pow(10, e)), pow(10, e));
	} else {
		double step = step_of(s->high);

		for (double v = 0; v <= s->high; v += step)
			y_tick(b, place(s, v), v);
	}
	buf_addf(b, "<text class=\"axis\" transform=\"translate(14 %.1f) rotate(-90)\" "
		    "text-anchor=\"middle\">%s</text>\n", (TOP + HEIGHT - BOTTOM) / 2, c->y_title);
}

static void x_axis(struct buf *b, const struct chart *c, const struct scale *s)
{
	double y = HEIGHT - BOTTOM + 18;

	if (c->x_labels) {
		for (size_t i = 0; i < c->n_x_labels; i++) {
			const char *anchor = i + 1 == c->n_x_labels ? "end" : i ? "middle" : "start";

			buf_addf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
				 place(s, (double)i), y, anchor, c->x_labels[i]);
		}
	} else {
		double step = step_of(s->high);

		for (double v = 0; v <= s->high; v += step)
			buf_addf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.4g</text>\n",
				 place(s, v), y, v);
	}
	buf_addf(b, "<text class=\"axis\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
		 (LEFT + WIDTH - RIGHT) / 2, y + 20, c->x_title);
}

static void polyline(struct buf *b, const struct line *l, size_t colour, const struct scale *sx,
		     const struct scale *sy, bool dots)
{
	buf_addf(b, "<polyline class=\"line%zu\" points=\"", colour);
	for (size_t k = 0; k < l->n; k++)
		buf_addf(b, "%s%.1f,%.1f", k ? " " : "", place(sx, l->x[k]), place(sy, l->y[k]));
	buf_add(b, "\"/>\n");
	for (size_t k = 0; dots && k < l->n; k++)
		buf_addf(b, "<circle class=\"dot%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", colour,
			 place(sx, l->x[k]), place(sy, l->y[k]));
}

void render_svg(struct buf *b, const struct chart *c)
{
	struct scale sx, sy;

	if (!c->n_lines || !scale_x(c, &sx) || !scale_y(c, &sy))
		return;
	buf_add(b, "<figure>\n<figcaption>");
	escape_html(b, c->title);
	buf_addf(b, "</figcaption>\n<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"%s\">\n",
		 WIDTH, HEIGHT, c->title);
	y_axis(b, c, &sy);
	x_axis(b, c, &sx);
	for (size_t i = 0; i < c->n_lines; i++)
		polyline(b, &c->lines[i], i % COLOURS, &sx, &sy, c->x_labels != NULL);
	buf_add(b, "</svg>\n<ul class=\"legend\">\n");
	for (size_t i = 0; i < c->n_lines; i++) {
		buf_addf(b, "<li><span class=\"key key%zu\"></span>", i % COLOURS);
		escape_html(b, c->lines[i].name);
		buf_add(b, "</li>\n");
	}
	buf_add(b, "</ul>\n</figure>\n");
}
