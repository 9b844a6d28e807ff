/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <et/com_err.h>
#include <ext2fs/ext2fs.h>

#include "layouts/fs.h"
#include "advisor/base/ban.h"

int ext4_read(const char *device, struct geometry *ret, struct why *why)
{
	ext2_filsys fs = NULL;
	errcode_t err = ext2fs_open(device, EXT2_FLAG_64BITS | EXT2_FLAG_JOURNAL_DEV_OK, 0, 0,
				    unix_io_manager, &fs);

	if (err)
		return why_set(why, -EIO, "cannot read the ext4 superblock back", device, NULL,
			       "%s", error_message(err));
	ret->block_bytes = fs->blocksize;
	ret->stride_blocks = fs->super->s_raid_stride;
	ret->stripe_width_blocks = fs->super->s_raid_stripe_width;
	/* Nothing was changed, so there is nothing that closing could fail to write. */
	(void)ext2fs_close_free(&fs);
	return 0;
}
