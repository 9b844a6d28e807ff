/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An nbdkit plugin: a drive over an image file that is slow, loses what was not flushed, or fails
 * when told to. scripts/lab builds it into its cache and starts one nbdkit a drive.
 *
 * Parameters: file=PATH, control=PATH, rdelay= wdelay= fdelay= in microseconds, lossy=0|1.
 *
 * lossy: written pages stay in this process until a flush, a FUA write, or CACHE_PAGES of them; a
 * power cut kills the process, and they are gone. The file then is what a drive with a volatile
 * cache and no capacitors may hold.
 *
 * control: a file of CONTROL_BYTES that is mapped; each byte is a switch that may change at any time.
 */
#define _GNU_SOURCE
#define NBDKIT_API_VERSION 2
#include <errno.h>
#include <fcntl.h>
#include <nbdkit-plugin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL
#define PAGE 4096u
#define CACHE_PAGES 65536u /* 256 MiB: then the drive writes its cache back by itself */

/* lab.d/drives.bash writes these. */
enum control { STALL, FAIL_READ, FAIL_WRITE, FAIL_FLUSH, FULL, READ_ONLY, CONTROL_BYTES = 16 };

static const char *path, *control_path;
static unsigned delay_read_us, delay_write_us, delay_flush_us, lossy;
static int fd = -1;
static int64_t size_bytes;
static const volatile unsigned char *control;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the three below */
static unsigned char **page; /* by page number; NULL: as in the file */
static uint64_t *dirty;
static size_t dirty_count;

static int drive_config(const char *key, const char *value)
{
	if (!strcmp(key, "file"))
		path = value;
	else if (!strcmp(key, "control"))
		control_path = value;
	else if (!strcmp(key, "rdelay"))
		return nbdkit_parse_unsigned(key, value, &delay_read_us);
	else if (!strcmp(key, "wdelay"))
		return nbdkit_parse_unsigned(key, value, &delay_write_us);
	else if (!strcmp(key, "fdelay"))
		return nbdkit_parse_unsigned(key, value, &delay_flush_us);
	else if (!strcmp(key, "lossy"))
		return nbdkit_parse_unsigned(key, value, &lossy);
	else {
		nbdkit_error("no parameter %s", key);
		return -1;
	}
	return 0;
}

static int drive_get_ready(void)
{
	struct stat st;
	int cfd;

	if (!path || !control_path) {
		nbdkit_error("file= and control= are needed");
		return -1;
	}
	fd = open(path, O_RDWR | O_CLOEXEC);
	cfd = open(control_path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || cfd < 0 || fstat(fd, &st) < 0) {
		nbdkit_error("%s: %s", fd < 0 ? path : control_path, strerror(errno));
		return -1;
	}
	size_bytes = st.st_size;
	control = mmap(NULL, CONTROL_BYTES, PROT_READ, MAP_SHARED, cfd, 0);
	(void)close(cfd);
	if (control == MAP_FAILED)
		return -1;
	if (lossy) {
		page = calloc((size_t)size_bytes / PAGE + 1, sizeof(*page));
		dirty = calloc(CACHE_PAGES, sizeof(*dirty));
		if (!page || !dirty)
			return -1;
	}
	return 0;
}

static void *drive_open(int readonly)
{
	(void)readonly;
	return NBDKIT_HANDLE_NOT_NEEDED;
}

static int64_t drive_get_size(void *handle)
{
	(void)handle;
	return size_bytes;
}

static int yes(void *handle)
{
	(void)handle;
	return 1;
}

static int drive_can_fua(void *handle)
{
	(void)handle;
	return lossy ? NBDKIT_FUA_NATIVE : NBDKIT_FUA_EMULATE;
}

/* What every request does first: wait while stalled, take its time, fail if told to. */
static int toll(unsigned delay_us, enum control fail)
{
	struct timespec t = { delay_us / 1000000, (long)(delay_us % 1000000) * 1000 };
	int error = 0;

	if (delay_us)
		(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
	while (control[STALL])
		(void)usleep(5000);
	if (control[fail])
		error = EIO;
	else if (fail == FAIL_WRITE && control[FULL])
		error = ENOSPC;
	else if (fail == FAIL_WRITE && control[READ_ONLY])
		error = EPERM;
	if (!error)
		return 0;
	nbdkit_set_error(error);
	errno = error;
	return -1;
}

static int whole_read(void *buf, size_t count, uint64_t offset)
{
	while (count > 0) {
		ssize_t n = pread(fd, buf, count, (off_t)offset);

		if (n <= 0)
			return -1;
		buf = (char *)buf + n;
		count -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

static int whole_write(const void *buf, size_t count, uint64_t offset)
{
	while (count > 0) {
		ssize_t n = pwrite(fd, buf, count, (off_t)offset);

		if (n < 0)
			return -1;
		buf = (const char *)buf + n;
		count -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

static size_t page_bytes(uint64_t number)
{
	uint64_t left = (uint64_t)size_bytes - number * PAGE;

	return left < PAGE ? (size_t)left : PAGE;
}

static int write_back(void)
{
	while (dirty_count > 0) {
		uint64_t number = dirty[dirty_count - 1];

		if (whole_write(page[number], page_bytes(number), number * PAGE) < 0)
			return -1;
		free(page[number]);
		page[number] = NULL;
		dirty_count--;
	}
	return 0;
}

/* The part of a request that lies in one page. */
static int cached_write(const unsigned char *buf, size_t count, uint64_t offset)
{
	uint64_t number = offset / PAGE;

	if (!page[number]) {
		if (dirty_count == CACHE_PAGES && write_back() < 0)
			return -1;
		page[number] = malloc(PAGE);
		if (!page[number])
			return -1;
		if (whole_read(page[number], page_bytes(number), number * PAGE) < 0) {
			free(page[number]);
			page[number] = NULL;
			return -1;
		}
		dirty[dirty_count++] = number;
	}
	memcpy(page[number] + offset % PAGE, buf, count);
	return 0;
}

static int cached_read(unsigned char *buf, size_t count, uint64_t offset)
{
	const unsigned char *p = page[offset / PAGE];

	if (!p)
		return whole_read(buf, count, offset);
	memcpy(buf, p + offset % PAGE, count);
	return 0;
}

static int drive_pread(void *handle, void *buf, uint32_t count, uint64_t offset, uint32_t flags)
{
	int r = 0;

	(void)handle;
	(void)flags;
	if (toll(delay_read_us, FAIL_READ) < 0)
		return -1;
	if (!lossy)
		return whole_read(buf, count, offset);
	(void)pthread_mutex_lock(&lock);
	for (size_t done = 0, n; done < count && r == 0; done += n) {
		n = PAGE - (offset + done) % PAGE;
		if (n > count - done)
			n = count - done;
		r = cached_read((unsigned char *)buf + done, n, offset + done);
	}
	(void)pthread_mutex_unlock(&lock);
	return r;
}

static int drive_pwrite(void *handle, const void *buf, uint32_t count, uint64_t offset,
			uint32_t flags)
{
	int r = 0;

	(void)handle;
	if (toll(delay_write_us, FAIL_WRITE) < 0)
		return -1;
	if (!lossy)
		return whole_write(buf, count, offset);
	(void)pthread_mutex_lock(&lock);
	for (size_t done = 0, n; done < count && r == 0; done += n) {
		n = PAGE - (offset + done) % PAGE;
		if (n > count - done)
			n = count - done;
		r = cached_write((const unsigned char *)buf + done, n, offset + done);
	}
	if (r == 0 && (flags & NBDKIT_FLAG_FUA))
		r = write_back();
	(void)pthread_mutex_unlock(&lock);
	return r;
}

static int drive_flush(void *handle, uint32_t flags)
{
	int r = 0;

	(void)handle;
	(void)flags;
	if (toll(delay_flush_us, FAIL_FLUSH) < 0)
		return -1;
	if (lossy) {
		(void)pthread_mutex_lock(&lock);
		r = write_back();
		(void)pthread_mutex_unlock(&lock);
	}
	return r;
}

static int punch(uint32_t count, uint64_t offset)
{
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, count);
}

static int drive_trim(void *handle, uint32_t count, uint64_t offset, uint32_t flags)
{
	(void)handle;
	(void)flags;
	if (toll(0, FAIL_WRITE) < 0)
		return -1;
	return lossy ? 0 : punch(count, offset); /* a drive need not heed a trim */
}

static int drive_zero(void *handle, uint32_t count, uint64_t offset, uint32_t flags)
{
	(void)handle;
	(void)flags;
	if (lossy) {
		errno = EOPNOTSUPP; /* nbdkit writes zeroes instead */
		return -1;
	}
	if (toll(delay_write_us, FAIL_WRITE) < 0)
		return -1;
	return punch(count, offset);
}

static struct nbdkit_plugin plugin = {
	.name = "labdrive",
	.config = drive_config,
	.get_ready = drive_get_ready,
	.open = drive_open,
	.get_size = drive_get_size,
	.can_write = yes,
	.can_flush = yes,
	.can_trim = yes,
	.can_zero = yes,
	.can_multi_conn = yes,
	.can_fua = drive_can_fua,
	.pread = drive_pread,
	.pwrite = drive_pwrite,
	.flush = drive_flush,
	.trim = drive_trim,
	.zero = drive_zero,
	.errno_is_preserved = 1,
};

NBDKIT_REGISTER_PLUGIN(plugin)
