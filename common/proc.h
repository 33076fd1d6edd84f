// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Readers of /proc and /sys. Every path is taken below a root prefix, normally "",
 * so that tests can read a canned tree. All return 0 or -errno (-ENOENT and -ESRCH
 * mean that the process is gone, -EINVAL that a file is not as the kernel writes it),
 * never a partial result.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/util.h"

struct proc_stat { /* /proc/PID/stat, proc(5); comm may hold any byte, also ") R 1" */
	pid_t pid;
	char comm[64]; /* raw bytes; longer than TASK_COMM_LEN for kernel workers */
	char state;
	pid_t ppid;
	uint32_t flags; /* PF_* of include/linux/sched.h */
	uint64_t minor_faults, major_faults;
	uint64_t user_ticks, system_ticks; /* sysconf(_SC_CLK_TCK) */
	uint64_t threads;
	uint64_t start_ticks; /* since boot */
};

#define PROC_PF_KTHREAD 0x00200000u

/* /proc/PID/task/TID/schedstat, Documentation/scheduler/sched-stats.rst */
struct proc_schedstat {
	uint64_t run_ns, wait_ns, slices;
};

struct proc_status {
	pid_t tgid, pid, ppid;
	char state;
	uint64_t threads;
	uint64_t voluntary, involuntary; /* context switches */
	uint32_t ns_depth;		 /* number of values on the NSpid line */
	pid_t ns_pid;			 /* the innermost one */
};

/* tid 0 reads /proc/PID/stat (the whole process), else /proc/PID/task/TID/stat. */
int proc_read_stat(const char *root, pid_t pid, pid_t tid, struct proc_stat *out);
int proc_read_status(const char *root, pid_t pid, pid_t tid, struct proc_status *out);
/* Only of one thread; with tid 0 that is the leader. */
int proc_read_schedstat(const char *root, pid_t pid, pid_t tid,
			struct proc_schedstat *out);

/* The process's name, raw bytes without the trailing newline, cut at size - 1. */
int proc_read_comm(const char *root, pid_t pid, char *buf, size_t size);

/* Arguments joined with one blank each, cut at size - 1; empty for a kernel thread or a
 * zombie. */
int proc_read_cmdline(const char *root, pid_t pid, char *buf, size_t size);

/*
 * Thread ids of a process into a malloc'ed array that the caller frees; *count is their
 * number. Threads that start or end meanwhile may or may not be in it.
 */
int proc_list_threads(const char *root, pid_t pid, pid_t **tids, size_t *count);

/* Sum of schedstat over the threads that live now; *threads may be NULL. */
int proc_sum_schedstat(const char *root, pid_t pid, struct proc_schedstat *sum,
		       size_t *threads);

/* CPUs online now, from /sys/devices/system/cpu/online ("0-3,8"). */
int proc_online_cpus(const char *root, uint32_t *count);

/* The cgroup of a process in the named controller's hierarchy ("cpu" also finds
 * "cpu,cpuacct"; v2 for ""): its path as /proc/PID/cgroup gives it. -ENOENT when there
 * is none, -ENAMETOOLONG when it does not fit in size. */
int proc_read_cgroup(const char *root, pid_t pid, const char *controller, char *buf,
		     size_t size);
