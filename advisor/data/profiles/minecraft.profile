# A Paper server's autosave: region files, rewritten chunk by chunk in 4 KiB sectors.
name    = minecraft
title   = Minecraft (Paper): region files
source  = published save patterns of game servers; the number of region files is our assumption
write   = 4K-32K
align   = 4K
files   = 64
order   = interleaved
rewrite = in-place
fsync   = each-file
burst   = 80M-400M
every   = 5m
