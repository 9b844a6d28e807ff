/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/consent.h"
#include "advisor/base/ban.h"

char *drive_holds(const struct drive *d)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < d->n_signatures; i++) {
		const struct drive_signature *s = &d->signatures[i];

		buf_addf(&b, "%s%s", i ? ", " : "", s->type);
		if (s->label)
			buf_addf(&b, " '%s'", s->label);
		if (s->device && strcmp(s->device, d->name) != 0)
			buf_addf(&b, " on %s", s->device);
	}
	if (!d->n_signatures)
		buf_add(&b, "nothing that is recognised");
	return buf_take(&b);
}

static bool serial_is_named(const char *serial, const struct drive *const *drives, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(serial, drive_identity(drives[i])))
			return true;
	return false;
}

static int no_identity(const struct drive *d, struct why *why)
{
	return why_exit(why, SW_EXIT_REFUSED, -EACCES, "refused", d->path,
			"it cannot be told apart from another drive safely",
			"it has neither a serial nor a WWID that could be consented to");
}

/* Shows the drive and reads one line; 0 if it is the serial. */
static int ask(const struct drive *d, struct why *why)
{
	_cleanup_free_ char *holds = drive_holds(d), *safe = NULL, *line = NULL, *text = NULL;
	char size[UNITS_LEN];
	size_t room = 0;
	ssize_t n;

	text = str_printf("%s  %s  %s  serial %s\n  holds: %s\n", d->path,
			  fact_str_or(&d->model, "model unknown"),
			  d->size_bytes.state == FACT_KNOWN ? fmt_bytes(d->size_bytes.v, size)
							    : "size unknown",
			  drive_identity(d), holds ? holds : "");
	/* Lines are ours; what is between them is the device's and is escaped. */
	safe = text ? cli_printable(text) : NULL;
	for (char *p = safe ? strstr(safe, "\\x0a") : NULL; p; p = strstr(p, "\\x0a")) {
		*p = '\n';
		memmove(p + 1, p + 4, strlen(p + 4) + 1);
	}
	(void)fprintf(stderr, "\n%sEverything on it will be lost. Type its serial to go on: ",
		      safe ? safe : "");
	(void)fflush(stderr);
	n = getline(&line, &room, stdin);
	if (n <= 0 || strcmp(str_strip(line), drive_identity(d)) != 0)
		return why_exit(why, SW_EXIT_REFUSED, -EACCES, "refused", d->path, NULL,
				"its serial was not typed; nothing was written");
	return 0;
}

/* The option that a script would have to pass. */
static char *erase_option(const struct drive *const *drives, size_t n)
{
	struct buf b = BUF_INIT;

	buf_add(&b, "pass --erase ");
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, "%s%s", i ? "," : "", drive_identity(drives[i]));
	buf_add(&b, " if everything on them may be lost");
	return buf_take(&b);
}

int consent_get(const struct drive *const *drives, size_t n, struct strv *erase, struct why *why)
{
	int r;

	for (size_t i = 0; i < n; i++)
		if (!drive_identity(drives[i]))
			return no_identity(drives[i], why);
	for (size_t i = 0; i < erase->n; i++)
		if (!serial_is_named(erase->v[i], drives, n))
			return why_exit(why, SW_EXIT_REFUSED, -EACCES, "refused", "--erase",
					"check the serials with 'stripewise probe'",
					"serial %s is not that of a named drive", erase->v[i]);
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *option = NULL, *holds = NULL;

		if (strv_has(erase, drive_identity(drives[i])))
			continue;
		if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
			option = erase_option(drives, n);
			holds = drive_holds(drives[i]);
			return why_exit(why, SW_EXIT_REFUSED, -EACCES, "refused", drives[i]->path,
					option, "no consent for serial %s, which holds %s",
					drive_identity(drives[i]), holds ? holds : "?");
		}
		r = ask(drives[i], why);
		if (r)
			return r;
		r = strv_add(erase, drive_identity(drives[i]));
		if (r)
			return r;
	}
	return 0;
}
