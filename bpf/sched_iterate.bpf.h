/* SPDX-License-Identifier: GPL-2.0-only */
/* The sched subject in iterators: the seed at the start, what the kernel says at an edge. */
#ifndef FAST_SCHED_ITERATE_BPF_H
#define FAST_SCHED_ITERATE_BPF_H

#include "bpf/sched_thread.bpf.h"

/* Reads the counters of a task that may be running or moving. False when they changed meanwhile,
 * or when it is being switched in: the tracepoint has fired, the books follow within 100 ns. */
static __always_inline bool sched_read_once(struct task_struct *task,
					    struct sched_edge *edge, __u64 *queued_at)
{
	edge->delay_ns = task->sched_info.run_delay;
	edge->mark_ns = edge->delay_ns;
	edge->pcount = task->sched_info.pcount;
	edge->mark_pcount = edge->pcount;
	*queued_at = task->sched_info.last_queued;
	if (*queued_at && bpf_core_field_exists(task->se.cfs_rq->rq) &&
	    BPF_CORE_READ(task, se.cfs_rq, rq, curr) == task)
		return false;
	barrier();
	return task->sched_info.run_delay == edge->delay_ns &&
	       task->sched_info.pcount == edge->pcount &&
	       task->sched_info.last_queued == *queued_at;
}

/* Without a loop: 5.10 and 6.1 take clang's rotated one for an endless one. */
static __always_inline bool sched_read_stable(struct task_struct *task,
					      struct sched_edge *edge, __u64 *queued_at)
{
	return sched_read_once(task, edge, queued_at) ||
	       sched_read_once(task, edge, queued_at) ||
	       sched_read_once(task, edge, queued_at) ||
	       sched_read_once(task, edge, queued_at);
}

/* In the iterator, at the start: where this thread's counters stand. */
static __always_inline void sched_seed(struct task_struct *task, __u32 slot)
{
	struct sched_thread *thread = sched_thread_at(slot);
	__u64 queued_at;

	if (!thread || !bpf_core_field_exists(task->sched_info.run_delay))
		return;
	sched_read_stable(task, &thread->seed, &queued_at);
	if (sched_config.method == SCHED_METHOD_WAKEUP)
		return;
	barrier();
	/* From here the first event relies on the seed; before, it began on its own. */
	thread->seeded = 1;
}

/* In the iterator, at an edge: what the kernel says of a thread without an event since. */
static __always_inline void sched_iterate(struct task_struct *task,
					  struct thread_view *view,
					  struct sched_live *live)
{
	struct sched_thread *thread = sched_thread_at(view->slot);
	__u32 epoch = target_shared.epoch;
	__u64 now, queued_at = 0, mark;
	struct sched_edge edge = {};

	if (!thread) { /* what the kernel books of it is missing in ours, and check shows it */
		live->delay_ns = task->sched_info.run_delay;
		live->pcount = task->sched_info.pcount;
		return;
	}
	mark = thread->seen ? thread->mark_ns : thread->seed.mark_ns;
	if (bpf_core_field_exists(task->sched_info.run_delay) &&
	    !sched_read_stable(task, &edge, &queued_at) &&
	    sched_config.method == SCHED_METHOD_INFO) {
		/* Still being switched in: our handler has booked that already. */
		edge.delay_ns = mark;
		edge.pcount = thread->pcount;
		queued_at = 0;
	}
	/* Caught between two stores of sched_info_arrive(): our handler was before them. */
	if (sched_config.method == SCHED_METHOD_INFO && thread->seen) {
		edge.delay_ns = edge.delay_ns < mark ? mark : edge.delay_ns;
		edge.pcount = edge.pcount < thread->pcount ? thread->pcount : edge.pcount;
	}
	live->delay_ns = edge.delay_ns;
	live->pcount = edge.pcount;
	live->queued_ns = 0;
	now = bpf_ktime_get_ns();
	if (sched_config.method == SCHED_METHOD_WAKEUP) {
		queued_at = thread->queued_ns;
		live->queued_ns = clock_since(now, queued_at);
	} else if (queued_at) {
		live->queued_ns =
			clock_since(now - target_shared.clock_ahead, queued_at) +
			excess(edge.delay_ns, mark);
	}
	if (thread->epoch == epoch || !epoch)
		return;
	edge.mark_ns = mark;
	edge.mark_pcount = thread->seen ? thread->pcount : thread->seed.pcount;
	edge.epoch = epoch;
	thread->edges[epoch & 1] = edge;
}

#endif
