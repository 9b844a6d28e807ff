# Small snapshots of entity groups and one larger world file. One file in 48 is the world here: the
# writes go round all of them.
name    = rust
title   = Rust: entity files and a world file
source  = published save patterns of game servers; the number of files is our assumption
write   = 8K-64K
align   = 4K
files   = 48
order   = interleaved
rewrite = in-place
fsync   = each-file
burst   = 150M-600M
every   = 10m-15m
