/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who had the CPU while a target thread waited in its queue.
 *
 * Each CPU where a target ran or queued lately keeps a ring of slices: who ran until when.
 * When a target is switched in after waiting since q, the ring is walked back from now to q
 * and each slice's overlap is charged to its owner, so the charges sum to the wait. What the
 * ring does not reach (older than 1,024 slices, or from before it was on) is charged to
 * "unresolved". A wait's throttled part is taken off its beginning: a throttle starts when
 * the thread itself used the quota up, as far as one thread of a group is on a CPU.
 */
#ifndef FAST_CULPRIT_BPF_H
#define FAST_CULPRIT_BPF_H

#include <vmlinux.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/sched.h"
#include "bpf/slices.bpf.h"
#include "bpf/target.bpf.h"

#define BOUNDED_STEPS 128 /* without bpf_loop(): what the verifier of 5.10 accepts */
#define IDLE_PROBES 8

extern const volatile struct sched_config sched_config;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sched_thread);
} sched_threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct sched_culprit_key);
	__type(value, struct sched_culprit);
} sched_culprits SEC(".maps");

struct { /* names of processes that ended, on any CPU */
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct sched_name);
} sched_departed SEC(".maps");

volatile struct sched_shared sched_shared = {};

static __always_inline __u32 culprit_set(__u32 epoch)
{
	return (epoch & 1) | (sched_shared.culprit_generation & 1) << 1;
}

struct culprit_walk {
	struct sched_ring *ring;
	__u64 from, hi; /* what is still to be charged */
	__u64 idle_from, idle_to;
	__u32 tgid; /* who ran until hi */
	__u32 next; /* the slice that ended before that */
	__u32 set;
	__u32 is_new;
};

static __always_inline __u64 overlap(__u64 from, __u64 to, __u64 low, __u64 high)
{
	from = from > low ? from : low;
	to = to < high ? to : high;
	return to > from ? to - from : 0;
}

static __always_inline void charge(struct culprit_walk *walk, __u32 tgid, __u64 low,
				   __u64 high)
{
	struct sched_culprit_key key = {.tgid = tgid, .set = walk->set};
	struct sched_culprit fresh = {}, *culprit;
	__u64 idle_ns;

	culprit = bpf_map_lookup_elem(&sched_culprits, &key);
	if (!culprit) {
		if (!bpf_map_update_elem(&sched_culprits, &key, &fresh, BPF_NOEXIST))
			__sync_fetch_and_add(&sched_shared.culprits_new, 1);
		culprit = bpf_map_lookup_elem(&sched_culprits, &key);
		walk->is_new = 1;
		if (!culprit) {
			__sync_fetch_and_add(&sched_shared.culprits_full, 1);
			__sync_fetch_and_add(&sched_shared.overflow_ns[walk->set & 3],
					     high - low);
			return;
		}
	}
	__sync_fetch_and_add(&culprit->wait_ns, high - low);
	idle_ns = overlap(low, high, walk->idle_from, walk->idle_to);
	if (idle_ns)
		__sync_fetch_and_add(&culprit->idle_ns, idle_ns);
}

/* Charges the newest slice that is left; 1 when the wait is used up. */
static long charge_slice(__u32 i, void *ctx)
{
	struct culprit_walk *walk = ctx;
	struct sched_ring *ring = walk->ring;
	__u64 start;

	(void)i;
	start = ring->slices[walk->next % SCHED_SLICES].end_ns;
	if (start < walk->from)
		start = walk->from;
	if (start < walk->hi) {
		charge(walk, walk->tgid, start, walk->hi);
		walk->hi = start;
	}
	if (walk->hi <= walk->from)
		return 1;
	/* The oldest slice's beginning is not known. */
	if (ring->head - walk->next >= SCHED_SLICES - 1)
		return 1;
	walk->tgid = ring->slices[walk->next % SCHED_SLICES].tgid;
	walk->next--;
	return 0;
}

/* A time within [from, to] during which one other CPU was idle, the longest of few tries. */
static __always_inline void find_idle(struct culprit_walk *walk, __u32 cpu)
{
	__u64 from, to, length, best = 0;
	struct sched_ring *ring;
	__u32 i, other, hint = 0;

#pragma unroll
	for (i = 0; i < IDLE_PROBES; i++) {
		if (i >= sched_config.cpus || best >= walk->hi - walk->from)
			break;
		other = (sched_shared.idle_hint + i) % sched_config.cpus;
		if (other == cpu)
			continue;
		ring = bpf_map_lookup_elem(&sched_rings, &other);
		if (!ring)
			continue;
		from = ring->idle_since_ns;
		to = walk->hi;
		if (!from) {
			from = ring->idle_from_ns;
			to = ring->idle_to_ns;
		}
		length = overlap(from, to, walk->from, walk->hi);
		if (length > best) {
			best = length;
			walk->idle_from = from;
			walk->idle_to = to;
			hint = other;
		}
	}
	/* Next time begin where it was idle, or look at others. */
	if (!best)
		sched_shared.idle_hint += IDLE_PROBES;
	else if (hint != sched_shared.idle_hint)
		sched_shared.idle_hint = hint;
}

/*
 * Charges the part of a thread's wait that its slot names, in the queue of cpu, where tgid ran
 * until its end; `older` is how many of the newest slices to pass over.
 */
static __always_inline int charge_wait(__u32 cpu, __u32 slot, __u32 epoch, __u32 tgid,
				       __u32 older, bool has_loop)
{
	struct sched_thread *thread = bpf_map_lookup_elem(&sched_threads, &slot);
	struct sched_ring *ring = bpf_map_lookup_elem(&sched_rings, &cpu);
	struct culprit_walk walk = {};
	__u64 end;
	int i;

	if (!thread || !ring || thread->charge_from_ns >= thread->charge_to_ns)
		return 0;
	walk.ring = ring;
	walk.from = thread->charge_from_ns;
	walk.hi = thread->charge_to_ns;
	walk.tgid = tgid;
	walk.next = ring->head - 1 - older;
	walk.set = culprit_set(epoch);
	find_idle(&walk, cpu);
	if (thread->charge_throttled_ns) {
		end = walk.from + thread->charge_throttled_ns;
		end = end < walk.hi ? end : walk.hi;
		charge(&walk, SCHED_TGID_THROTTLED, walk.from, end);
		walk.from = end;
	}
	/* A ring that was off has nothing of this wait. */
	if (!ring->on) {
		charge(&walk, SCHED_TGID_UNRESOLVED, walk.from, walk.hi);
		return 0;
	}
	if (has_loop) {
		bpf_loop(SCHED_SLICES, charge_slice, &walk, 0);
	} else {
		for (i = 0; i < BOUNDED_STEPS; i++)
			if (charge_slice(i, &walk))
				break;
	}
	if (walk.hi > walk.from)
		charge(&walk, SCHED_TGID_UNRESOLVED, walk.from, walk.hi);
	return 0;
}

__noinline int charge_wait_loop(__u32 cpu, __u32 slot, __u32 epoch, __u32 tgid,
				__u32 older)
{
	return charge_wait(cpu, slot, epoch, tgid, older, true);
}

__noinline int charge_wait_bounded(__u32 cpu, __u32 slot, __u32 epoch, __u32 tgid,
				   __u32 older)
{
	return charge_wait(cpu, slot, epoch, tgid, older, false);
}

static __always_inline void name_culprit(struct task_struct *task, __u32 set)
{
	struct sched_culprit_key key = {.tgid = task->tgid, .set = set};
	struct sched_culprit *culprit = bpf_map_lookup_elem(&sched_culprits, &key);

	if (!culprit || culprit->named)
		return;
	BPF_CORE_READ_INTO(&culprit->comm, task, group_leader, comm);
	culprit->flags = task->flags;
	culprit->ns_tgid = task_ns_id(BPF_CORE_READ(task, group_leader));
	culprit->named = 1;
}

static __always_inline void name_departed(struct task_struct *task)
{
	struct sched_name name = {};
	__u32 tgid = task->tgid;

	name.flags = task->flags;
	name.ns_tgid = target_shared.ns_level ? 0 : tgid;
	BPF_CORE_READ_INTO(&name.comm, task, group_leader, comm);
	if (bpf_map_update_elem(&sched_departed, &tgid, &name, BPF_ANY))
		return; /* an LRU map evicts; a row without a name says "-" */
}

/* In the iterator: names the culprits that are alive. */
static __always_inline void culprit_iterate(struct task_struct *task)
{
	if (task->pid != task->tgid || !sched_config.want_culprits)
		return;
	name_culprit(task, 0);
	name_culprit(task, 1);
	name_culprit(task, 2);
	name_culprit(task, 3);
}

#endif
