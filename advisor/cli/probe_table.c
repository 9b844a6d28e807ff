/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/probe_table.h"
#include "advisor/base/ban.h"

/* Each returns an owned text, "-" or "?" where there is no value; NULL on ENOMEM. */
static char *text_of(const struct fact_str *f)
{
	return strdup(f->state == FACT_KNOWN ? f->s : f->state == FACT_ABSENT ? "-" : "?");
}

static char *number_of(const struct fact_u64 *f, const char *unit)
{
	if (f->state != FACT_KNOWN)
		return strdup(f->state == FACT_ABSENT ? "-" : "?");
	return str_printf("%llu%s", (unsigned long long)f->v, unit);
}

static char *bytes_of(const struct fact_u64 *f)
{
	char out[UNITS_LEN];

	if (f->state != FACT_KNOWN)
		return number_of(f, "");
	return strdup(fmt_bytes(f->v, out));
}

static char *col_name(const struct drive *d)
{
	return strdup(d->name);
}

static char *col_size(const struct drive *d)
{
	return bytes_of(&d->size_bytes);
}

static char *col_model(const struct drive *d)
{
	return text_of(&d->model);
}

static char *col_serial(const struct drive *d)
{
	return text_of(&d->serial);
}

static char *col_wwid(const struct drive *d)
{
	return text_of(&d->wwid);
}

static char *col_firmware(const struct drive *d)
{
	return text_of(&d->firmware);
}

static char *col_bus(const struct drive *d)
{
	return text_of(&d->transport);
}

static char *col_class(const struct drive *d)
{
	return text_of(&d->drive_class);
}

/* "512/4096": logical and physical block. */
static char *col_blocks(const struct drive *d)
{
	_cleanup_free_ char *logical = number_of(&d->logical_block_bytes, "");
	_cleanup_free_ char *physical = number_of(&d->physical_block_bytes, "");

	return logical && physical ? str_printf("%s/%s", logical, physical) : NULL;
}

/* "512 4096*": plain formats that are offered, the one in use marked. */
static char *col_formats(const struct drive *d)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < d->n_formats; i++)
		buf_addf(&b, "%s%u%s%.0u%s", b.len ? " " : "", d->formats[i].data_bytes,
			 d->formats[i].metadata_bytes ? "+" : "", d->formats[i].metadata_bytes,
			 d->formats[i].in_use ? "*" : "");
	if (!d->n_formats)
		buf_addc(&b, '-');
	return buf_take(&b);
}

/* PCI Express generations by the speed that the kernel prints; NULL for another. */
static const char *generation(const char *speed)
{
	static const char *const speeds[] = {"2.5 ", "5.0 ", "8.0 ", "16.0 ", "32.0 ", "64.0 "};
	static const char *const names[] = {"Gen1", "Gen2", "Gen3", "Gen4", "Gen5", "Gen6"};

	for (size_t i = 0; i < ARRAY_SIZE(speeds); i++)
		if (str_starts(speed, speeds[i]))
			return names[i];
	return NULL;
}

/* "Gen4 x4", with "(!)" where the drive could more. */
static char *col_link(const struct drive *d)
{
	const struct pcie_link *l = &d->pcie;
	struct buf b = BUF_INIT;
	bool below = l->speed.state == FACT_KNOWN && l->max_speed.state == FACT_KNOWN &&
		     strcmp(l->speed.s, l->max_speed.s) != 0;

	if (l->speed.state != FACT_KNOWN || l->width.state != FACT_KNOWN)
		return strdup(l->n_hops && !strncmp(d->name, "nvme", 4) ? "?" : "-");
	below |= l->max_width.state == FACT_KNOWN && l->width.v < l->max_width.v;
	buf_addf(&b, "%s x%llu%s", generation(l->speed.s) ? generation(l->speed.s) : l->speed.s,
		 (unsigned long long)l->width.v, below ? " (!)" : "");
	return buf_take(&b);
}

/* What the kernel says, and what the drive says where that is something else. */
static char *col_cache(const struct drive *d)
{
	if (d->vwc_present.state == FACT_KNOWN) {
		if (!d->vwc_present.v)
			return strdup("none");
		if (d->vwc_enabled.state == FACT_KNOWN)
			return strdup(d->vwc_enabled.v ? "on" : "off");
	}
	if (d->queue_write_cache.state != FACT_KNOWN)
		return text_of(&d->queue_write_cache);
	return strdup(strcmp(d->queue_write_cache.s, "write back") ? "off" : "on");
}

static char *col_plp(const struct drive *d)
{
	return strdup(d->plp.state != FACT_KNOWN ? "?" : d->plp.v ? "yes" : "no");
}

static char *col_scheduler(const struct drive *d)
{
	return text_of(&d->scheduler);
}

static char *col_numa(const struct drive *d)
{
	return number_of(&d->numa_node, "");
}

static char *col_path(const struct drive *d)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < d->pcie.n_hops; i++)
		buf_addf(&b, "%s%s", i ? ">" : "", d->pcie.hops[i].address);
	if (!d->pcie.n_hops)
		buf_addc(&b, '-');
	return buf_take(&b);
}

static char *col_written(const struct drive *d)
{
	const struct wear *w = &d->wear;
	_cleanup_free_ char *v = NULL;
	char low[UNITS_LEN], high[UNITS_LEN];

	if (w->host_written_bytes.state != FACT_KNOWN && w->host_written_low_bytes.state == FACT_KNOWN &&
	    w->host_written_high_bytes.state == FACT_KNOWN)
		return str_printf("%s%s%s ?", fmt_bytes(w->host_written_low_bytes.v, low),
				  w->host_written_low_bytes.v < w->host_written_high_bytes.v ? ".." : "",
				  w->host_written_low_bytes.v < w->host_written_high_bytes.v
					  ? fmt_bytes(w->host_written_high_bytes.v, high) : "");
	v = bytes_of(&w->host_written_bytes);
	return v ? str_printf("%s%s", v, w->written_doubtful ? " ?" : "") : NULL;
}

static char *col_used(const struct drive *d)
{
	return number_of(&d->wear.percent_used, d->wear.used_doubtful ? " % ?" : " %");
}

static char *col_hints(const struct drive *d)
{
	_cleanup_free_ char *min = number_of(&d->min_io_bytes, "");
	_cleanup_free_ char *opt = number_of(&d->optimal_io_bytes, "");

	return min && opt ? str_printf("%s/%s%s", min, opt, d->bogus_hint ? " (!)" : "") : NULL;
}

/* In use by; else what it holds. */
static char *col_holds(const struct drive *d)
{
	struct buf b = BUF_INIT;

	/* For some the kind says it all; the whole story is below the table. */
	if (d->n_uses) {
		bool plain = !strcmp(d->uses[0].kind, "swap") || !strcmp(d->uses[0].kind, "open");

		buf_addf(&b, "%s%s%.20s", d->uses[0].kind, plain ? "" : " ",
			 plain ? "" : d->uses[0].what);
	}
	if (d->n_uses > 1)
		buf_addf(&b, ", +%zu", d->n_uses - 1);
	if (!b.len && d->contents_unread)
		buf_addc(&b, '?');
	for (size_t i = 0; !d->n_uses && i < d->n_signatures && i < 2; i++)
		buf_addf(&b, "%s%s", i ? ", " : "", d->signatures[i].type);
	if (!d->n_uses && d->n_signatures > 2)
		buf_addf(&b, ", +%zu", d->n_signatures - 2);
	if (!b.len)
		buf_addc(&b, '-');
	return buf_take(&b);
}

static char *col_verdict(const struct drive *d)
{
	return strdup(drive_verdict_name(d->verdict));
}

static const struct column {
	const char *name;
	double width; /* as libsmartcols: a share of the terminal below 1, else characters */
	int flags;
	bool usual;
	char *(*text)(const struct drive *d);
	const char *help;
} columns[] = {
	{"NAME", 5, 0, true, col_name, "the kernel's name; changes between boots"},
	{"SIZE", 6, SCOLS_FL_RIGHT, true, col_size, "capacity, decimal"},
	{"MODEL", 0.2, SCOLS_FL_TRUNC, true, col_model, "model"},
	{"SERIAL", 8, 0, true, col_serial, "serial number: what --erase takes"},
	{"WWID", 0.2, SCOLS_FL_TRUNC, false, col_wwid, "world wide identifier"},
	{"FIRMWARE", 8, 0, false, col_firmware, "firmware revision"},
	{"BUS", 4, 0, true, col_bus, "how it is attached"},
	{"LINK", 8, 0, true, col_link, "PCIe link; (!) below what the drive could"},
	{"BLOCKS", 6, SCOLS_FL_RIGHT, true, col_blocks, "logical/physical block in bytes"},
	{"FORMATS", 8, 0, false, col_formats, "LBA formats offered, * in use, +N bytes of metadata"},
	{"CACHE", 4, 0, true, col_cache, "volatile write cache: on, off or none, as the drive says"},
	{"PLP", 3, 0, true, col_plp, "power-loss protection by model; ? not known"},
	{"SCHED", 5, 0, false, col_scheduler, "I/O scheduler in use"},
	{"NUMA", 2, SCOLS_FL_RIGHT, false, col_numa, "NUMA node"},
	{"PATH", 0.2, 0, false, col_path, "PCI addresses from the root port to the drive"},
	{"HINTS", 8, 0, false, col_hints, "minimum/optimal I/O size; (!) cannot be meant"},
	{"CLASS", 8, 0, false, col_class, "drive class by model"},
	{"WRITTEN", 7, SCOLS_FL_RIGHT, false, col_written, "written by the host so far"},
	{"WORN", 4, SCOLS_FL_RIGHT, true, col_used, "share of the rated endurance used"},
	{"HOLDS", 0.2, SCOLS_FL_TRUNC, true, col_holds, "in use by, or what it holds"},
	{"VERDICT", 8, 0, true, col_verdict, "eligible, needs-consent or refused"},
};

static const struct column *find_column(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (strlen(columns[i].name) == len && !strncasecmp(columns[i].name, name, len))
			return &columns[i];
	return NULL;
}

void probe_table_help(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		(void)printf("%-9s %c %s\n", columns[i].name, columns[i].usual ? '*' : ' ',
			     columns[i].help);
	(void)printf("* shown unless --columns names others\n");
}

/* Which columns, in order; -EINVAL names the one that there is not. */
static int choose(const char *list, const struct column **ret, size_t *ret_n, struct why *why)
{
	size_t n = 0;

	if (!list) {
		for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
			if (columns[i].usual)
				ret[n++] = &columns[i];
		*ret_n = n;
		return 0;
	}
	while (*list) {
		size_t len = strcspn(list, ",");
		const struct column *c = find_column(list, len);

		if (!c || n == ARRAY_SIZE(columns))
			return why_exit(why, SW_EXIT_USAGE, -EINVAL, "--columns", list,
					"see 'stripewise probe --columns help'",
					c ? "too many" : "no such column");
		ret[n++] = c;
		list += len + (list[len] == ',');
	}
	*ret_n = n;
	return n ? 0
		 : why_exit(why, SW_EXIT_USAGE, -EINVAL, "--columns", NULL,
			    "see 'stripewise probe --columns help'", "empty");
}

static int add_row(struct libscols_table *tb, const struct column **chosen, size_t n,
		   const struct drive *d)
{
	struct libscols_line *line = scols_table_new_line(tb, NULL);

	for (size_t i = 0; line && i < n; i++) {
		_cleanup_free_ char *raw = chosen[i]->text(d);
		char *safe = raw ? cli_printable(raw) : NULL;

		if (!safe || scols_line_refer_data(line, i, safe)) {
			free(safe);
			return -ENOMEM;
		}
	}
	return line ? 0 : -ENOMEM;
}

int probe_table_print(const struct machine *m, bool names_only, const char *list, struct why *why)
{
	const struct column *chosen[ARRAY_SIZE(columns)];
	struct libscols_table *tb;
	size_t n, rows = 0;
	int r = choose(list, chosen, &n, why);

	if (r)
		return r;
	scols_init_debug(0);
	tb = scols_new_table();
	if (!tb)
		return -ENOMEM;
	(void)scols_table_enable_noencoding(tb, 1); /* cells are printable; \xNN would become \x5cxNN */
	for (size_t i = 0; !r && i < n; i++)
		r = scols_table_new_column(tb, chosen[i]->name, chosen[i]->width, chosen[i]->flags)
			    ? 0
			    : -ENOMEM;
	for (size_t i = 0; !r && i < m->n_drives; i++) {
		if (names_only && !m->drives[i].named)
			continue;
		r = add_row(tb, chosen, n, &m->drives[i]);
		rows++;
	}
	if (!r && !rows)
		(void)printf("No drives.\n");
	else if (!r && scols_print_table(tb))
		r = -ENOMEM;
	scols_unref_table(tb);
	return r;
}
