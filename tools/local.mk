# SPDX-License-Identifier: GPL-2.0-or-later
# Each tool is main.c with its descriptor's name, its own file and the readers it composes.

sched_reader = \
	tools/sched.c tools/sched.h \
	tools/sched_culprit.c \
	tools/sched_report.c \
	tools/sched_rows.c tools/sched_rows.h \
	tools/sched_sum.c

sbin_PROGRAMS += fast-sched
fast_sched_SOURCES = tools/main.c tools/fast-sched.c $(sched_reader)
fast_sched_CPPFLAGS = $(AM_CPPFLAGS) -DTOOL=fast_sched
fast_sched_LDADD = $(tool_libs)
tools/fast_sched-fast-sched.$(OBJEXT): bpf/sched.skel.h
