# The pair of .fwl and .db, one after the other.
name    = valheim
title   = Valheim: a pair of world files
source  = published save patterns of game servers
write   = 64K
align   = 4K
files   = 2
order   = sequential
rewrite = new-file
fsync   = each-file
burst   = 50M-300M
every   = 20m
