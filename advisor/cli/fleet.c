/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many results of one layout: the host, drive model or firmware that stands out. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/cli/answer.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/compare.h"
#include "advisor/model/json.h"
#include "advisor/stats/stats.h"
#include "advisor/base/ban.h"

void fleet_free(struct fleet *f)
{
	for (size_t i = 0; i < f->n_hosts; i++) {
		free(f->hosts[i].path);
		free(f->hosts[i].host);
		free(f->hosts[i].model);
		free(f->hosts[i].firmware);
	}
	free(f->hosts);
	for (size_t i = 0; i < f->n_odd; i++)
		free(f->odd[i].name);
	free(f->odd);
	*f = (struct fleet){0};
}

static char *first_of(const struct result *r, bool firmware)
{
	const struct drive *d =
		r->n_members ? &r->machine.drives[r->members[0]] : NULL;

	if (!d)
		return strdup("unknown");
	return strdup(fact_str_or(firmware ? &d->firmware : &d->model, "unknown"));
}

static int add_host(const struct result *r, const char *path, const char *id, struct fleet *f)
{
	struct fleet_host *h = &f->hosts[f->n_hosts++];

	h->path = strdup(path);
	h->host = strdup(fact_str_or(&r->machine.hostname, path));
	h->model = first_of(r, false);
	h->firmware = first_of(r, true);
	five_numbers(r, id, h->v);
	return h->path && h->host && h->model && h->firmware ? 0 : -ENOMEM;
}

/* What a host is grouped by. */
static const char *host_of(const struct fleet_host *h)
{
	return h->path;
}

static const char *model_of(const struct fleet_host *h)
{
	return h->model;
}

static const char *firmware_of(const struct fleet_host *h)
{
	return h->firmware;
}

static const struct {
	const char *kind;
	const char *(*of)(const struct fleet_host *h);
} groupings[] = {{"firmware", firmware_of}, {"model", model_of}, {"host", host_of}};

static int add_odd(struct fleet *f, const char *kind, const char *name, enum five number,
		   double value, double others)
{
	struct fleet_odd *more = realloc(f->odd, (f->n_odd + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	f->odd = more;
	more[f->n_odd] = (struct fleet_odd){.kind = kind, .name = strdup(name), .number = number,
					    .value = value, .others = others};
	return more[f->n_odd].name ? (f->n_odd++, 0) : -ENOMEM;
}

static bool stands_out(enum five number, double group, double others, double deviation)
{
	double away = five_higher_is_better(number) ? others - group : group - others;

	return others > 0 && away >= COMPARE_FLEET_SHARE * others &&
	       away > COMPARE_FLEET_MADS * deviation;
}

/* One value of one grouping against all hosts that do not have it. */
static int try_group(struct fleet *f, size_t grouping, const char *name, enum five number,
		     double *in, double *out)
{
	size_t n_in = 0, n_out = 0;
	double group, others, deviation;

	for (size_t i = 0; i < f->n_hosts; i++) {
		if (!f->hosts[i].v[number].has)
			continue;
		if (!strcmp(groupings[grouping].of(&f->hosts[i]), name))
			in[n_in++] = f->hosts[i].v[number].median;
		else
			out[n_out++] = f->hosts[i].v[number].median;
	}
	/* Of two there is no odd one; a group of one host is named as the host. */
	if (!n_in || n_out < 2 || (n_in < 2 && strcmp(groupings[grouping].kind, "host")))
		return 0;
	if (stats_median(in, n_in, &group) || stats_median(out, n_out, &others) ||
	    stats_mad(out, n_out, &deviation))
		return 0;
	if (!stands_out(number, group, others, deviation))
		return 0;
	return add_odd(f, groupings[grouping].kind, name, number, group, others);
}

static bool seen_before(const struct fleet *f, size_t grouping, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(groupings[grouping].of(&f->hosts[k]), groupings[grouping].of(&f->hosts[i])))
			return true;
	return false;
}

static int find_odd(struct fleet *f)
{
	_cleanup_free_ double *in = calloc(f->n_hosts + 1, sizeof(*in));
	_cleanup_free_ double *out = calloc(f->n_hosts + 1, sizeof(*out));

	if (!in || !out)
		return -ENOMEM;
	for (unsigned number = 0; number < FIVE_WEAR; number++)
		for (size_t g = 0; g < ARRAY_SIZE(groupings); g++)
			for (size_t i = 0; i < f->n_hosts; i++)
				if (!seen_before(f, g, i) &&
				    try_group(f, g, groupings[g].of(&f->hosts[i]), (enum five)number, in,
					      out) < 0)
					return -ENOMEM;
	return 0;
}

int fleet_make(const struct result *r, const char *const *paths, size_t n, const char *id,
	       struct fleet *ret, struct why *why)
{
	_cleanup_(fleet_free) struct fleet f = {.candidate = id};

	(void)why;
	f.hosts = calloc(n, sizeof(*f.hosts));
	if (!f.hosts)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (add_host(&r[i], paths[i], id, &f) < 0)
			return -ENOMEM;
	if (find_odd(&f) < 0)
		return -ENOMEM;
	*ret = f;
	f = (struct fleet){0};
	return 0;
}

struct json_object *fleet_to_json(const struct fleet *f)
{
	struct json_object *o = json_object_new_object();
	struct json_object *hosts = json_object_new_array(), *odd = json_object_new_array();

	jput_str(o, "candidate", f->candidate);
	for (size_t i = 0; i < f->n_hosts; i++) {
		const struct fleet_host *h = &f->hosts[i];
		struct json_object *one = json_object_new_object();

		jput_str(one, "result", h->path);
		jput_str(one, "host", h->host);
		jput_str(one, "model", h->model);
		jput_str(one, "firmware", h->firmware);
		for (unsigned k = 0; k < FIVE; k++) {
			if (h->v[k].has)
				jput_real(one, five_name((enum five)k), h->v[k].median);
			else
				jput_null(one, five_name((enum five)k));
		}
		jadd(hosts, one);
	}
	for (size_t i = 0; i < f->n_odd; i++) {
		struct json_object *one = json_object_new_object();

		jput_str(one, "kind", f->odd[i].kind);
		jput_str(one, "name", f->odd[i].name);
		jput_str(one, "number", five_name(f->odd[i].number));
		jput_real(one, "median", f->odd[i].value);
		jput_real(one, "others_median", f->odd[i].others);
		jadd(odd, one);
	}
	jput(o, "results", hosts);
	jput(o, "outliers", odd);
	return o;
}

void fleet_print(const struct fleet *f)
{
	if (answer_fleet(f))
		return;
	(void)printf("%-20s %-10s %10s %10s %10s %10s\n", "host", "firmware", "write p99", "fsync p99",
		     "read p99", "rate");
	for (size_t i = 0; i < f->n_hosts; i++) {
		const struct fleet_host *h = &f->hosts[i];
		_cleanup_free_ char *host = cli_printable(h->host);
		_cleanup_free_ char *firmware = cli_printable(h->firmware);

		(void)printf("%-20s %-10s", host ? host : "", firmware ? firmware : "");
		for (unsigned k = 0; k < FIVE_WEAR; k++) {
			char text[32];

			(void)printf(" %10s", h->v[k].has
						      ? five_text((enum five)k, h->v[k].median, text)
						      : "unknown");
		}
		(void)printf("\n");
	}
	(void)printf("\n");
	for (size_t i = 0; i < f->n_odd; i++) {
		const struct fleet_odd *o = &f->odd[i];
		_cleanup_free_ char *name = cli_printable(o->name);
		char value[32], others[32];

		(void)printf("%s %s stands out: %s %s, the others %s\n", o->kind, name ? name : "",
			     five_title(o->number), five_text(o->number, o->value, value),
			     five_text(o->number, o->others, others));
	}
}
