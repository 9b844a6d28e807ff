/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/cli/cli.h"
#include "advisor/model/json.h"
#include "advisor/base/ban.h"

/* mbrtowc() with the UTF-8 locale that main() sets; anything not printable becomes \xNN. */
char *cli_printable(const char *s)
{
	struct buf b = BUF_INIT;
	size_t left = strlen(s);
	mbstate_t st = {0};

	while (left) {
		wchar_t wc = 0;
		size_t n = mbrtowc(&wc, s, left, &st);
		bool bad = n == 0 || n > left;
		/* C0, DEL and C1 control characters steer terminals; so do bidi controls. */
		bool control = !bad && (wc < 0x20 || (wc >= 0x7f && wc < 0xa0) || wc == 0x061c ||
					(wc >= 0x200e && wc <= 0x200f) || (wc >= 0x2028 && wc <= 0x202e) ||
					(wc >= 0x2066 && wc <= 0x2069));

		if (bad) {
			n = 1;
			st = (mbstate_t){0};
		}
		if (bad || control) {
			for (size_t i = 0; i < n; i++)
				buf_addf(&b, "\\x%02x", (unsigned char)s[i]);
		} else {
			buf_addn(&b, s, n);
		}
		s += n;
		left -= n;
	}
	return buf_take(&b);
}

static void say(const char *kind, const char *text)
{
	_cleanup_free_ char *safe = cli_printable(text);

	(void)fflush(stdout);
	(void)fprintf(stderr, "stripewise: %s%s\n", kind, safe ? safe : "out of memory");
}

int cli_fail(const struct why *why)
{
	_cleanup_free_ char *line = why_line(why);

	say("", line ? line : "out of memory");
	return why->exit_code ? why->exit_code : SW_EXIT_FAILED;
}

int cli_fail_with(enum sw_exit code, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	say("", text ? text : "out of memory");
	return (int)code;
}

void cli_note(const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	say("note: ", text ? text : "out of memory");
}

int cli_print_json(struct json_object *o)
{
	_cleanup_free_ char *s = json_text(o);
	int r = SW_EXIT_OK;

	if (!s)
		r = cli_fail_with(SW_EXIT_FAILED, "out of memory");
	else if (puts(s) < 0 || fflush(stdout))
		r = cli_fail_with(SW_EXIT_FAILED, "cannot write standard output: %s", strerror(errno));
	json_object_put(o);
	return r;
}

void cli_usage(const struct argp_state *state, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL, *safe = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	safe = text ? cli_printable(text) : NULL;
	(void)fprintf(stderr, "%s: %s; see '%s --help'\n", state->name, safe ? safe : "wrong usage",
		      state->name);
	exit(SW_EXIT_USAGE);
}

static __attribute__((noreturn)) void bad_value(const struct argp_state *state, const char *option,
						const char *arg, int r, size_t at, const char *kind,
						const char *example)
{
	if (r == -ERANGE)
		cli_usage(state, "%s: '%s' is too large for %s", option, arg, kind);
	else if (!*arg)
		cli_usage(state, "%s: empty; write %s, such as %s", option, kind, example);
	else
		cli_usage(state, "%s: '%s' is not %s, at '%s'; write it as %s", option, arg, kind,
			  at <= strlen(arg) ? arg + at : arg, example);
}

uint64_t cli_size(const struct argp_state *state, const char *option, const char *arg)
{
	uint64_t v = 0;
	size_t at = 0;
	int r = parse_size(arg, &v, &at);

	if (r)
		bad_value(state, option, arg, r, at, "a size", "500G or 64GiB");
	return v;
}

uint64_t cli_chunk(const struct argp_state *state, const char *option, const char *arg)
{
	uint64_t v = 0;
	size_t at = 0;
	int r = parse_chunk(arg, &v, &at);

	if (r)
		bad_value(state, option, arg, r, at, "a chunk", "128 (KiB) or 128K");
	return v;
}

uint64_t cli_duration(const struct argp_state *state, const char *option, const char *arg)
{
	uint64_t v = 0;
	size_t at = 0;
	int r = parse_duration(arg, &v, &at);

	if (r)
		bad_value(state, option, arg, r, at, "a duration", "10m, 30s or 250ms");
	return v;
}

double cli_ratio(const struct argp_state *state, const char *option, const char *arg)
{
	double v = 0;
	size_t at = 0;
	int r = parse_ratio(arg, &v, &at);

	if (r)
		bad_value(state, option, arg, r, at, "a number", "1.22");
	return v;
}

uint64_t cli_count(const struct argp_state *state, const char *option, const char *arg)
{
	uint64_t v = 0;
	int r = parse_u64(arg, &v);

	if (r)
		bad_value(state, option, arg, r, 0, "a whole number", "3");
	return v;
}
