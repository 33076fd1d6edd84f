/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between kernels: each difference in one function, with the commit it answers. */
#ifndef FAST_COMPAT_BPF_H
#define FAST_COMPAT_BPF_H

#include <vmlinux.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define TASK_DEAD 0x80 /* include/linux/sched.h, same value since 4.14 */
#define PF_KTHREAD 0x00200000

/* 2f064a59a11f (5.14): task_struct.state became __state and unsigned int. */
struct task_struct___old {
	volatile long state;
} __attribute__((preserve_access_index));

static __always_inline __u32 task_state(struct task_struct *task)
{
	struct task_struct___old *old = (void *)task;

	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return (__u32)old->state;
}

/* Helper numbers that libbpf's and the system's headers may not know yet. */
enum bpf_func_id___fast {
	BPF_FUNC_task_pt_regs___fast = 175, /* 5.15 */
	BPF_FUNC_loop___fast = 181,	    /* 5.17 */
};

/*
 * The number of the system call that the current task is in, -1 when it is in an
 * exception or an interrupt (entry code stores that in the saved user registers) or is a
 * kernel thread. regs_offset: from task->stack to the registers, found by trial before
 * bpf_task_pt_regs() existed, because padding above them differs by configuration.
 */
static __always_inline long task_syscall(struct task_struct *task, __u64 regs_offset)
{
	struct pt_regs *regs;

	if (task->flags & PF_KTHREAD)
		return -1;
#if defined(__TARGET_ARCH_x86)
	if (!regs_offset) {
		regs = (void *)bpf_task_pt_regs(task);
		return regs->orig_ax;
	}
	regs = task->stack + regs_offset;
	return BPF_CORE_READ(regs, orig_ax);
#elif defined(__TARGET_ARCH_arm64)
	if (!regs_offset) {
		regs = (void *)bpf_task_pt_regs(task);
		return regs->syscallno;
	}
	regs = task->stack + regs_offset;
	return BPF_CORE_READ(regs, syscallno);
#endif
}

#if defined(__TARGET_ARCH_x86)
#define SYSCALL_SCHED_YIELD 24
#elif defined(__TARGET_ARCH_arm64)
#define SYSCALL_SCHED_YIELD 124
#endif

#endif
