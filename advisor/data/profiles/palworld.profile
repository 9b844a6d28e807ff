# One large .sav, written from its beginning to its end.
name    = palworld
title   = Palworld (Unreal Engine 5): one save file
source  = published save patterns of game servers
write   = 128K-1M
align   = 4K
files   = 1
order   = sequential
rewrite = new-file
fsync   = end
burst   = 200M-800M
every   = 15m
