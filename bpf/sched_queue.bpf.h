/* SPDX-License-Identifier: GPL-2.0-only */
/* A thread that waits: put into a queue, or moved to another one. */
#ifndef FAST_SCHED_QUEUE_BPF_H
#define FAST_SCHED_QUEUE_BPF_H

#include "bpf/sched_thread.bpf.h"

/*
 * Under the lock of the queue that it leaves, when it was in one: the part of its wait that
 * the kernel has just booked is charged to whoever ran on the old CPU.
 */
static __always_inline void sched_on_migrate(struct task_struct *task, __u32 dest,
					     bool has_loop)
{
	__u32 slot = thread_slot(task), epoch = target_shared.epoch, cpu, tgid;
	struct sched_thread *thread = sched_thread_at(slot);
	struct cfs_rq *queue = BPF_CORE_READ(task, se.cfs_rq);
	struct rq *rq = BPF_CORE_READ(queue, rq);
	struct sched_ring *ring;
	__u64 part_ns, throttled_ns, now = BPF_CORE_READ(rq, clock);

	ring = bpf_map_lookup_elem(&sched_rings, &dest);
	if (ring && sched_config.want_culprits)
		ring->hot_until_ns = now + SCHED_HOT_NS;
	if (!thread || !thread->seen || !epoch || (epoch & EPOCH_CLOSED))
		return;
	part_ns =
		excess(task->sched_info.run_delay, thread->mark_ns + thread->charged_ns);
	throttled_ns = 0;
	if (thread->throttled_queue == (__u64)queue)
		throttled_ns =
			excess(throttled_clock_of(queue), thread->throttled_base_ns);
	queue = group_queue(task, dest);
	thread->throttled_queue = (__u64)queue;
	thread->throttled_base_ns = throttled_clock_of(queue);
	if (!part_ns)
		return;
	throttled_ns = throttled_ns < part_ns ? throttled_ns : part_ns;
	thread->charged_ns += part_ns;
	thread->throttled_part_ns += throttled_ns;
	if (!sched_config.want_culprits)
		return;
	thread->charge_from_ns = now - part_ns;
	thread->charge_to_ns = now;
	thread->charge_throttled_ns = throttled_ns;
	cpu = BPF_CORE_READ(rq, cpu);
	tgid = BPF_CORE_READ(rq, curr, tgid);
	if (has_loop)
		charge_wait_loop(cpu, slot, epoch, tgid, 0);
	else
		charge_wait_bounded(cpu, slot, epoch, tgid, 0);
}

/* The target is put into a queue: the wait begins here for the wakeup method, and with a
 * quota in force this is the moment from which throttled time is this wait's. */
static __always_inline void sched_on_wakeup(struct task_struct *task)
{
	struct sched_thread *thread = sched_thread_at(thread_slot(task));
	struct cfs_rq *queue;

	if (!thread)
		return;
	if (sched_config.method == SCHED_METHOD_WAKEUP) {
		/* Woken before it had gone to sleep: it still runs. */
		if (!thread->queued_ns && !is_running(task))
			thread->queued_ns = bpf_ktime_get_ns();
		return;
	}
	queue = BPF_CORE_READ(task, se.cfs_rq);
	thread->throttled_queue = (__u64)queue;
	thread->throttled_base_ns = throttled_clock_of(queue);
}

static __always_inline void sched_add_thread(struct task_struct *task)
{
	__u32 slot, epoch = target_shared.epoch;

	if (!target_new(task))
		return;
	slot = slot_take();
	if (!slot) {
		slot = slot_reclaim(epoch);
		sched_add_to_rest(slot, epoch);
	}
	sched_begin_thread(slot, true);
	thread_register(task, slot);
}

/* At task_newtask, unless the next one will do: from 7.0 on this one can be missed. */
static __always_inline void sched_on_newtask(struct task_struct *task)
{
	if (!storage_in_any_context())
		sched_add_thread(task);
}

/* The new thread's first way into a queue, under that queue's lock. */
static __always_inline void sched_on_wakeup_new(struct task_struct *task)
{
	if (storage_in_any_context())
		sched_add_thread(task);
	if (sched_config.method == SCHED_METHOD_WAKEUP && is_target(task))
		sched_on_wakeup(task);
}

#endif
