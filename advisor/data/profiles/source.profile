# Small metadata writes without an end. The pattern is published as "low" and "continuous", without
# figures: 1 MB every 10 s is our assumption and stands for no server in particular.
name    = source
title   = Source engine (CS2, FiveM): small metadata writes
source  = published save patterns of game servers; burst, cadence and files are our assumption
write   = 4K-16K
align   = 4K
files   = 16
order   = random
rewrite = in-place
fsync   = each-write
burst   = 1M
every   = 10s
