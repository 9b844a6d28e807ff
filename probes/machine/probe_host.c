/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/exec.h"
#include "advisor/base/parse.h"
#include "advisor/model/programs.h"
#include "probes/machine/probe_internal.h"
#include "advisor/base/ban.h"

#define VERSION_LIMIT_NS (10ULL * 1000000000ULL)

static void text_fact(const struct probe *p, const char *path, struct fact_str *ret)
{
	_cleanup_free_ char *s = NULL;
	int r = root_read(p->root, &s, "%s", path);

	if (r)
		fact_str_no(ret, r == -ENOENT ? FACT_ABSENT : FACT_UNREADABLE, "%s: %s", path,
			    strerror(-r));
	else
		(void)fact_str_set(ret, str_strip(s), path);
}

/* The value behind "KEY" and a separator on a line of its own; caller frees, NULL if none. */
char *probe_line_value(const char *text, const char *key, char separator)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *at, *end;

		line += *line == '\n';
		if (!str_starts(line, key))
			continue;
		at = line + strlen(key);
		at += strspn(at, " \t");
		if (*at != separator)
			continue;
		at++;
		at += strspn(at, " \t\"");
		end = at + strcspn(at, "\"\n");
		return strndup(at, (size_t)(end - at));
	}
	return NULL;
}

static void cpu_facts(const struct probe *p, struct machine *m)
{
	_cleanup_free_ char *text = NULL, *name = NULL;
	uint64_t n = 0;
	int r = root_read_file(p->root, PROC_FILE_MAX, &text, NULL, "/proc/cpuinfo");

	if (r) {
		fact_str_no(&m->cpu, FACT_UNREADABLE, "/proc/cpuinfo: %s", strerror(-r));
		fact_u64_no(&m->cpus, FACT_UNREADABLE, "/proc/cpuinfo: %s", strerror(-r));
		return;
	}
	name = probe_line_value(text, "model name", ':');
	if (name)
		(void)fact_str_set(&m->cpu, name, "/proc/cpuinfo");
	else
		fact_str_no(&m->cpu, FACT_ABSENT, "/proc/cpuinfo has no model name");
	for (const char *s = text; s; s = strchr(s, '\n')) {
		s += *s == '\n';
		n += str_starts(s, "processor\t") || str_starts(s, "processor :");
	}
	if (n)
		(void)fact_u64_set(&m->cpus, n, "/proc/cpuinfo");
	else
		fact_u64_no(&m->cpus, FACT_UNKNOWN, "/proc/cpuinfo lists no processor");
}

static void os_fact(const struct probe *p, struct machine *m)
{
	_cleanup_free_ char *text = NULL, *name = NULL;
	int r = root_read_file(p->root, PROC_FILE_MAX, &text, NULL, "/etc/os-release");

	name = r ? NULL : probe_line_value(text, "PRETTY_NAME", '=');
	if (name)
		(void)fact_str_set(&m->os, name, "/etc/os-release");
	else
		fact_str_no(&m->os, r && r != -ENOENT ? FACT_UNREADABLE : FACT_ABSENT,
			    "/etc/os-release: %s", r ? strerror(-r) : "no PRETTY_NAME");
}

/* The kernel without the noise of /proc/version, where only that was captured. */
static void kernel_fact(const struct probe *p, struct machine *m)
{
	_cleanup_free_ char *text = NULL, *word = NULL;

	text_fact(p, "/proc/sys/kernel/osrelease", &m->kernel);
	if (m->kernel.state == FACT_KNOWN || root_read(p->root, &text, "/proc/version") ||
	    !str_starts(text, "Linux version "))
		return;
	word = strndup(text + 14, strcspn(text + 14, " "));
	if (word)
		(void)fact_str_set(&m->kernel, word, "/proc/version");
}

static int sysctl_facts(const struct probe *p, struct machine *m)
{
	static const char *const names[] = {
		"dirty_ratio",		  "dirty_background_ratio",	 "dirty_bytes",
		"dirty_background_bytes", "dirty_expire_centisecs", "dirty_writeback_centisecs",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct sysctl_value *v = PROBE_GROW(m->sysctls, m->n_sysctls);
		uint64_t value;
		int r;

		if (!v)
			return -ENOMEM;
		v->name = str_printf("vm.%s", names[i]);
		if (!v->name)
			return -ENOMEM;
		r = root_read_u64(p->root, &value, "/proc/sys/vm/%s", names[i]);
		if (r)
			fact_u64_no(&v->value, r == -ENOENT ? FACT_ABSENT : FACT_UNREADABLE, "%s",
				    strerror(-r));
		else
			(void)fact_u64_set(&v->value, value, "/proc/sys/vm");
	}
	return 0;
}

char *probe_version_in(const char *text, const char *program)
{
	size_t n = strlen(program);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *at;

		line += *line == '\n';
		if (strncmp(line, program, n) != 0 || line[n] != ' ')
			continue;
		at = line + n + strcspn(line + n, "0123456789\n");
		if (isdigit((unsigned char)*at))
			return strndup(at, strcspn(at, " \t\n"));
	}
	return NULL;
}

static void version_fact(const struct probe *p, const char *program, const char *option,
			 struct fact_str *ret)
{
	const char *argv[] = {program, option, NULL};
	struct exec e = {.argv = argv, .limit_ns = VERSION_LIMIT_NS, .log = p->opt->log};
	_cleanup_exec_ struct exec_result out = {0};
	_cleanup_free_ char *version = NULL;
	int r;

	if (!root_is_live(p->root) || p->opt->no_programs) {
		fact_str_no(ret, FACT_UNKNOWN, "the program was not asked");
		return;
	}
	r = exec_run(&e, &out);
	if (r) {
		fact_str_no(ret, r == -ENOENT ? FACT_ABSENT : FACT_UNREADABLE, "%s: %s", program,
			    r == -ENOENT ? "not installed" : strerror(-r));
		return;
	}
	version = probe_version_in(out.out, program);
	if (!version)
		version = probe_version_in(out.err, program);
	if (version)
		(void)fact_str_set(ret, version, program);
	else
		fact_str_no(ret, FACT_UNKNOWN, "%s says no version", program);
}

/* md answers in /proc/mdstat once it is loaded; else the module may be there to load. */
static void md_fact(const struct probe *p, struct machine *m)
{
	_cleanup_free_ char *list = NULL;
	const char *kernel = fact_str_or(&m->kernel, "");

	if (root_exists(p->root, "/proc/mdstat")) {
		(void)fact_u64_set(&m->md_available, 1, "/proc/mdstat");
		return;
	}
	if (*kernel && !strchr(kernel, '/') &&
	    (!root_read_file(p->root, PROC_FILE_MAX, &list, NULL, "/lib/modules/%s/modules.builtin",
			     kernel) && strstr(list, "/md-mod.ko"))) {
		(void)fact_u64_set(&m->md_available, 1, "modules.builtin");
		return;
	}
	free(take_ptr(list));
	if (*kernel && !strchr(kernel, '/') &&
	    !root_read_file(p->root, PROC_FILE_MAX, &list, NULL, "/lib/modules/%s/modules.dep",
			    kernel)) {
		(void)fact_u64_set(&m->md_available, strstr(list, "/md-mod.ko") != NULL,
				   "modules.dep");
		return;
	}
	fact_u64_no(&m->md_available, FACT_UNKNOWN,
		    "no /proc/mdstat, and the kernel's list of modules is not there");
}

/* What cannot be built here, whatever the drives are. */
static int missing(struct machine *m)
{
	int r = 0;

	if (m->md_available.state == FACT_KNOWN && !m->md_available.v)
		r = strv_add(&m->warnings, "this kernel has no md: no array can be built here; boot one with "
					   "CONFIG_BLK_DEV_MD");
	if (!r && m->mdadm_version.state == FACT_ABSENT)
		r = strv_add(&m->warnings, "mdadm is not in PATH: no array can be built here; install mdadm");
	for (enum program p = 0; !r && p < PROGRAMS; p++) {
		_cleanup_free_ char *problem = NULL;
		const struct program_info *info = program_info(p);

		if (program_version(m, p)->state != FACT_KNOWN)
			continue;
		r = program_problem(m, p, &problem);
		if (!r && problem)
			r = strv_addf(&m->warnings, "%s %s: run cannot build with it; install %s %s or newer",
				      info->name, problem, info->package, info->least);
	}
	return r;
}

int probe_host(struct probe *p)
{
	struct machine *m = &p->m;
	int r;

	text_fact(p, "/proc/sys/kernel/hostname", &m->hostname);
	kernel_fact(p, m);
	cpu_facts(p, m);
	probe_memory(p);
	os_fact(p, m);
	md_fact(p, m);
	version_fact(p, "mdadm", "--version", &m->mdadm_version);
	version_fact(p, "mke2fs", "-V", &m->mkfs_ext4_version);
	version_fact(p, "mkfs.xfs", "-V", &m->mkfs_xfs_version);
	r = missing(m);
	return r ? r : sysctl_facts(p, m);
}
