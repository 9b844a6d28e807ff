/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ratings, classes and attributes. The first byte says which table the input is; what follows a
 * line "?" is what a drive says its model is, looked up in the input's table and in the real ones.
 */
#include "advisor/base/data.h"
#include "advisor/model/ratings.h"
#include "probes/counters/attributes.h"
#include "tests/fuzz/fuzz.h"
#include "advisor/base/ban.h"

static const char class_row[] = "c\tClass\t1\t1\t2\t3\t4\t5\t6\tsource\n";
static const char rating_row[] = "X*\tc\t1\t-\t5\tyes\t-\tsource\n";

static void rated(const char *ratings_tsv, const char *classes_tsv, const char *model)
{
	struct ratings *t = NULL;
	struct why why = WHY_INIT;
	int r = ratings_load_text(ratings_tsv, classes_tsv, &t, &why);
	const struct rating *row;

	fuzz_said(r, &why);
	if (r) {
		MUST(!t);
		return;
	}
	row = ratings_find(t, model, 1920383410176ULL);
	if (row) {
		MUST(row->pattern && row->source && row->plp >= -1 && row->plp <= 1);
		MUST(!*row->drive_class || ratings_class(t, row->drive_class));
	}
	(void)ratings_class(t, model);
	ratings_free(t);
}

static void attributes(const char *tsv, const char *model)
{
	struct attributes *t = NULL;
	struct why why = WHY_INIT;
	int r = attributes_load_text(tsv, &t, &why);

	fuzz_said(r, &why);
	if (r) {
		MUST(!t);
		return;
	}
	for (unsigned id = 0; id < 256; id += 15) {
		const struct attribute *row =
			attributes_find(t, ATTRIBUTE_ATA, id, "Host_Writes_32MiB", model, id & 1);

		if (row)
			MUST(row->role < ROLES && *row->source &&
			     (row->role > ROLE_FLASH_WRITTEN || row->unit_bytes));
	}
	attributes_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ratings *built_in;
	_cleanup_free_ char *s = fuzz_text(data, size);
	char *table = *s ? s + 1 : s, *model = strstr(table, "\n?");

	if (!built_in)
		MUST(!ratings_load(&built_in, NULL));
	if (model) {
		model[1] = '\0';
		model += 2;
	} else {
		model = (char *)"XYZ";
	}
	(void)ratings_find(built_in, model, 0);
	if (*s == 'c')
		rated(rating_row, table, model);
	else if (*s == 'a')
		attributes(table, model);
	else
		rated(table, class_row, model);
	return 0;
}
