# SPDX-License-Identifier: GPL-2.0-or-later
# .bpf.c -> clang -> bpftool gen object (links, strips DWARF) -> .bpf.o -> .skel.h

bpf_headers = \
	bpf/compat.bpf.h \
	bpf/culprit.bpf.h \
	bpf/find.bpf.h \
	bpf/hist.h \
	bpf/sched.bpf.h \
	bpf/sched.h \
	bpf/sched_iterate.bpf.h \
	bpf/sched_queue.bpf.h \
	bpf/sched_slow.bpf.h \
	bpf/sched_thread.bpf.h \
	bpf/slices.bpf.h \
	bpf/slots.bpf.h \
	bpf/target.bpf.h \
	bpf/target.h \
	bpf/throttle.bpf.h \
	bpf/waker.bpf.h \
	bpf/waker.h

bpf_sources = \
	bpf/account.bpf.c \
	bpf/sched.bpf.c

bpf_skeletons = $(bpf_sources:.bpf.c=.skel.h)

EXTRA_DIST += $(bpf_headers) $(bpf_sources) bpf/vmlinux/vmlinux.h
CLEANFILES += bpf/*.skel.h bpf/*.bpf.o bpf/gen/vmlinux.h test/bpf/*.skel.h test/bpf/*.bpf.o
BUILT_SOURCES += $(bpf_skeletons)

# Paths are cut from the debug information, so the objects do not depend on the folder. The
# host's CFLAGS are not for this target. v3 has 32-bit jumps and loads on 5.10.
BPF_CFLAGS = -g -O2 -mcpu=v3 --target=bpfel -D__TARGET_ARCH_$(BPF_ARCH) -Wall -Wextra \
	-Wno-unused-parameter -ffile-prefix-map=$(abs_top_srcdir)/= \
	-fdebug-compilation-dir=. -I$(VMLINUX_DIR) -iquote $(abs_top_srcdir) \
	$(LIBBPF_CFLAGS) $(BPF_ARCH_INCLUDE)

bpf/gen/vmlinux.h:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(BPFTOOL) btf dump file /sys/kernel/btf/vmlinux format c > $@-t && mv $@-t $@

%.bpf.o: %.bpf.c $(bpf_headers) $(VMLINUX_DEP)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(CLANG) $(BPF_CFLAGS) -c $(abspath $<) -o $@-c && \
	$(BPFTOOL) gen object $@-t $@-c && rm -f $@-c && mv $@-t $@

%.skel.h: %.bpf.o
	$(AM_V_GEN)$(BPFTOOL) gen skeleton $< name $(subst -,_,$(*F))_bpf > $@-t && mv $@-t $@

.PRECIOUS: %.bpf.o
