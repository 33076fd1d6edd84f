/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel types that the suite reads, and of each only the members it reads: the list
 * of what we depend on. CO-RE finds the real offsets at load. Anything that may be missing
 * or was renamed is asked for in bpf/compat.bpf.h.
 */
#ifndef __VMLINUX_H__
#define __VMLINUX_H__

#include <linux/bpf.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
typedef _Bool bool;

enum { false, true };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* kernel/sched/sched.h */

struct rq {
	u64 clock;
	u64 clock_pelt;
	struct task_struct *curr;
	int cpu;
};

struct cfs_rq {
	struct rq *rq;		  /* CONFIG_FAIR_GROUP_SCHED */
	u64 throttled_clock_self; /* from 6.6, CONFIG_CFS_BANDWIDTH */
	u64 throttled_clock_self_time;
	u64 throttled_clock_pelt; /* from 5.10 */
	u64 throttled_clock_pelt_time;
	int throttle_count;
};

struct task_group {
	struct cfs_rq **cfs_rq;
};

/* include/linux/sched.h */

struct sched_entity {
	struct cfs_rq *cfs_rq;
};

struct sched_info { /* CONFIG_SCHED_INFO */
	unsigned long pcount;
	unsigned long long run_delay;
	unsigned long long last_arrival;
	unsigned long long last_queued;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	unsigned int level;
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1]; /* one for each level, the initial namespace first */
};

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long orig_ax;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	s32 syscallno;
};
#endif

struct thread_info {
	int preempt_count; /* arm64: low half of the 64-bit preempt word */
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live; /* threads that have not begun to exit */
};

struct task_struct {
	struct thread_info thread_info; /* CONFIG_THREAD_INFO_IN_TASK */
	unsigned int __state;		/* "state" before 5.14 */
	void *stack;
	unsigned int flags;
	int exit_state;
	struct sched_entity se;
	struct task_group *sched_task_group;
	struct sched_info sched_info;
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct signal_struct *signal;
	char comm[16];
	bool throttled; /* from 6.18: task-based CFS throttling */
};

/* include/linux/bpf.h */

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	u64 session_id;
	u64 seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#endif
