/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal that undo reads. Each line of the input gets its checksum here, since none found by
 * chance would be right; one that begins with "!" is taken as it stands (a torn line).
 */
#include <inttypes.h>

#include "advisor/model/json.h"
#include "layouts/act.h"
#include "layouts/identity.h"
#include "layouts/journal_line.h"
#include "tests/fuzz/fuzz.h"
#include "advisor/base/ban.h"

static void line(struct buf *b, const char *s, size_t n)
{
	buf_addf(b, "%08" PRIx32 " ", journal_crc(s, n));
	buf_addn(b, s, n);
	buf_addc(b, '\n');
}

static char *summed(const char *s, size_t size, size_t *ret_len)
{
	struct buf b = BUF_INIT;
	const char *end = s + size;

	while (s < end) {
		const char *newline = memchr(s, '\n', (size_t)(end - s));
		size_t n = (size_t)((newline ? newline : end) - s);

		if (n && *s == '!') {
			buf_addn(&b, s + 1, n - 1);
			buf_addc(&b, '\n');
		} else {
			line(&b, s, n);
		}
		s += n + 1;
	}
	*ret_len = b.len;
	return buf_take(&b);
}

static void object(struct buf *b, struct json_object *o)
{
	_cleanup_free_ char *text = fuzz_json(o);

	line(b, text, strlen(text));
}

/* The whole journal as it would be written. */
static char *written(const struct journal *j, const char *boot, size_t *ret_len)
{
	static const char *const outcomes[] = {NULL, "done", "failed", "undone"};
	struct json_object *o = json_object_new_object();
	struct buf b = BUF_INIT;

	jput_str(o, "kind", "head");
	jput_u64(o, "version", 1);
	jput_str(o, "run", j->run_id);
	jput_str(o, "boot_id", boot);
	jput_str(o, "run_dir", j->run_dir);
	jput_str(o, "copy", j->copy_dir);
	object(&b, o);
	for (size_t i = 0; i < j->n; i++) {
		const struct journal_entry *e = &j->entries[i];

		o = json_object_new_object();
		jput_str(o, "kind", "intent");
		jput_u64(o, "id", e->id);
		jput_str(o, "act", e->act);
		jput(o, "data", json_object_get(e->data));
		object(&b, o);
		if (!outcomes[e->state])
			continue;
		o = json_object_new_object();
		jput_str(o, "kind", outcomes[e->state]);
		jput_u64(o, "id", e->id);
		object(&b, o);
	}
	*ret_len = b.len;
	return buf_take(&b);
}

/* What the inverses read first. */
static void act(const struct journal_entry *e)
{
	static const char *const keys[] = {"path", "uuid", "array", "attr", "name", "before"};
	struct json_object *drive = NULL;
	struct identity id = {0};

	MUST(e->act && json_object_is_type(e->data, json_type_object));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		(void)act_text(e->data, keys[i]);
	if (json_object_object_get_ex(e->data, "drive", &drive) && !identity_from_json(drive, &id)) {
		_cleanup_free_ char *text = identity_text(&id);

		MUST(text && (identity_same(&id, &id) || !identity_known(&id)));
		identity_free(&id);
	} else {
		MUST(!id.serial && !id.wwid);
	}
}

static void same(const struct journal *a, const struct journal *b)
{
	MUST(!strcmp(a->run_id, b->run_id) && !strcmp(a->run_dir, b->run_dir));
	MUST(!a->copy_dir == !b->copy_dir && a->n == b->n && b->damaged == 0);
	MUST(journal_open_acts(a) == journal_open_acts(b));
	for (size_t i = 0; i < a->n; i++)
		MUST(a->entries[i].id == b->entries[i].id && a->entries[i].state == b->entries[i].state &&
		     !strcmp(a->entries[i].act, b->entries[i].act));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = NULL, *boot = NULL, *boot2 = NULL, *back = NULL;
	struct journal *j = journal_new("/run/stripewise", NULL), *again = NULL;
	size_t len = 0;
	int r;

	text = summed((const char *)data, size, &len);
	MUST(j && text);
	r = journal_parse(j, text, len, &boot);
	MUST(r == 0 || r == -EBADMSG || r == -ENOMEM);
	if (r) {
		MUST(!boot);
		journal_close(j);
		return 0;
	}
	MUST(boot && j->run_id && j->run_dir);
	for (size_t i = 0; i < j->n; i++) {
		act(&j->entries[i]);
		MUST(j->entries[i].id < j->next_id && journal_find(j, j->entries[i].id) == &j->entries[i]);
	}
	again = journal_new("/run/stripewise", NULL);
	back = written(j, boot, &len);
	MUST(again && back && !journal_parse(again, back, len, &boot2));
	MUST(!strcmp(boot, boot2));
	same(j, again);
	journal_close(again);
	journal_close(j);
	return 0;
}
