/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "advisor/base/buf.h"
#include "layouts/mark.h"
#include "advisor/base/ban.h"

#define SUPER_OFFSET 4096
#define SUPER_MAGIC  0xa92b4efcu

static const unsigned char spelled[10] = {'s', 't', 'r', 'i', 'p', 'e', 'w', 'i', 's', 'e'};

int mark_new_uuid(char ret[MARK_UUID_LEN])
{
	unsigned char id[16];

	memcpy(id, spelled, sizeof(spelled));
	if (getrandom(id + sizeof(spelled), sizeof(id) - sizeof(spelled), 0) !=
	    (ssize_t)(sizeof(id) - sizeof(spelled)))
		return -EIO;
	uuid_unparse_lower(id, ret);
	return 0;
}

bool mark_is_ours(const char *uuid)
{
	unsigned char id[16];

	return uuid && uuid_parse(uuid, id) == 0 && memcmp(id, spelled, sizeof(spelled)) == 0;
}

static uint32_t le32(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

int md_super_read(int fd, struct md_super *ret)
{
	unsigned char block[4096] __attribute__((aligned(8)));
	struct md_super s = {0};
	ssize_t n;

	do
		n = pread(fd, block, sizeof(block), SUPER_OFFSET);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n < 64 || le32(block) != SUPER_MAGIC || le32(block + 4) != 1)
		return -ENODATA;
	uuid_unparse_lower(block + 16, s.uuid);
	memcpy(s.name, block + 32, 32);
	*ret = s;
	return 0;
}

int md_super_rewrite(int fd)
{
	unsigned char block[4096] __attribute__((aligned(8)));
	ssize_t n = pread(fd, block, sizeof(block), SUPER_OFFSET);

	if (n != (ssize_t)sizeof(block))
		return n < 0 ? -errno : -ENODATA;
	n = pwrite(fd, block, sizeof(block), SUPER_OFFSET);
	if (n != (ssize_t)sizeof(block))
		return n < 0 ? -errno : -ENOSPC;
	return fsync(fd) ? -errno : 0;
}

bool md_super_is_ours(const struct md_super *s)
{
	return mark_is_ours(s->uuid) && str_starts(s->name, MARK_HOMEHOST ":" MARK_NAME);
}
