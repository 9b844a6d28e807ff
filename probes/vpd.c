/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "probes/vpd.h"
#include "advisor/base/ban.h"

#define PAGE_MAX	 4096
#define IDENTIFY_AT	 60
#define IDENTIFY_LEN	 512

static int page(const struct root *root, const char *dir, const char *name, char **ret,
		size_t *ret_len)
{
	return root_read_file(root, PAGE_MAX, ret, ret_len, "%s/device/%s", dir, name);
}

/* Two characters a word, the first in the high byte (ACS-4, 3.4.9). `out` has 2 x words + 1. */
static void ata_string(const uint8_t *identify, unsigned word, unsigned words, char *out)
{
	char *text;

	for (unsigned i = 0; i < words; i++) {
		out[2 * i] = (char)identify[2 * (word + i) + 1];
		out[2 * i + 1] = (char)identify[2 * (word + i)];
	}
	out[2 * words] = '\0';
	text = str_strip(out);
	memmove(out, text, strlen(text) + 1);
}

static uint16_t ata_word(const uint8_t *identify, unsigned word)
{
	return (uint16_t)(identify[2 * word] | identify[2 * word + 1] << 8);
}

int vpd_ata_identity(const struct root *root, const char *dir, struct ata_identity *ret)
{
	_cleanup_free_ char *data = NULL;
	const uint8_t *identify;
	size_t len;

	if (page(root, dir, "vpd_pg89", &data, &len))
		return -ENOENT;
	identify = (const uint8_t *)data + IDENTIFY_AT;
	/* Byte 56: the command that the data is from; ECh is IDENTIFY DEVICE. */
	if (len < IDENTIFY_AT + IDENTIFY_LEN || (uint8_t)data[1] != 0x89 || (uint8_t)data[56] != 0xec)
		return -EINVAL;
	ata_string(identify, 10, 10, ret->serial);
	ata_string(identify, 23, 4, ret->firmware);
	ata_string(identify, 27, 20, ret->model);
	ret->write_cache_enabled = ata_word(identify, 85) & 1u << 5;
	ret->rotation_rate = ata_word(identify, 217);
	return 0;
}

int vpd_serial(const struct root *root, const char *dir, char **ret)
{
	_cleanup_free_ char *data = NULL, *text = NULL;
	struct ata_identity ata;
	const char *s = NULL;
	size_t len;

	if (!page(root, dir, "vpd_pg80", &data, &len) && len > 4 && (uint8_t)data[1] == 0x80) {
		size_t n = (size_t)((uint8_t)data[2] << 8 | (uint8_t)data[3]);

		text = strndup(data + 4, n < len - 4 ? n : len - 4);
		if (!text)
			return -ENOMEM;
		s = str_strip(text);
	}
	if ((!s || !*s) && !vpd_ata_identity(root, dir, &ata))
		s = ata.serial;
	if (!s || !*s)
		return -ENOENT;
	*ret = strdup(s);
	return *ret ? 0 : -ENOMEM;
}
