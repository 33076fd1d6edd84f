# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += libcommon.a
libcommon_a_SOURCES = \
	common/bpf.c common/bpf.h \
	common/cgroup.c common/cgroup.h \
	common/col.h \
	common/fmt.c common/fmt.h \
	common/hist.c common/hist.h \
	common/kallsyms.c common/kallsyms.h \
	common/kernel.c common/kernel.h \
	common/loop.c common/loop.h \
	common/msg.c common/msg.h \
	common/opt.c common/opt.h \
	common/out.c common/out.h \
	common/out_table.c \
	common/parse.c common/parse.h \
	common/proc.c common/proc.h \
	common/proc_threads.c \
	common/records.c common/records.h \
	common/slots.c common/slots.h \
	common/target.c common/target.h \
	common/tool.c common/tool.h \
	common/usage.c common/usage.h \
	common/util.h

tool_libs = libcommon.a $(LIBBPF_LIBS) $(JANSSON_LIBS) -lm
