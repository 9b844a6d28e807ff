/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One escaping function a format: each read back by that format's own rules. */
#include "advisor/base/escape.h"
#include "advisor/base/exec.h"
#include "advisor/model/json.h"
#include "tests/fuzz/fuzz.h"
#include "advisor/base/ban.h"

static char *escaped(void (*escape)(struct buf *b, const char *s), const char *s)
{
	struct buf b = BUF_INIT;
	char *out;

	escape(&b, s);
	out = buf_take(&b);
	MUST(out);
	return out;
}

/* fstab(5), getmntent(3): \ooo is a character. */
static void as_fstab(const char *s)
{
	_cleanup_free_ char *text = escaped(escape_fstab, s), *back = strdup(text);
	size_t n = 0;

	MUST(back && !strpbrk(text, " \t\n\r#"));
	for (const char *p = text; *p; p++) {
		if (*p == '\\') {
			MUST(p[1] >= '0' && p[1] < '4' && p[2] >= '0' && p[2] < '8' && p[3] >= '0' &&
			     p[3] < '8');
			back[n++] = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
			p += 3;
		} else {
			back[n++] = *p;
		}
	}
	back[n] = '\0';
	MUST(!strcmp(back, s));
	fuzz_clean(text, false);
}

/* A POSIX shell's word of plain characters, '...' and \' makes the same string again. */
static void as_shell(const char *s)
{
	_cleanup_free_ char *text = shell_quote(s), *back = NULL;
	size_t n = 0;
	bool quoted = false;

	MUST(text && *text);
	back = strdup(text);
	MUST(back);
	for (const char *p = text; *p; p++) {
		if (*p == '\'')
			quoted = !quoted;
		else if (quoted)
			back[n++] = *p;
		else if (*p == '\\' && p[1] == '\'')
			back[n++] = *++p;
		else {
			MUST(!strchr(" \t\n|&;<>()$`\\\"*?[#~{}!", *p));
			back[n++] = *p;
		}
	}
	back[n] = '\0';
	MUST(!quoted && !strcmp(back, s));
}

static void as_json(const char *s)
{
	struct json_object *o = json_object_new_object(), *again = NULL;
	_cleanup_free_ char *text = NULL;

	MUST(o);
	jput_str(o, "k", s);
	text = fuzz_json(o);
	MUST(!json_parse_text(text, strlen(text), "written", &again, NULL));
	json_object_put(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *s = fuzz_text(data, size), *text = escaped(escape_text, s),
			    *html = escaped(escape_html, s), *udev = escaped(escape_udev, s),
			    *fio = escaped(escape_fio, s);

	fuzz_clean(text, false);
	fuzz_clean(html, false);
	MUST(!strpbrk(html, "<>\"'"));
	MUST(strlen(udev) == strlen(s) && strspn(udev, "abcdefghijklmnopqrstuvwxyz"
						       "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:+-?") ==
						  strlen(udev));
	MUST(strlen(fio) == strlen(s) && !strpbrk(fio, "\n[]=;#$`\"'\\%"));
	if (escape_is_plain_name(s))
		MUST(!strcmp(udev, s) && !strpbrk(s, "/ \n\"'$`") && *s != '-' && *s != '.');
	as_fstab(s);
	as_shell(s);
	as_json(s);
	return 0;
}
