# stripewise. `make` builds build/stripewise; see README.md for demo and check.
# Quiet by default; V=1 shows the commands. SAN=1 builds with ASan and UBSan into build/san.
# FUZZ=1 is for tests/fuzz/run: clang with libFuzzer's instrumentation, into build/fuzz.

# What follows asks pkg-config while it is read, so a goal that installs packages (or takes the build
# away) must have ended before the next one's Makefile is read: each gets a make of its own, in order,
# also with -j. Packages come first wherever they are named: `make all deps` is meant well.
installs := deps demo check faults
goals := $(if $(filter $(installs),$(MAKECMDGOALS)),deps) $(filter-out deps,$(MAKECMDGOALS))
ifneq ($(and $(filter $(installs) clean,$(MAKECMDGOALS)),$(word 2,$(MAKECMDGOALS))),)
.PHONY: $(sort $(MAKECMDGOALS)) one-by-one
$(sort $(MAKECMDGOALS)): one-by-one ; @:
one-by-one:
	@$(foreach goal,$(goals),$(MAKE) --no-print-directory $(goal) &&) :
else

CC ?= gcc
PKGS = blkid mount ext2fs com_err smartcols libnvme json-c uuid
B = build$(if $(SAN),/san)$(if $(FUZZ),/fuzz)
CSTD = -std=gnu11
WARN = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Werror
sanitized = -O1 -g -fsanitize=$(1) -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT = $(if $(FUZZ),$(call sanitized,fuzzer-no-link$(,)$(FUZZ_SAN)),$(if $(SAN),$(call sanitized,address$(,)undefined),-O2 -g))
FUZZ_SAN = address$(,)undefined$(,)float-cast-overflow
, := ,
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null)
# One line where a library is missing, not a page about its headers.
PKG_ERROR := $(shell pkg-config --exists --print-errors --short-errors $(PKGS) 2>&1 | head -n 1)
needed = $(if $(PKG_ERROR),$(error $(PKG_ERROR); scripts/deps build installs what is missing))
CPPFLAGS += -I. -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64
CFLAGS += $(needed)$(CSTD) $(WARN) $(OPT) $(PKG_CFLAGS)
LDLIBS += $(PKG_LIBS) -laio -lm

Q = $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' '$(1)' '$(2)')

SRC := $(wildcard advisor/*/*.c probes/*.c probes/*/*.c layouts/*.c)
LIBSRC := $(filter-out advisor/cli/main.c,$(SRC))
LIBOBJ := $(LIBSRC:%.c=$(B)/%.o) $(B)/data.o
DATA := $(shell find advisor/data -type f)

.PHONY: all deps demo check test calibrate bench faults fuzz install clean
all: $(B)/stripewise

# Missing packages are installed once, as root; nothing happens when all are there.
deps:
	$(Q)scripts/deps all

# The whole main job on four virtual NVMe drives: see scripts/demo.
demo: deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)scripts/demo

# Every test; T=NAME runs one (a shell pattern). Ends with "N passed, N failed".
check: deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)tests/run all '$(or $(T),*)'

# The fast ones, without a virtual machine.
test: all
	$(Q)tests/run fast '$(or $(T),*)'

# The decision's error rates over simulated drives, in full (minutes).
calibrate: $(B)/calibrate
	$(Q)$(B)/calibrate

# Everything that goes wrong on purpose, in virtual machines: decoys, refusals, kills, power cuts, every
# act failed and killed, failing drives (long). Ends with "N scenarios, N failed, N decoy bytes changed".
faults: deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)tests/lab/faults.sh

# Every parser under libFuzzer, 20 s each; FUZZ_SECONDS=N or FUZZ_RUNS=N; T=NAME for one of them.
fuzz:
	$(Q)tests/fuzz/run '$(or $(T),*)'

bench: all
	$(Q)scripts/compare-fio
	@echo
	$(Q)scripts/compare-probe
	@echo
	$(Q)scripts/compare-big

$(B)/stripewise: $(B)/advisor/cli/main.o $(B)/libstripewise.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/libstripewise.a: $(LIBOBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

$(B)/data.c: $(DATA) scripts/embed
	$(call say,EMBED,$@)
	$(Q)mkdir -p $(@D) && scripts/embed advisor/data >$@.tmp && mv $@.tmp $@

$(B)/data.o: $(B)/data.c
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-overlength-strings -c -o $@ $<

$(B)/%.o: %.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/tests/%: tests/unit/%.c $(B)/libstripewise.a
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -o $@ $< $(B)/libstripewise.a -lcmocka $(LDLIBS)

$(B)/tests/fuzz_%: tests/fuzz/fuzz_%.c $(B)/libstripewise.a
	$(call say,FUZZ,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -fsanitize=fuzzer -MMD -MP -o $@ $< $(B)/libstripewise.a $(LDLIBS)

# The load generator alone, and beside fio: for scripts/compare-fio.
$(B)/engine-bench $(B)/engine-compare: $(B)/engine-%: tests/bench/%.c tests/bench/shapes.h $(B)/libstripewise.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $< $(B)/libstripewise.a $(LDLIBS)

$(B)/html-fixture: tests/html/fixture.c $(B)/libstripewise.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $< $(B)/libstripewise.a $(LDLIBS)

# Results of any size, out of the unit tests' made-up one: for scripts/compare-big and tests/lab/kill.sh.
$(B)/make-result: tests/bench/result.c tests/unit/fixture_result.h $(B)/libstripewise.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $< $(B)/libstripewise.a $(LDLIBS)

$(B)/calibrate: $(wildcard tests/calibration/*.[ch]) $(B)/libstripewise.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $(wildcard tests/calibration/*.c) $(B)/libstripewise.a $(LDLIBS)

PREFIX ?= /usr/local
install: all
	install -D -m 0755 $(B)/stripewise $(DESTDIR)$(PREFIX)/sbin/stripewise
	install -D -m 0644 docs/completion/stripewise.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/stripewise
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/doc/stripewise README.md docs/*.md docs/result.schema.json
	for m in docs/man/*.8; do install -D -m 0644 $$m $(DESTDIR)$(PREFIX)/share/man/man8/$${m##*/} || exit 1; done

clean:
	rm -rf build

-include $(LIBOBJ:.o=.d) $(B)/advisor/cli/main.d $(wildcard $(B)/tests/*.d)

endif
