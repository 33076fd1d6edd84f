/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For how long a cgroup's CPU quota held a run queue back: a clock that advances only while
 * the queue (or one above it) is throttled. From 6.6 the kernel keeps one in run queue
 * clock time (throttled_clock_self, 677ea015f231); before, there is the one that corrects
 * the PELT clock, which is scaled while a frequency-invariant CPU is busy.
 */
#ifndef FAST_THROTTLE_BPF_H
#define FAST_THROTTLE_BPF_H

#include <vmlinux.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* Never below zero: clocks of two CPUs may be read a moment apart. */
static __always_inline __u64 excess(__u64 larger, __u64 smaller)
{
	return larger > smaller ? larger - smaller : 0;
}

/* Time since a moment, 0 when there was none. */
static __always_inline __u64 clock_since(__u64 now, __u64 then)
{
	return then ? excess(now, then) : 0;
}

static __always_inline __u64 throttled_clock(struct cfs_rq *cfs_rq)
{
	struct rq *rq = cfs_rq->rq;

	if (bpf_core_field_exists(cfs_rq->throttled_clock_self_time))
		return cfs_rq->throttled_clock_self_time +
		       clock_since(rq->clock, cfs_rq->throttled_clock_self);
	if (bpf_core_field_exists(cfs_rq->throttled_clock_pelt_time))
		return cfs_rq->throttled_clock_pelt_time +
		       (cfs_rq->throttle_count ? clock_since(rq->clock_pelt,
							     cfs_rq->throttled_clock_pelt)
					       : 0);
	return 0;
}

/* The same for any pointer, by reads that may fail instead of the verifier's knowledge. */
static __always_inline __u64 throttled_clock_of(struct cfs_rq *cfs_rq)
{
	struct rq *rq = BPF_CORE_READ(cfs_rq, rq);
	__u64 total, since;

	if (bpf_core_field_exists(cfs_rq->throttled_clock_self_time)) {
		total = BPF_CORE_READ(cfs_rq, throttled_clock_self_time);
		since = BPF_CORE_READ(cfs_rq, throttled_clock_self);
		return total + clock_since(BPF_CORE_READ(rq, clock), since);
	}
	if (bpf_core_field_exists(cfs_rq->throttled_clock_pelt_time)) {
		total = BPF_CORE_READ(cfs_rq, throttled_clock_pelt_time);
		since = BPF_CORE_READ(cfs_rq, throttle_count)
				? BPF_CORE_READ(cfs_rq, throttled_clock_pelt)
				: 0;
		return total + clock_since(BPF_CORE_READ(rq, clock_pelt), since);
	}
	return 0;
}

/* The queue of a task's group on a CPU that it is about to move to. */
static __always_inline struct cfs_rq *group_queue(struct task_struct *task, __u32 cpu)
{
	struct cfs_rq **queues = BPF_CORE_READ(task, sched_task_group, cfs_rq);
	struct cfs_rq *queue = NULL;

	bpf_probe_read_kernel(&queue, sizeof(queue), queues + cpu);
	return queue;
}

/* Whether this switch-out is the beginning of a throttle. */
static __always_inline bool throttle_begins(struct task_struct *task,
					    struct cfs_rq *queue)
{
	if (bpf_core_field_exists(task->throttled))
		return task->throttled;
	if (bpf_core_field_exists(queue->throttle_count))
		return queue->throttle_count != 0;
	return false;
}

#endif
