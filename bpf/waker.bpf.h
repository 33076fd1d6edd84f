/* SPDX-License-Identifier: GPL-2.0-only */
/* In whose context a wake-up happens: current wakes, or it was only interrupted. */
#ifndef FAST_WAKER_BPF_H
#define FAST_WAKER_BPF_H

#include <vmlinux.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/waker.h"

#define SOFTIRQ_OFFSET \
	0x00000100 /* include/linux/preempt.h: serving, not just disabled */

/*
 * Decided by the preempt count. On x86 that is a per-CPU variable, found at a fixed distance
 * (preempt_offset, see common/kernel.c) from the CPU's run queue; 0 = not known. Which of its
 * bits count hard interrupts and NMIs differs (interrupt_mask).
 */
static __always_inline __u32 waker_context(struct task_struct *current,
					   __s64 preempt_offset, __u32 interrupt_mask)
{
	__u32 count = 0;

#if defined(__TARGET_ARCH_x86)
	if (!preempt_offset)
		return WAKER_UNKNOWN;
	bpf_probe_read_kernel(&count, sizeof(count),
			      (void *)BPF_CORE_READ(current, se.cfs_rq, rq) +
				      preempt_offset);
#elif defined(__TARGET_ARCH_arm64)
	count = BPF_CORE_READ(current, thread_info.preempt_count);
#endif
	if (count & interrupt_mask)
		return WAKER_HARDIRQ;
	return count & SOFTIRQ_OFFSET ? WAKER_SOFTIRQ : WAKER_TASK;
}

#endif
