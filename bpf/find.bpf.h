/* SPDX-License-Identifier: GPL-2.0-only */
/* What iterators and single shots find out around measuring: the target, its children, clocks. */
#ifndef FAST_FIND_BPF_H
#define FAST_FIND_BPF_H

#include "bpf/slots.bpf.h"

/* In the iterator: how far CLOCK_MONOTONIC is ahead of the run queue clock, which was brought
 * up to date when user space came back from its nap. */
static __always_inline void clock_sample(void)
{
	struct task_struct *current = (void *)bpf_get_current_task();
	__s64 ahead;

	if (!bpf_core_field_exists(current->se.cfs_rq->rq))
		return;
	ahead = bpf_ktime_get_ns() - BPF_CORE_READ(current, se.cfs_rq, rq, clock);
	if (!target_shared.clock_known || ahead < target_shared.clock_ahead)
		target_shared.clock_ahead = ahead;
	target_shared.clock_known = 1;
}

/*
 * In an iterator of its own, before the rest: finds the process that our PID namespace knows
 * as ns_tgid and says how deep that namespace is.
 */
static __always_inline void target_find(struct task_struct *task)
{
	struct task_struct *current = (void *)bpf_get_current_task();

	target_shared.ns_level = BPF_CORE_READ(current, thread_pid, level);
	if (task->pid == task->tgid && task_ns_id(task) == target_shared.find_ns_tgid)
		target_shared.tgid = task->tgid;
}

/* The same for the children it already has; to be repeated until none is found. */
static __always_inline void target_find_child(struct task_struct *task)
{
	if (task->pid != task->tgid || is_target(task) ||
	    !is_target_tgid(BPF_CORE_READ(task, real_parent, tgid)))
		return;
	follow_tgid(task->tgid);
	target_shared.found_children++;
}

/* In the iterator, for a thread that exists at the start. */
static __always_inline __u32 slot_take_seed(void)
{
	if (target_shared.seed_slot < target_shared.seed_end)
		return target_shared.seed_slot++;
	return slot_take();
}

/* In the iterator: fills the view; the slot is 0 for a thread that got none. False when there is
 * nothing to see: a zombie whose numbers are with its ended slot. */
static __always_inline bool thread_view(struct task_struct *task,
					struct thread_view *view)
{
	view->slot = thread_slot(task);
	if (!view->slot && task->exit_state)
		return false;
	view->tid = task->pid;
	view->tgid = task->tgid;
	view->ns_tid = task_ns_id(task);
	view->ns_tgid = task_ns_id(BPF_CORE_READ(task, group_leader));
	if (bpf_core_field_exists(task->se.cfs_rq->rq))
		view->cpu = BPF_CORE_READ(task, se.cfs_rq, rq, cpu);
	__builtin_memcpy(view->comm, task->comm, sizeof(view->comm));
	return true;
}

/* At raw_tp/sys_enter of our own process: where saved user registers lie in a kernel stack. */
static __always_inline void target_find_regs(void *regs)
{
	struct task_struct *current = (void *)bpf_get_current_task();

	if (bpf_get_current_pid_tgid() >> 32 == target_shared.self_tgid)
		target_shared.regs_offset = regs - BPF_CORE_READ(current, stack);
}

#endif
