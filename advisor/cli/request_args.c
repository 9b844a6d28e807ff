/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/path.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/request_args.h"
#include "advisor/base/ban.h"

#define PROFILE_FILE_MAX (1u << 20)

enum {
	OPT_FOR = 0x2000,
	OPT_PROFILE,
	OPT_ROLE,
	OPT_LEVELS,
	OPT_CHUNKS,
	OPT_FS,
	OPT_BUDGET,
	OPT_TOLERATE,
	OPT_YEARS,
	OPT_SAVE_BUDGET,
	OPT_MOUNT_POINT,
	OPT_OVERLAP,
	OPT_NAME,
};

static const struct argp_option options[] = {
	{"for", OPT_FOR, "PROFILE[:COUNT],...", 0,
	 "what will run there: minecraft palworld rust valheim source mixed-world", 0},
	{"profile", OPT_PROFILE, "FILE", 0, "a save pattern of one's own", 0},
	{"role", OPT_ROLE, "ROLE", 0, "live (default), snapshot, backup or dev", 0},
	{"levels", OPT_LEVELS, "LEVEL,...", 0, "only these: single 0 1 10", 0},
	{"chunks", OPT_CHUNKS, "SIZE,...", 0, "only these chunks; KiB when bare: 64,128,512", 0},
	{"fs", OPT_FS, "FS,...", 0, "only these: ext4 xfs", 0},
	{"budget", OPT_BUDGET, "BUDGET", 0, "quick, standard (default) or thorough", 0},
	{"tolerate", OPT_TOLERATE, "N", 0, "drive failures to survive (by role: 1 for live and backup)",
	 0},
	{"years", OPT_YEARS, "N", 0, "how long the drives must last", 0},
	{"save-budget", OPT_SAVE_BUDGET, "DURATION", 0,
	 "blocked time of a save that nobody notices (default 250ms)", 0},
	{"overlap", OPT_OVERLAP, "N", 0,
	 "programs that may save at the same time (default: all of --for; 1: they take turns)", 0},
	{"mount-point", OPT_MOUNT_POINT, "DIR", 0, "where the volume will stand (default /srv/saves)",
	 0},
	{"name", OPT_NAME, "NAME", 0, "the array's name for good (default saves)", 0},
	CLI_OPTION_VERBOSE,
	{0},
};

/* Calls `one` for every word between commas; an empty word is a wrong usage. */
static void each_word(const struct argp_state *state, const char *option, const char *list,
		      void (*one)(const struct argp_state *, struct request *, char *))
{
	struct request_args *a = state->input;
	_cleanup_free_ char *copy = strdup(list);
	char *rest = copy, *word;

	if (!copy)
		cli_usage(state, "out of memory");
	while (rest && (word = strsep(&rest, ","))) {
		if (!*word)
			cli_usage(state, "%s: '%s' has an empty word", option, list);
		one(state, &a->request, word);
	}
}

static void add_workload(const struct argp_state *state, struct request *r, char *word)
{
	char *colon = strchr(word, ':');
	struct workload *more;
	uint64_t count = 1;

	if (colon) {
		*colon = '\0';
		count = cli_count(state, "--for", colon + 1);
		if (!count || count > 10000)
			cli_usage(state, "--for: %s:%s: a count is 1 to 10000", word, colon + 1);
	}
	more = realloc(r->workloads, (r->n_workloads + 1) * sizeof(*more));
	if (!more)
		cli_usage(state, "out of memory");
	r->workloads = more;
	more[r->n_workloads] = (struct workload){.profile = strdup(word), .count = (unsigned)count};
	if (!more[r->n_workloads++].profile)
		cli_usage(state, "out of memory");
}

static void add_level(const struct argp_state *state, struct request *r, char *word)
{
	static const struct {
		const char *word;
		enum level level;
	} levels[] = {
		{"single", LEVEL_SINGLE}, {"0", LEVEL_RAID0},	    {"1", LEVEL_RAID1},
		{"10", LEVEL_RAID10},	  {"raid0", LEVEL_RAID0},   {"raid1", LEVEL_RAID1},
		{"raid10", LEVEL_RAID10},
	};
	const char *digits = str_starts(word, "raid") ? word + 4 : word;

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		if (!strcmp(word, levels[i].word)) {
			r->levels |= 1u << levels[i].level;
			return;
		}
	}
	/* Parity is understood, so that it can be refused with the arithmetic. */
	if (!strcmp(digits, "4") || !strcmp(digits, "5") || !strcmp(digits, "6")) {
		if (strv_add(&r->parity_levels, digits) < 0)
			cli_usage(state, "out of memory");
		return;
	}
	cli_usage(state, "--levels: '%s' is not a level; write single, 0, 1 or 10", word);
}

static void add_chunk(const struct argp_state *state, struct request *r, char *word)
{
	uint64_t chunk = cli_chunk(state, "--chunks", word);
	uint64_t *more = realloc(r->chunks, (r->n_chunks + 1) * sizeof(*more));

	if (!more)
		cli_usage(state, "out of memory");
	r->chunks = more;
	r->chunks[r->n_chunks++] = chunk;
}

static void add_fs(const struct argp_state *state, struct request *r, char *word)
{
	if (!strcmp(word, "ext4"))
		r->filesystems |= 1u << FS_EXT4;
	else if (!strcmp(word, "xfs"))
		r->filesystems |= 1u << FS_XFS;
	else
		cli_usage(state, "--fs: '%s' is not one of ext4, xfs", word);
}

static unsigned one_of(const struct argp_state *state, const char *option, const char *arg,
		       const char *(*name)(unsigned), unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(arg, name(i)))
			return i;
	cli_usage(state, "%s: '%s' is not one of its words", option, arg);
}

static const char *nth_role(unsigned i)
{
	return role_name((enum role)i);
}

static const char *nth_budget(unsigned i)
{
	return budget_name((enum budget)i);
}

static void set_text(const struct argp_state *state, char **to, const char *arg)
{
	free(*to);
	*to = strdup(arg);
	if (!*to)
		cli_usage(state, "out of memory");
}

/* A name that md, udev and every file take as it is. */
static void set_array_name(const struct argp_state *state, struct request *r, const char *arg)
{
	static const char ok[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

	if (!*arg || strlen(arg) > 32 || arg[strspn(arg, ok)] || *arg == '-')
		cli_usage(state, "--name: '%s' is not 1 to 32 of A-Z a-z 0-9 _ -", arg);
	if (str_starts(arg, "md") && arg[2] && !arg[2 + strspn(arg + 2, "0123456789")])
		cli_usage(state, "--name: '%s' is a kernel name; choose a word", arg);
	set_text(state, &r->array_name, arg);
}

static void set_mount_point(const struct argp_state *state, struct request *r, const char *arg)
{
	if (arg[0] != '/' || !arg[1] || strstr(arg, "/../") || strlen(arg) > 512)
		cli_usage(state, "--mount-point: '%s' is not an absolute path below /", arg);
	for (const char *p = arg; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			cli_usage(state, "--mount-point: it has control characters");
	set_text(state, &r->mount_point, arg);
}

static unsigned overlap(const struct argp_state *state, const char *arg)
{
	uint64_t n = cli_count(state, "--overlap", arg);

	if (!n || n > 10000)
		cli_usage(state, "--overlap: %s is not 1 to 10000", arg);
	return (unsigned)n;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request_args *a = state->input;
	struct request *r;

	if (!a) /* argp asks for help texts alone */
		return ARGP_ERR_UNKNOWN;
	r = &a->request;
	if (key >= OPT_FOR && key <= OPT_NAME)
		a->any_given = true;
	switch (key) {
	case OPT_FOR:
		a->workloads_given = r->workloads_given = true;
		each_word(state, "--for", arg, add_workload);
		break;
	case OPT_PROFILE:
		set_text(state, &a->profile_file, arg);
		r->workloads_given = true;
		break;
	case OPT_ROLE:
		r->role = (enum role)one_of(state, "--role", arg, nth_role, ROLE_DEV + 1);
		a->role_given = true;
		break;
	case OPT_LEVELS:
		each_word(state, "--levels", arg, add_level);
		break;
	case OPT_CHUNKS:
		each_word(state, "--chunks", arg, add_chunk);
		break;
	case OPT_FS:
		each_word(state, "--fs", arg, add_fs);
		break;
	case OPT_BUDGET:
		a->budget_given = true;
		r->budget = (enum budget)one_of(state, "--budget", arg, nth_budget,
						BUDGET_THOROUGH + 1);
		break;
	case OPT_TOLERATE:
		r->tolerate = (unsigned)cli_count(state, "--tolerate", arg);
		r->tolerate_given = true;
		break;
	case OPT_YEARS:
		r->years = cli_ratio(state, "--years", arg);
		if (r->years <= 0 || r->years > 100)
			cli_usage(state, "--years: %s is not above 0 and at most 100", arg);
		a->years_given = r->years_given = true;
		break;
	case OPT_SAVE_BUDGET:
		r->save_budget_ns = cli_duration(state, "--save-budget", arg);
		a->save_budget_given = r->save_budget_given = true;
		break;
	case OPT_OVERLAP:
		r->overlap = overlap(state, arg);
		break;
	case OPT_MOUNT_POINT:
		set_mount_point(state, r, arg);
		break;
	case OPT_NAME:
		set_array_name(state, r, arg);
		break;
	case OPT_VERBOSE:
		a->verbose = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp request_argp = {.options = options, .parser = parse};

bool request_args_given(const struct request_args *a)
{
	return a->any_given;
}

void request_args_init(struct request_args *a)
{
	*a = (struct request_args){0};
	a->request.role = ROLE_LIVE;
	a->request.budget = BUDGET_STANDARD;
	a->request.years = 5;
	a->request.save_budget_ns = REQUEST_SAVE_BUDGET_NS;
	a->request.save_limit_ns = REQUEST_SAVE_LIMIT_NS;
	a->request.backup_window_ns = REQUEST_BACKUP_WINDOW_NS;
}

static void profiles_free(struct profile *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		profile_free(&p[i]);
	free(p);
}

void request_args_free(struct request_args *a)
{
	profiles_free(a->profiles, a->n_profiles);
	request_free(&a->request);
	free(a->profile_file);
	*a = (struct request_args){0};
}

int request_profiles(const struct request *r, struct profile **ret, size_t *ret_n, struct why *why)
{
	struct profile *p = calloc(r->n_workloads + 1, sizeof(*p));
	size_t n = 0;
	int err = p ? 0 : -ENOMEM;

	for (; !err && n < r->n_workloads; n++) {
		const struct workload *w = &r->workloads[n];

		err = w->text ? profile_parse(w->text, strlen(w->text), w->profile, &p[n], why)
			      : profile_builtin(w->profile, &p[n], why);
		if (err)
			break;
	}
	if (err) {
		profiles_free(p, n);
		return err;
	}
	*ret = p;
	*ret_n = n;
	return 0;
}

/* --profile FILE becomes one more workload, the first. */
static int load_profile_file(struct request_args *a, struct why *why)
{
	struct root here = {.prefix = NULL, .fd = -1};
	_cleanup_free_ char *text = NULL;
	struct profile *more;
	struct workload *w;
	size_t len = 0;
	int r;

	r = root_read_file(&here, PROFILE_FILE_MAX, &text, &len, "%s", a->profile_file);
	if (r)
		return why_exit(why, SW_EXIT_USAGE, r, "cannot read the profile", a->profile_file,
				r == -EFBIG ? "give a text file below 1 MiB: it is kept in the result" : NULL,
				"%s", strerror(-r));
	more = realloc(a->profiles, (a->n_profiles + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	a->profiles = more;
	memmove(more + 1, more, a->n_profiles * sizeof(*more));
	more[0] = (struct profile){0};
	a->n_profiles++;
	r = profile_parse(text, len, a->profile_file, &more[0], why);
	if (r)
		return r;
	w = realloc(a->request.workloads, (a->request.n_workloads + 1) * sizeof(*w));
	if (!w)
		return -ENOMEM;
	a->request.workloads = w;
	memmove(w + 1, w, a->request.n_workloads * sizeof(*w));
	/* The text goes into the result, so that it can be decided again without the file. */
	w[0] = (struct workload){
		.profile = strdup(more[0].name), .text = take_ptr(text), .count = 1};
	a->request.n_workloads++;
	return w[0].profile ? 0 : -ENOMEM;
}

int request_args_finish(struct request_args *a, struct why *why)
{
	struct request *r = &a->request;
	int err;

	if (!r->n_workloads && !a->profile_file) {
		r->workloads = calloc(1, sizeof(*r->workloads));
		if (!r->workloads)
			return -ENOMEM;
		r->n_workloads = 1;
		r->workloads[0] = (struct workload){.profile = strdup("mixed-world"), .count = 1};
		if (!r->workloads[0].profile)
			return -ENOMEM;
	}
	if (!r->tolerate_given)
		r->tolerate = r->role == ROLE_LIVE || r->role == ROLE_BACKUP ? 1 : 0;
	if (!r->mount_point && !(r->mount_point = strdup("/srv/saves")))
		return -ENOMEM;
	if (!r->array_name && !(r->array_name = strdup("saves")))
		return -ENOMEM;
	err = request_profiles(r, &a->profiles, &a->n_profiles, why);
	if (!err && a->profile_file)
		err = load_profile_file(a, why);
	if (err && why && !why->exit_code)
		why->exit_code = SW_EXIT_USAGE;
	return err;
}
