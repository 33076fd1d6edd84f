/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who ran until when, on each CPU where a target ran or queued lately, and when a CPU was idle.
 * One writer for each ring: the CPU itself, under its run queue's lock.
 */
#ifndef FAST_SLICES_BPF_H
#define FAST_SLICES_BPF_H

#include <vmlinux.h>

#include <bpf/bpf_helpers.h>

#include "bpf/sched.h"
#include "bpf/target.bpf.h"

extern const volatile struct sched_config sched_config;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sched_ring);
} sched_rings SEC(".maps");

static __always_inline void push_slice(struct sched_ring *ring, __u64 end_ns, __u32 tgid,
				       __u32 tid)
{
	__u32 head = ring->head;
	struct sched_slice *slice = &ring->slices[head % SCHED_SLICES];

	ring->head = head + 1;
	slice->end_ns = end_ns;
	slice->tgid = tgid;
	slice->tid = tid;
}

/* When the task came onto its CPU, in the clock of the slices; 0 = not known. */
static __always_inline __u64 arrival_of(struct task_struct *task)
{
	if (sched_config.method != SCHED_METHOD_INFO || !task->pid)
		return 0;
	return task->sched_info.last_arrival;
}

static __always_inline struct sched_ring *slices_here(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&sched_rings, &cpu);
}

/* The ring begins with who ran before prev: that is not known. */
static __always_inline void begin_slices(struct sched_ring *ring,
					 struct task_struct *prev, __u64 now)
{
	__u64 arrival = arrival_of(prev);

	push_slice(ring, arrival ? arrival : now, SCHED_TGID_UNRESOLVED, 0);
	ring->on = 1;
}

static __always_inline void end_slice(struct sched_ring *ring, struct task_struct *prev,
				      struct task_struct *next, __u64 now)
{
	__u32 tgid = next->tgid, tid = next->pid;

	push_slice(ring, now, prev->tgid, prev->pid);
	ring->next_tgid = tgid;
	ring->next_tid = tid;
}

/*
 * At every sched_switch: the outgoing task's slice ends at `now`, if the CPU's ring is on. A
 * switch that no program saw (some kernels run none while certain tasks are current) leaves its
 * mark: the task that goes out is not the one we saw coming in.
 */
static __always_inline void note_slice(struct sched_ring *ring, struct task_struct *prev,
				       struct task_struct *next, __u64 now)
{
	__u32 prev_tid = prev->pid;
	__u64 arrival;

	if (!next->pid) {
		ring->idle_since_ns = now;
	} else if (!prev_tid && ring->idle_since_ns) {
		ring->idle_from_ns = ring->idle_since_ns;
		ring->idle_to_ns = now;
		ring->idle_since_ns = 0;
	}
	if (now >= ring->hot_until_ns) {
		if (ring->on)
			ring->on = 0;
		return;
	}
	if (!ring->on) {
		begin_slices(ring, prev, now);
	} else if (ring->next_tid != prev_tid) {
		arrival = arrival_of(prev);
		if (arrival)
			push_slice(ring, arrival, ring->next_tgid, ring->next_tid);
	}
	end_slice(ring, prev, next, now);
}

/* After that, at a switch that a target takes part in: the ring is to be on from here. */
static __always_inline void keep_slices(struct sched_ring *ring, struct task_struct *prev,
					struct task_struct *next, __u64 now)
{
	ring->hot_until_ns = now + SCHED_HOT_NS;
	if (ring->on)
		return;
	begin_slices(ring, prev, now);
	end_slice(ring, prev, next, now);
}

#endif
