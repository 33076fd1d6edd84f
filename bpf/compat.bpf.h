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

/* 7.2 made on_cpu a byte: libbpf adjusts the width of a direct access to an unsigned field. */
struct task_struct___on_cpu {
	unsigned int on_cpu;
} __attribute__((preserve_access_index));

static __always_inline bool is_running(struct task_struct *task)
{
	struct task_struct___on_cpu *on_cpu = (void *)task;

	return on_cpu->on_cpu != 0;
}

/*
 * From 7.0 on the programs of a tracepoint can be preempted where their caller can
 * (a46023d5616e), and one that is preempted is not run for other tasks of its CPU meanwhile:
 * task_newtask misses some. But there task storage can be created in any context, also under a
 * run queue's lock (f484f4a3e058, 6.19; the member it added went again when the counter came).
 */
struct bpf_local_storage___nolock {
	bool use_kmalloc_nolock;
	struct {
	} owner_refcnt;
} __attribute__((preserve_access_index));

static __always_inline bool storage_in_any_context(void)
{
	return bpf_core_field_exists(struct bpf_local_storage___nolock,
				     use_kmalloc_nolock) ||
	       bpf_core_field_exists(struct bpf_local_storage___nolock, owner_refcnt);
}

#if defined(__TARGET_ARCH_x86)
#define SYSCALL_REGISTER orig_ax
#define SYSCALL_SCHED_YIELD 24
#elif defined(__TARGET_ARCH_arm64)
#define SYSCALL_REGISTER syscallno
#define SYSCALL_SCHED_YIELD 124
#endif

/*
 * The number of the system call that the current task is in, -1 when it is in an exception or
 * an interrupt (entry code stores that in the saved user registers) or is a kernel thread.
 * Before bpf_task_pt_regs() (5.15) the registers are at regs_offset from task->stack, found by
 * trial, because the padding above them differs by configuration; 0 = not found.
 */
static __always_inline long task_syscall(struct task_struct *task, bool has_helper,
					 __u64 regs_offset)
{
	struct pt_regs *regs;

	if (task->flags & PF_KTHREAD)
		return -1;
	if (has_helper) {
		regs = (void *)bpf_task_pt_regs(task);
		return regs->SYSCALL_REGISTER;
	}
	if (!regs_offset)
		return -1;
	regs = task->stack + regs_offset;
	return BPF_CORE_READ(regs, SYSCALL_REGISTER);
}

#endif
