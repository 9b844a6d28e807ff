/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/decide/drift_internal.h"
#include "advisor/base/ban.h"

static void member_free(struct live_member *m)
{
	fact_str_free(&m->name);
	fact_str_free(&m->firmware);
	fact_str_free(&m->scheduler);
	fact_u64_free(&m->read_ahead_kib);
	fact_u64_free(&m->in_array);
	fact_u64_free(&m->written_bytes);
	fact_u64_free(&m->percent_used);
	fact_u64_free(&m->spare_percent);
	fact_u64_free(&m->spare_threshold_percent);
	fact_u64_free(&m->critical_warning);
}

static void sysctl_free(struct live_sysctl *s)
{
	fact_u64_free(&s->value);
	free(s->partner);
	fact_str_free(&s->file);
	fact_str_free(&s->file_key);
	fact_str_free(&s->file_value);
	strv_free(&s->overruled);
}

static void vectors_free(struct live *l)
{
	for (size_t i = 0; i < l->n_members; i++)
		member_free(&l->members[i]);
	for (size_t i = 0; i < l->n_sysctls; i++)
		sysctl_free(&l->sysctls[i]);
	for (size_t i = 0; i < l->n_strangers; i++) {
		free(l->strangers[i].name);
		free(l->strangers[i].serial);
	}
	free(l->members);
	free(l->sysctls);
	free(l->strangers);
}

void live_free(struct live *l)
{
	struct fact_str *const strings[] = {
		&l->array,	  &l->array_link, &l->array_state,   &l->level,	       &l->layout,
		&l->sync_action,  &l->policy,	  &l->conf,	     &l->mounted,      &l->fs_type,
		&l->fs_options,	  &l->fs_uuid,	  &l->geometry_from, &l->fstab_source, &l->fstab_type,
		&l->fstab_options, &l->trim_timer,
	};
	struct fact_u64 *const numbers[] = {
		&l->chunk_bytes, &l->raid_disks, &l->degraded, &l->read_ahead_kib,
		&l->optimal_io_bytes, &l->fstab_pass, &l->trim_possible,
	};

	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		fact_str_free(strings[i]);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		fact_u64_free(numbers[i]);
	vectors_free(l);
	strv_free(&l->scheduler_rules);
	free(l->tuned);
	free(l->conf_file);
	free(l->fstab_where);
	*l = (struct live){0};
}

static void item_free(struct drift_item *i)
{
	free(i->what);
	free(i->where);
	free(i->desired);
	free(i->current);
	free(i->remedy);
}

void drift_free(struct drift *d)
{
	for (size_t i = 0; i < d->n; i++)
		item_free(&d->items[i]);
	free(d->items);
	*d = (struct drift){0};
}

const char *drift_severity_name(enum drift_severity s)
{
	static const char *const names[] = {"ok", "unknown", "note", "warning", "critical"};

	return (unsigned)s < ARRAY_SIZE(names) ? names[s] : "unknown";
}

enum drift_severity drift_worst(const struct drift *d)
{
	enum drift_severity worst = DRIFT_OK;

	for (size_t i = 0; i < d->n; i++)
		if (d->items[i].severity > worst)
			worst = d->items[i].severity;
	return worst;
}

size_t drift_count(const struct drift *d, enum drift_severity severity)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += d->items[i].severity == severity;
	return n;
}

int drift_add(struct drift *d, enum drift_severity severity, const char *what, const char *where,
	      const char *desired, const char *current, const char *remedy)
{
	struct drift_item *more = realloc(d->items, (d->n + 1) * sizeof(*more));
	struct drift_item i = {.severity = severity};

	if (more)
		d->items = more;
	i.what = strdup(what);
	i.where = strdup(where);
	i.desired = strdup(desired);
	i.current = strdup(current);
	i.remedy = remedy && severity != DRIFT_OK ? strdup(remedy) : NULL;
	if (!more || !i.what || !i.where || !i.desired || !i.current ||
	    (remedy && severity != DRIFT_OK && !i.remedy)) {
		item_free(&i);
		return -ENOMEM;
	}
	more[d->n++] = i;
	return 0;
}

int drift_unknown(const struct drift_job *j, const char *what, const char *where,
		  const char *desired, enum fact_state state, const char *note)
{
	_cleanup_free_ char *text = str_printf("%s: %s", fact_state_name(state),
					       note ? note : "it was not looked at");

	return text ? drift_add(j->d, DRIFT_UNKNOWN, what, where, desired, text, NULL) : -ENOMEM;
}

int drift_str(const struct drift_job *j, const struct drift_value *v, const char *desired,
	      const struct fact_str *current, const char *absent)
{
	const char *now = current->s;

	if (current->state == FACT_ABSENT && absent)
		now = absent;
	else if (current->state != FACT_KNOWN)
		return drift_unknown(j, v->what, v->where, desired, current->state, current->note);
	return drift_add(j->d, strcmp(now, desired) ? v->severity : DRIFT_OK, v->what, v->where,
			 desired, now, v->remedy);
}

static const char *plain(uint64_t v, char out[32])
{
	(void)snprintf(out, 32, "%" PRIu64, v);
	return out;
}

int drift_u64(const struct drift_job *j, const struct drift_value *v, uint64_t desired,
	      const struct fact_u64 *current, drift_text text)
{
	char want[32], now[32];

	text = text ? text : plain;
	if (current->state != FACT_KNOWN)
		return drift_unknown(j, v->what, v->where, text(desired, want), current->state,
				     current->note);
	return drift_add(j->d, current->v == desired ? DRIFT_OK : v->severity, v->what, v->where,
			 text(desired, want), text(current->v, now), v->remedy);
}

char *drift_member_where(const struct drift_job *j, size_t i)
{
	const struct verdict_device *d = &j->v->devices[i];
	const char *name = fact_str_or(&j->l->members[i].name, NULL);

	if (!d->serial)
		return strdup(name ? name : d->name);
	return name ? str_printf("%s (serial %s)", name, d->serial)
		    : str_printf("serial %s", d->serial);
}

bool drift_has_option(const char *options, const char *word, size_t len)
{
	while (*options) {
		size_t n = strcspn(options, ",");

		if (n == len && !strncmp(options, word, len))
			return true;
		options += n + (options[n] == ',');
	}
	return false;
}

int drift_compare(const struct result *r, const struct live *l, struct drift *ret)
{
	static int (*const parts[])(const struct drift_job *) = {
		drift_array, drift_drives, drift_filesystem, drift_fstab, drift_sysctls, drift_wear,
	};
	struct drift d = {0};
	struct drift_job j = {.r = r, .v = &r->verdict, .l = l, .d = &d};

	if (!r->verdict.decided || l->n_members != r->verdict.n_devices ||
	    l->n_sysctls != r->verdict.n_sysctls)
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		int err = parts[i](&j);

		if (err) {
			drift_free(&d);
			return err;
		}
	}
	*ret = d;
	return 0;
}
