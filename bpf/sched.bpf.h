/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sched subject: how long threads of the target were runnable without running.
 *
 * The wait that ends at a switch-in is the kernel's own: what sched_info.run_delay already
 * holds of it (parts spent in other CPUs' queues) plus run queue clock minus last_queued.
 * The tracepoint fires just before the kernel books that (sched_info_arrive()), so each
 * thread's `mark` is what run_delay will be afterwards, and a mark or a pcount that is behind
 * the kernel's tells exactly how much went by unseen. All of it runs under the run queue's
 * lock, one event of a thread after the other.
 *
 * A wait's kind is decided at the switch-out before it: asleep only when the task set a
 * sleeping state, kept it (a pending signal resets it) and was not preempted in the kernel.
 */
#ifndef FAST_SCHED_BPF_H
#define FAST_SCHED_BPF_H

#include "bpf/sched_slow.bpf.h"
#include "bpf/sched_thread.bpf.h"

/*
 * The state in which prev left, as sched_switch passes it where it has a fourth argument. Taken
 * from the context only there: older kernels refuse a program that reads beyond the third.
 */
static __always_inline __u32 sched_out_state(unsigned long long *ctx,
					     struct task_struct *prev)
{
	return sched_config.has_prev_state ? (__u32)ctx[3] : task_state(prev);
}

static __always_inline __u32 sched_out_kind(struct task_struct *prev,
					    struct cfs_rq *queue, bool preempt,
					    __u32 state, __u32 now_state)
{
	if (!preempt && state && now_state)
		return SCHED_WAKEUP; /* asleep: the next wait begins with a wake-up */
	if (!preempt && task_syscall(prev, target_config.has_task_pt_regs,
				     target_shared.regs_offset) == SYSCALL_SCHED_YIELD)
		return SCHED_YIELD;
	/* The wakeup method does without the queue. */
	if (sched_config.method == SCHED_METHOD_INFO && throttle_begins(prev, queue))
		return SCHED_THROTTLED;
	return SCHED_PREEMPTED;
}

static __always_inline void sched_end_thread(struct task_struct *task,
					     struct sched_thread *thread,
					     struct sched_moment *moment, __u32 slot,
					     __u32 epoch)
{
	sched_set_edge(&thread->final, thread, moment);
	thread_end(task, slot, epoch);
}

static __always_inline void sched_on_out(struct task_struct *prev, struct cfs_rq *queue,
					 __u64 now, bool preempt, __u32 state)
{
	__u32 epoch = target_shared.epoch, slot = thread_slot(prev);
	struct sched_thread *thread = sched_thread_at(slot);
	__u32 now_state = task_state(prev);
	struct sched_moment moment;
	bool recording;

	if (!thread)
		return;
	sched_sample(prev, now, &moment, thread);
	recording = sched_enter(thread, &moment, epoch);
	if (recording) {
		/* By our own stamps: it runs, but nobody saw its wait end. */
		if (sched_config.method == SCHED_METHOD_WAKEUP && thread->queued_ns)
			moment.pcount++;
		if (moment.pcount != thread->pcount)
			sched_find_unseen(slot, epoch, moment.delay_ns, moment.pcount);
		thread->kind = sched_out_kind(prev, queue, preempt, state, now_state);
		thread->out_at_ns = now;
		thread->queued_ns = thread->kind == SCHED_WAKEUP ? 0 : now;
		thread->unbooked = preempt && (state | now_state);
		thread->charged_ns = 0;
		thread->waker_context = WAKER_NONE;
		thread->waker_tid = 0;
		thread->throttled_part_ns = 0;
		if (sched_config.method == SCHED_METHOD_INFO) {
			thread->throttled_base_ns = throttled_clock(queue);
			thread->throttled_queue = (__u64)queue;
		}
	}
	if ((state | now_state) & TASK_DEAD)
		sched_end_thread(prev, thread, &moment, slot, epoch);
}

static __always_inline void sched_add_to_slots(struct sched_cpu *cpu, __u64 wait_ns)
{
	__u32 slot = hist_slot(wait_ns, HIST_BITS), i;

	barrier_var(slot); /* one register for the check and the use */
	if (slot < HIST_SLOTS)
		cpu->slots[slot]++;
	for (i = 0; i < SCHED_THRESHOLDS; i++)
		if (sched_config.thresholds_ns[i] &&
		    wait_ns >= sched_config.thresholds_ns[i])
			cpu->over[i]++;
}

/* Adds the wait that has just ended to all sums. */
__noinline int sched_record(__u32 slot, __u32 epoch)
{
	struct sched_thread *thread = sched_thread_at(slot);
	struct sched_cpu *cpu = sched_cpu_now(epoch);
	struct sched_thread_hist *hist;
	struct sched_thread_set *set;
	__u64 wait_ns, throttled_ns;
	__u32 kind, bucket;

	if (!thread || !cpu)
		return 0;
	set = sched_set_now(thread, slot, epoch);
	wait_ns = thread->wait_ns;
	throttled_ns = thread->wait_throttled_ns;
	kind = thread->kind;
	sched_add(&cpu->totals, wait_ns, kind, throttled_ns);
	sched_add_to_slots(cpu, wait_ns);
	sched_add(&set->totals, wait_ns, kind, throttled_ns);
	bucket = hist_coarse_slot(wait_ns);
	barrier_var(bucket);
	hist = sched_hist_at(slot, epoch);
	if (hist && bucket < HIST_COARSE_SLOTS)
		hist->slots[bucket]++;
	return 0;
}

/* How long the wait was that ends now. False when there was none to be seen. */
static __always_inline bool sched_wait(struct sched_thread *thread,
				       struct sched_moment *moment)
{
	if (moment->queued_at) {
		thread->wait_ns = moment->delay_ns - thread->mark_ns +
				  clock_since(moment->now, moment->queued_at);
		thread->mark_ns += thread->wait_ns;
		thread->pcount++;
		thread->queued_ns = 0;
		return true;
	}
	if (!thread->unbooked || !thread->out_at_ns)
		return false;
	thread->wait_ns = clock_since(moment->now, thread->out_at_ns);
	return true;
}

static __always_inline void sched_count_unbooked(__u64 wait_ns, __u32 epoch)
{
	struct sched_cpu *cpu = sched_cpu_now(epoch);

	if (!cpu)
		return;
	cpu->totals.uncounted_events++;
	cpu->totals.uncounted_ns += wait_ns;
}

/* The quota's part of the wait: all of it, and what no migration has charged yet. */
static __always_inline void sched_throttled(struct sched_thread *thread,
					    struct cfs_rq *queue)
{
	__u64 throttled_ns, wait_ns = thread->wait_ns;

	thread->wait_throttled_ns = 0;
	thread->charge_throttled_ns = 0;
	if (sched_config.method != SCHED_METHOD_INFO)
		return;
	throttled_ns = thread->throttled_part_ns;
	/* Another cgroup's clock says nothing about this one's. */
	if (thread->throttled_queue == (__u64)queue)
		throttled_ns += excess(throttled_clock(queue), thread->throttled_base_ns);
	throttled_ns = throttled_ns < wait_ns ? throttled_ns : wait_ns;
	thread->wait_throttled_ns = throttled_ns;
	thread->charge_throttled_ns = excess(throttled_ns, thread->throttled_part_ns);
}

static __always_inline void sched_on_in(struct task_struct *prev,
					struct task_struct *next, struct cfs_rq *queue,
					__u64 now, bool has_loop)
{
	__u32 epoch = target_shared.epoch, slot = thread_slot(next);
	__u32 cpu = bpf_get_smp_processor_id();
	struct sched_thread *thread = sched_thread_at(slot);
	struct sched_moment moment;

	if (!thread) {
		if (epoch && !(epoch & EPOCH_CLOSED))
			__sync_fetch_and_add(&target_shared.unslotted, 1);
		return;
	}
	sched_sample(next, now, &moment, thread);
	if (!sched_enter(thread, &moment, epoch))
		return;
	if (moment.pcount != thread->pcount)
		sched_find_unseen(slot, epoch, moment.delay_ns, moment.pcount);
	if (!sched_wait(thread, &moment) || !epoch)
		return;
	sched_throttled(thread, queue);
	sched_record(slot, epoch);
	if (!moment.queued_at)
		sched_count_unbooked(thread->wait_ns, epoch);
	if (sched_config.slow_ns && thread->wait_ns >= sched_config.slow_ns)
		sched_send_slow(prev, next, thread, epoch);
	if (!sched_config.want_culprits)
		return;
	thread->charge_from_ns = now - excess(thread->wait_ns, thread->charged_ns);
	thread->charge_to_ns = now;
	if (has_loop)
		charge_wait_loop(cpu, slot, epoch, prev->tgid, 1);
	else
		charge_wait_bounded(cpu, slot, epoch, prev->tgid, 1);
	name_culprit(prev, culprit_set(epoch));
}

/*
 * A switch that a target takes part in. Pointers are taken from the tasks once, here: from 6.3 on
 * the verifier looks names up in the whole of the kernel's BTF at every load of a pointer from a
 * trusted one, on every path.
 */
static __always_inline void sched_switch_target(unsigned long long *ctx, __u64 now,
						bool has_loop)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct cfs_rq *prev_queue = NULL, *next_queue = NULL;
	struct sched_ring *ring;

	if (sched_config.method == SCHED_METHOD_INFO) {
		prev_queue = prev->se.cfs_rq;
		next_queue = next->se.cfs_rq;
	}
	if (sched_config.want_culprits) {
		ring = slices_here();
		if (ring)
			keep_slices(ring, prev, next, now);
	}
	if (is_target(prev))
		sched_on_out(prev, prev_queue, now, ctx[0], sched_out_state(ctx, prev));
	if (is_target(next))
		sched_on_in(prev, next, next_queue, now, has_loop);
}

static __noinline int sched_switch_loop(unsigned long long *ctx, __u64 now)
{
	sched_switch_target(ctx, now, true);
	return 0;
}

static __noinline int sched_switch_bounded(unsigned long long *ctx, __u64 now)
{
	sched_switch_target(ctx, now, false);
	return 0;
}

/*
 * What every switch pays for. The target's part is a function of its own, and what calls helpers
 * comes before the clock is read, so that all of this stays in registers.
 */
static __always_inline void sched_on_switch(unsigned long long *ctx, bool has_loop)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct sched_ring *ring = NULL;
	__u64 now;

	if (sched_config.want_culprits) {
		if ((sched_out_state(ctx, prev) & TASK_DEAD) && prev->pid == prev->tgid)
			name_departed(prev);
		ring = slices_here();
	} else if (!is_target_either(prev, next)) {
		return;
	}
	now = sched_clock_at(next);
	if (ring)
		note_slice(ring, prev, next, now);
	if (!is_target_either(prev, next))
		return;
	if (has_loop)
		sched_switch_loop(ctx, now);
	else
		sched_switch_bounded(ctx, now);
}

#endif
