// SPDX-License-Identifier: GPL-2.0-or-later
/* What the running kernel offers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What the kernel's BTF says; never its version number. */
struct kernel {
	bool has_prev_state; /* sched_switch passes the previous state, fa2c3254d7cf (5.18) */
	bool has_sched_info;   /* task_struct.sched_info, CONFIG_SCHED_INFO */
	bool has_rq_clock;     /* cfs_rq.rq, CONFIG_FAIR_GROUP_SCHED */
	bool has_loop;	       /* bpf_loop(), 5.17 */
	bool has_task_storage; /* 5.11 */
	bool has_task_pt_regs; /* bpf_task_pt_regs(), 5.15 */
	/* From a CPU's run queue to its preempt count, 0 = unknown. x86 only. */
	int64_t preempt_offset;
	uint32_t interrupt_mask; /* the bits of a preempt count for hard interrupts and NMIs */
};

/* 0, or -errno when the kernel's BTF cannot be read. Takes 5 to 10 ms, and 6 MB meanwhile. */
int kernel_probe(struct kernel *kernel);

/*
 * What every kernel from 5.18 on has, without asking; preempt_offset is not known. To be tried
 * first: programs that assume something the kernel lacks do not load, and nothing else happens.
 */
void kernel_assume_recent(struct kernel *kernel);
