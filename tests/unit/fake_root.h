/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A made-up machine for the tests of layouts/: a folder with sys/, proc/ and dev/ in it. Drive I
 * is nvmeIn1, device number 259:I, behind controller nvmeI; links as the kernel lays them.
 */
#ifndef SW_TESTS_FAKE_ROOT_H
#define SW_TESTS_FAKE_ROOT_H

#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/path.h"

struct fake_root {
	char dir[64];
	struct root root;
};

static inline void fake_mkdirs(char *path)
{
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		(void)mkdir(path, 0755);
		*p = '/';
	}
}

/* Writes DIR/NAME (made with its folders) anew. */
static inline void fake_put(const struct fake_root *f, const char *name, const char *text)
{
	char *path = str_printf("%s/%s", f->dir, name);
	FILE *file;

	fake_mkdirs(path);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	free(path);
}

static inline void fake_link(const struct fake_root *f, const char *name, const char *to)
{
	char *path = str_printf("%s/%s", f->dir, name);

	fake_mkdirs(path);
	(void)unlink(path);
	assert_int_equal(symlink(to, path), 0);
	free(path);
}

/* The text of DIR/NAME without its newline; the caller frees. */
static inline char *fake_get(const struct fake_root *f, const char *name)
{
	char *text = NULL;

	assert_int_equal(root_read(&f->root, &text, "/%s", name), 0);
	return text;
}

/* One file of a drive: NAME below its folder. */
static inline void fake_attr(const struct fake_root *f, unsigned i, const char *name,
			     const char *text)
{
	char *path = str_printf("sys/devices/pci0000:00/nvme/nvme%u/nvme%un1/%s", i, i, name);

	fake_put(f, path, text);
	free(path);
}

static inline void fake_drive(const struct fake_root *f, unsigned i, const char *serial,
			      const char *wwid, unsigned long long bytes)
{
	char *dev = str_printf("259:%u", i), *size = str_printf("%llu\n", bytes / 512);
	char *to = str_printf("../../devices/pci0000:00/nvme/nvme%u/nvme%un1", i, i);
	char *class = str_printf("sys/class/block/nvme%un1", i);
	char *block = str_printf("sys/block/nvme%un1", i), *to2 = str_printf("../%s", to + 6);
	char *number = str_printf("sys/dev/block/259:%u", i);
	char *controller = str_printf("sys/devices/pci0000:00/nvme/nvme%u/serial", i);
	char *device = str_printf("sys/devices/pci0000:00/nvme/nvme%u/nvme%un1/device", i, i);
	char *node = str_printf("dev/nvme%un1", i);

	fake_attr(f, i, "dev", dev);
	fake_attr(f, i, "size", size);
	if (wwid)
		fake_attr(f, i, "wwid", wwid);
	fake_attr(f, i, "queue/scheduler", "[none] mq-deadline\n");
	fake_attr(f, i, "queue/read_ahead_kb", "128\n");
	fake_put(f, controller, serial);
	fake_put(f, node, "");
	{
		char *own = str_printf("../../nvme%u", i);

		fake_link(f, device, own);
		free(own);
	}
	fake_link(f, class, to);
	fake_link(f, block, to2);
	fake_link(f, number, to);
	free(dev), free(size), free(to), free(class), free(block), free(to2), free(number);
	free(controller), free(device), free(node);
}

static inline void fake_open(struct fake_root *f)
{
	memcpy(f->dir, "/tmp/stripewise-test.XXXXXX", sizeof("/tmp/stripewise-test.XXXXXX"));
	assert_non_null(mkdtemp(f->dir));
	fake_put(f, "proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n");
	fake_put(f, "proc/self/mountinfo", "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n");
	fake_put(f, "proc/1/mountinfo", "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n");
	fake_put(f, "proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n");
	assert_int_equal(root_open(&f->root, f->dir), 0);
}

static inline int fake_rm(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

static inline void fake_close(struct fake_root *f)
{
	root_close(&f->root);
	assert_int_equal(nftw(f->dir, fake_rm, 16, FTW_DEPTH | FTW_PHYS), 0);
}

#endif
