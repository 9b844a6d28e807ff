/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/backup.h"
#include "advisor/base/ban.h"

static void share_free(struct backup_share *s)
{
	free(s->what);
	free(s->address);
	strv_free(&s->drives);
	strv_free(&s->members);
}

const char *backup_place(const struct backup *b)
{
	return b->dir ? b->dir : b->device;
}

void backup_free(struct backup *b)
{
	if (!b)
		return;
	free(b->dir);
	free(b->device);
	free(b->mount);
	free(b->fstype);
	free(b->source);
	free(b->drives_why);
	free(b->candidate);
	free(b->not_measured);
	strv_free(&b->drives);
	strv_free(&b->member_drives);
	strv_free(&b->says);
	for (size_t i = 0; i < BACKUP_FIGURES; i++)
		fact_real_free(&b->figure[i]);
	fact_u64_free(&b->size_bytes);
	fact_u64_free(&b->need_ns);
	for (size_t i = 0; i < b->n_shares; i++)
		share_free(&b->shares[i]);
	free(b->shares);
	*b = (struct backup){0};
}

void backup_trial_free(struct backup_trial *t)
{
	free(t->candidate);
	free(t->problem);
	*t = (struct backup_trial){0};
}

static int copy_str(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

static int copy_strv(struct strv *to, const struct strv *from)
{
	for (size_t i = 0; i < from->n; i++)
		if (strv_add(to, from->v[i]) < 0)
			return -ENOMEM;
	return 0;
}

static int copy_figure(struct fact_real *to, const struct fact_real *from)
{
	if (fact_known(from->state))
		return fact_real_set(to, from->v, from->note);
	fact_real_no(to, from->state, "%s", from->note ? from->note : "not measured");
	return 0;
}

int backup_copy_found(struct backup *to, const struct backup *from)
{
	struct backup b = {.remote = from->remote, .free_bytes = from->free_bytes,
			   .rate_bytes = from->rate_bytes, .rounds = from->rounds};
	int err = copy_str(&b.dir, from->dir) || copy_str(&b.device, from->device) ||
				  copy_str(&b.mount, from->mount) ||
				  copy_str(&b.fstype, from->fstype) ||
				  copy_str(&b.source, from->source) ||
				  copy_str(&b.drives_why, from->drives_why) ||
				  copy_str(&b.candidate, from->candidate) ||
				  copy_str(&b.not_measured, from->not_measured) ||
				  copy_strv(&b.drives, &from->drives) ||
				  copy_strv(&b.member_drives, &from->member_drives)
			  ? -ENOMEM
			  : 0;

	for (size_t i = 0; !err && i < BACKUP_FIGURES; i++)
		err = copy_figure(&b.figure[i], &from->figure[i]);
	if (err) {
		backup_free(&b);
		return err;
	}
	*to = b;
	return 0;
}

struct backup_share *backup_add_share(struct backup *b, const char *what, const char *address)
{
	struct backup_share *more = realloc(b->shares, (b->n_shares + 1) * sizeof(*more)), *s;

	if (!more)
		return NULL;
	b->shares = more;
	s = &more[b->n_shares];
	*s = (struct backup_share){.what = strdup(what), .address = strdup(address)};
	if (!s->what || !s->address) {
		share_free(s);
		return NULL;
	}
	b->n_shares++;
	return s;
}

static const char *const fits_names[] = {"unknown", "fits", "too-slow", "no-room"};
static const char *const path_names[] = {"unknown", "apart", "shared", "remote"};
static const char *const cost_names[] = {"unknown", "keep", "separate"};

const char *backup_fits_name(enum backup_fits f)
{
	return (size_t)f < ARRAY_SIZE(fits_names) ? fits_names[f] : "unknown";
}

const char *backup_path_name(enum backup_path p)
{
	return (size_t)p < ARRAY_SIZE(path_names) ? path_names[p] : "unknown";
}

const char *backup_cost_name(enum backup_cost c)
{
	return (size_t)c < ARRAY_SIZE(cost_names) ? cost_names[c] : "unknown";
}
