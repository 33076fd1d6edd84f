# SPDX-License-Identifier: GPL-2.0-or-later

bin_PROGRAMS += fast-workload
fast_workload_SOURCES = \
	workloads/crew.c workloads/crew.h \
	workloads/fast-workload.c \
	workloads/hog.c \
	workloads/options.c workloads/options.h \
	workloads/pingpong.c \
	workloads/run.c workloads/run.h \
	workloads/spin.c workloads/spin.h \
	workloads/target.c \
	workloads/threads.c \
	workloads/workload.h \
	workloads/yield.c
fast_workload_CFLAGS = $(AM_CFLAGS) -pthread
fast_workload_LDADD = libcommon.a -lpthread
