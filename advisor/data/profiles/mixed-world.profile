# A 5 GB world: seven operations in ten are 4 KiB metadata at random places, the rest are regions of
# 64 KiB to 1 MiB; the whole is saved every 10 minutes, with 200 MB an hour between saves.
name      = mixed-world
title     = Large world: metadata, regions and a full snapshot
source    = published write amplification study of game saves on RAID0
write     = 4K:0.7, 64K-1M:0.3
align     = 4K
files     = 8
order     = random
rewrite   = in-place
fsync     = end
burst     = 5G
every     = 10m
increment = 200M/1h
