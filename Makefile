# stripewise. `make` builds build/stripewise; see README.md for demo and check.
# Quiet by default; V=1 shows the commands. SAN=1 builds with ASan and UBSan into build/san.

CC ?= gcc
PKGS = blkid mount ext2fs smartcols libnvme json-c uuid
B = build$(if $(SAN),/san)
CSTD = -std=gnu11
WARN = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Werror
OPT = $(if $(SAN),-O1 -g -fsanitize=address$(,)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer,-O2 -g)
, := ,
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null)
CPPFLAGS += -I. -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64
CFLAGS += $(CSTD) $(WARN) $(OPT) $(PKG_CFLAGS)
LDLIBS += $(PKG_LIBS) -laio -lm

Q = $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' '$(1)' '$(2)')

SRC := $(wildcard advisor/*/*.c probes/*.c probes/*/*.c layouts/*.c)
LIBSRC := $(filter-out advisor/cli/main.c,$(SRC))
LIBOBJ := $(LIBSRC:%.c=$(B)/%.o) $(B)/data.o
DATA := $(shell find advisor/data -type f)
UNIT := $(patsubst tests/unit/%.c,$(B)/tests/%,$(wildcard tests/unit/test_*.c))

.PHONY: all unit clean
all: $(B)/stripewise

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

$(B)/calibrate: tests/calibration/calibrate.c $(wildcard tests/calibration/*.[ch]) $(B)/libstripewise.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $(wildcard tests/calibration/*.c) $(B)/libstripewise.a $(LDLIBS)

unit: $(UNIT)
	$(Q)for t in $(UNIT); do $$t || exit 1; done

clean:
	rm -rf build

-include $(shell find $(B) -name '*.d' 2>/dev/null)
