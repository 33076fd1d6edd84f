/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread's side of the sched subject: its state, its edges, what went by unseen.
 *
 * The wait that ends at a switch-in is the kernel's own: what sched_info.run_delay already
 * holds of it (parts spent in other CPUs' queues) plus run queue clock minus last_queued.
 * The tracepoint fires just before the kernel books that (sched_info_arrive()), so each
 * thread's `mark` is what run_delay will be afterwards, and a mark or a pcount that is behind
 * the kernel's tells exactly how much went by unseen. All of it runs under the run queue's
 * lock, one event of a thread after the other.
 */
#ifndef FAST_SCHED_THREAD_BPF_H
#define FAST_SCHED_THREAD_BPF_H

#include "bpf/compat.bpf.h"
#include "bpf/culprit.bpf.h"
#include "bpf/slots.bpf.h"
#include "bpf/throttle.bpf.h"

const volatile struct sched_config sched_config = {};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct sched_cpu);
} sched_cpus SEC(".maps");

struct { /* smaller than sched_threads: the rest has no quantiles */
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sched_thread_hist);
} sched_thread_hists SEC(".maps");

struct sched_moment {			/* one thread's counters at one event */
	__u64 now, delay_ns, queued_at; /* by the method in use */
	__u64 kernel_ns, kernel_pcount; /* sched_info, whatever the method */
	__u64 pcount;
};

/* The clock of the CPU's run queue, as the task that is switched in there finds it. */
static __always_inline __u64 sched_clock_at(struct task_struct *next)
{
	if (sched_config.method == SCHED_METHOD_WAKEUP)
		return bpf_ktime_get_ns();
	return next->se.cfs_rq->rq->clock;
}

static __always_inline struct sched_thread *sched_thread_at(__u32 slot)
{
	return slot ? bpf_map_lookup_elem(&sched_threads, &slot) : NULL;
}

static __always_inline void sched_sample(struct task_struct *task, __u64 now,
					 struct sched_moment *moment,
					 struct sched_thread *thread)
{
	moment->now = now;
	moment->kernel_ns = 0;
	moment->kernel_pcount = 0;
	if (bpf_core_field_exists(task->sched_info.run_delay)) {
		moment->kernel_ns = task->sched_info.run_delay;
		moment->kernel_pcount = task->sched_info.pcount;
	}
	if (sched_config.method == SCHED_METHOD_INFO) {
		moment->delay_ns = moment->kernel_ns;
		moment->queued_at = task->sched_info.last_queued;
		moment->pcount = moment->kernel_pcount;
	} else { /* our own stamps are all there is: nothing can be found unseen */
		moment->delay_ns = thread->mark_ns;
		moment->queued_at = thread->queued_ns;
		moment->pcount = thread->pcount;
	}
}

/* A new life in this slot. A new thread's counters are zero; one that lives gets its seed. */
static __always_inline void sched_begin_thread(__u32 slot, bool is_new)
{
	struct sched_thread *thread = sched_thread_at(slot);

	if (!thread)
		return;
	__builtin_memset(thread, 0, offsetof(struct sched_thread, sets));
	thread->seen = is_new;
	thread->epoch = target_shared.epoch;
	/* A new one's counters begin at zero, in this epoch. */
	if (is_new)
		thread->edges[thread->epoch & 1].epoch = thread->epoch;
	thread->sets[0].epoch = 0;
	thread->sets[1].epoch = 0;
}

static __always_inline void sched_set_edge(struct sched_edge *edge,
					   struct sched_thread *thread,
					   struct sched_moment *moment)
{
	edge->delay_ns = moment->kernel_ns;
	edge->mark_ns = thread->mark_ns;
	edge->pcount = moment->kernel_pcount;
	edge->mark_pcount = thread->pcount;
}

/*
 * Where the counters stood when this epoch began, noted at its first event unless the iterator
 * came by before. The first epoch began at the seed: what the kernel has booked since, parts of
 * a wait in progress or waits that nobody saw, belongs to it.
 */
static __always_inline void sched_note_edge(struct sched_thread *thread,
					    struct sched_moment *moment, __u32 epoch)
{
	struct sched_edge *edge = &thread->edges[epoch & 1];

	thread->epoch = epoch;
	if (edge->epoch == epoch)
		return;
	sched_set_edge(edge, thread, moment);
	edge->epoch = epoch;
	if (epoch != 1)
		return;
	if (sched_config.method == SCHED_METHOD_INFO) {
		edge->delay_ns = thread->mark_ns;
		edge->pcount = thread->pcount;
	} else {
		edge->delay_ns = thread->seed.delay_ns;
		edge->pcount = thread->seed.pcount;
	}
}

/*
 * Common to every event of a thread: the first one since attach takes over the seed or, when
 * it came before the seeding, begins with its own view. False when nothing is to be recorded
 * any more.
 */
static __always_inline bool sched_enter(struct sched_thread *thread,
					struct sched_moment *moment, __u32 epoch)
{
	if (!thread->seen) {
		thread->mark_ns =
			thread->seeded ? thread->seed.mark_ns : moment->delay_ns;
		thread->pcount = thread->seeded ? thread->seed.pcount : moment->pcount;
		thread->seen = 1;
	}
	if (thread->epoch != epoch)
		sched_note_edge(thread, moment, epoch);
	return !(epoch & EPOCH_CLOSED);
}

static __always_inline struct sched_cpu *sched_cpu_now(__u32 epoch)
{
	__u32 set = epoch & 1;

	return bpf_map_lookup_elem(&sched_cpus, &set);
}

static __always_inline struct sched_thread_hist *sched_hist_at(__u32 slot, __u32 epoch)
{
	__u32 key = sched_hist_key(slot, epoch, sched_config.hist_sets);

	return bpf_map_lookup_elem(&sched_thread_hists, &key);
}

/* Global functions are verified once, on their own, not again for each path that leads there. */
__noinline int sched_empty_set(__u32 slot, __u32 epoch)
{
	struct sched_thread *thread = sched_thread_at(slot);
	struct sched_thread_hist *hist;
	struct sched_thread_set *set;

	if (!thread)
		return 0;
	set = &thread->sets[epoch & 1];
	__builtin_memset(&set->totals, 0, sizeof(set->totals));
	set->epoch = epoch;
	hist = sched_hist_at(slot, epoch);
	if (hist)
		__builtin_memset(hist, 0, sizeof(*hist));
	return 0;
}

/* A thread's own numbers of this epoch, emptied at its first event in it. */
static __always_inline struct sched_thread_set *sched_set_now(struct sched_thread *thread,
							      __u32 slot, __u32 epoch)
{
	struct sched_thread_set *set = &thread->sets[epoch & 1];

	if (set->epoch != epoch)
		sched_empty_set(slot, epoch);
	return set;
}

static __always_inline void sched_add(struct sched_totals *totals, __u64 wait_ns,
				      __u32 kind, __u64 throttled_ns)
{
	totals->count++;
	totals->total_ns += wait_ns;
	totals->throttled_ns += throttled_ns;
	totals->kinds[kind % SCHED_KINDS]++;
	if (wait_ns > totals->max_ns)
		totals->max_ns = wait_ns;
}

/* An ended thread's slot is wanted before user space has read it, see slot_reclaim(). */
__noinline int sched_add_to_rest(__u32 slot, __u32 epoch)
{
	struct sched_thread *thread = sched_thread_at(slot);
	struct sched_cpu *cpu = sched_cpu_now(epoch);
	struct sched_totals *part, *sum;
	struct sched_edge *start, *end;
	struct sched_thread_set *set;
	int kind;

	if (!thread || !cpu || !epoch || (epoch & EPOCH_CLOSED) || thread->epoch != epoch)
		return 0;
	cpu->rest.threads++;
	start = &thread->edges[epoch & 1]; /* noted by its first event in this epoch */
	end = &thread->final;
	cpu->rest.kernel_ns += end->delay_ns - start->delay_ns;
	cpu->rest.kernel_pcount += end->pcount - start->pcount;
	cpu->rest.open_part_ns +=
		(end->delay_ns - end->mark_ns) - (start->delay_ns - start->mark_ns);
	cpu->rest.open_part_count +=
		(end->pcount - end->mark_pcount) - (start->pcount - start->mark_pcount);
	set = &thread->sets[epoch & 1];
	if (set->epoch != epoch)
		return 0;
	part = &set->totals;
	sum = &cpu->rest.totals;
	sum->count += part->count;
	sum->total_ns += part->total_ns;
	if (part->max_ns > sum->max_ns)
		sum->max_ns = part->max_ns;
	sum->throttled_ns += part->throttled_ns;
	for (kind = 0; kind < SCHED_KINDS; kind++)
		sum->kinds[kind] += part->kinds[kind];
	sum->unseen_events += part->unseen_events;
	sum->unseen_ns += part->unseen_ns;
	return 0;
}

/* The kernel booked waits of which no program saw the end: exactly how many and how long. */
__noinline int sched_find_unseen(__u32 slot, __u32 epoch, __u64 delay_ns, __u64 pcount)
{
	struct sched_thread *thread = sched_thread_at(slot);
	struct sched_cpu *cpu = sched_cpu_now(epoch);
	struct sched_thread_set *set;
	__u64 unseen, unseen_ns;

	if (!thread || !cpu)
		return 0;
	unseen = pcount - thread->pcount;
	unseen_ns = delay_ns - thread->mark_ns;
	thread->pcount = pcount;
	thread->mark_ns = delay_ns;
	if (!epoch)
		return 0;
	set = sched_set_now(thread, slot, epoch);
	set->totals.unseen_events += unseen;
	set->totals.unseen_ns += unseen_ns;
	cpu->totals.unseen_events += unseen;
	cpu->totals.unseen_ns += unseen_ns;
	return 0;
}

#endif
