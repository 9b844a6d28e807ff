/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the report of the made-up result of the unit tests as HTML on stdout, for tests/html/run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/report/report.h"
#include "tests/unit/fixture_result.h"
#include "advisor/base/ban.h"

int main(void)
{
	struct result r = {0};
	char *html;
	int status;

	fixture_result(&r);
	html = report_html(&r);
	status = html && fputs(html, stdout) != EOF && fflush(stdout) != EOF ? 0 : 1;
	free(html);
	result_free(&r);
	return status;
}
