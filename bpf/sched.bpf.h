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

#include "bpf/sched_thread.bpf.h"
#include "bpf/waker.bpf.h"

static __always_inline __u32 sched_out_kind(struct task_struct *prev, bool preempt,
					    __u32 state, __u32 now_state)
{
	if (!preempt && state && now_state)
		return SCHED_WAKEUP; /* asleep: the next wait begins with a wake-up */
	if (!preempt &&
	    task_syscall(prev, target_shared.regs_offset) == SYSCALL_SCHED_YIELD)
		return SCHED_YIELD;
	return throttle_begins(prev) ? SCHED_THROTTLED : SCHED_PREEMPTED;
}

static __always_inline void sched_end_thread(struct task_struct *task,
					     struct sched_thread *thread,
					     struct sched_moment *moment, __u32 slot)
{
	sched_set_edge(&thread->final, thread, moment);
	thread_end(task, slot);
}

static __always_inline void sched_on_out(struct task_struct *prev, __u64 now,
					 bool preempt, __u32 state)
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
		if (moment.pcount != thread->pcount)
			sched_find_unseen(thread, &moment, epoch);
		thread->kind = sched_out_kind(prev, preempt, state, now_state);
		thread->out_at_ns = now;
		thread->queued_ns = thread->kind == SCHED_WAKEUP ? 0 : now;
		thread->unbooked = preempt && (state | now_state);
		thread->charged_ns = 0;
		thread->waker_context = WAKER_NONE;
		thread->throttled_part_ns = 0;
		if (sched_config.method == SCHED_METHOD_INFO)
			thread->throttled_base_ns = throttled_clock(prev->se.cfs_rq);
	}
	if ((state | now_state) & TASK_DEAD)
		sched_end_thread(prev, thread, &moment, slot);
}

static __always_inline void sched_send_slow(struct task_struct *prev,
					    struct task_struct *next,
					    struct sched_thread *thread,
					    struct sched_cpu *cpu, __u64 wait_ns,
					    __u32 kind)
{
	struct sched_slow *slow = bpf_ringbuf_reserve(&sched_events, sizeof(*slow), 0);

	if (!slow) {
		cpu->lost_slow++;
		return;
	}
	slow->at_ns = bpf_ktime_get_ns();
	slow->latency_ns = wait_ns;
	slow->tid = task_ns_id(next);
	slow->tgid = task_ns_id(next->group_leader);
	slow->cpu = bpf_get_smp_processor_id();
	slow->kind = kind;
	slow->prev_tgid = task_ns_id(prev->group_leader);
	slow->prev_tid = task_ns_id(prev);
	slow->waker_tid = thread->waker_tid;
	slow->waker_context = thread->waker_context;
	__builtin_memcpy(slow->comm, next->comm, sizeof(slow->comm));
	bpf_core_read(slow->prev_comm, sizeof(slow->prev_comm),
		      &prev->group_leader->comm);
	__builtin_memcpy(slow->waker_comm, thread->waker_comm, sizeof(slow->waker_comm));
	bpf_ringbuf_submit(slow, 0);
}

static __always_inline void sched_add_to_slots(struct sched_cpu *cpu, __u64 wait_ns)
{
	__u32 slot = hist_slot(wait_ns, HIST_BITS), i;

	if (slot < HIST_SLOTS)
		cpu->slots[slot]++;
	for (i = 0; i < SCHED_THRESHOLDS; i++)
		if (sched_config.thresholds_ns[i] &&
		    wait_ns >= sched_config.thresholds_ns[i])
			cpu->over[i]++;
}

static __always_inline void sched_record(struct task_struct *prev,
					 struct task_struct *next,
					 struct sched_thread *thread, __u64 wait_ns,
					 __u64 throttled_ns, __u32 epoch)
{
	struct sched_thread_set *set = sched_set_now(thread, epoch);
	struct sched_cpu *cpu = sched_cpu_now(epoch);
	__u32 kind = thread->kind, slot;

	if (!cpu)
		return;
	sched_add(&cpu->totals, wait_ns, kind, throttled_ns);
	sched_add_to_slots(cpu, wait_ns);
	sched_add(&set->totals, wait_ns, kind, throttled_ns);
	slot = hist_coarse_slot(wait_ns);
	if (slot < HIST_COARSE_SLOTS)
		set->slots[slot]++;
	if (sched_config.slow_ns && wait_ns >= sched_config.slow_ns)
		sched_send_slow(prev, next, thread, cpu, wait_ns, kind);
}

/* How long this wait was; 0 with *ended false when there was none to be seen. */
static __always_inline __u64 sched_wait(struct sched_thread *thread,
					struct sched_moment *moment, bool *ended)
{
	__u64 wait_ns;

	*ended = true;
	if (moment->queued_at) {
		wait_ns = moment->delay_ns - thread->mark_ns +
			  clock_since(moment->now, moment->queued_at);
		thread->mark_ns += wait_ns;
		thread->pcount++;
		thread->queued_ns = 0;
		return wait_ns;
	}
	*ended = thread->unbooked && thread->out_at_ns;
	return *ended ? clock_since(moment->now, thread->out_at_ns) : 0;
}

static __always_inline void sched_on_in(struct task_struct *prev,
					struct task_struct *next, struct sched_ring *ring,
					__u32 cpu_id, __u64 now, bool has_loop)
{
	struct sched_thread *thread = sched_thread_at(thread_slot(next));
	__u64 wait_ns, throttled_ns = 0, charged_ns, throttled_charged;
	__u32 epoch = target_shared.epoch;
	struct sched_moment moment;
	struct sched_cpu *cpu;
	bool ended;

	if (!thread) {
		if (epoch && !(epoch & EPOCH_CLOSED))
			__sync_fetch_and_add(&target_shared.unslotted, 1);
		return;
	}
	sched_sample(next, now, &moment, thread);
	if (!sched_enter(thread, &moment, epoch))
		return;
	if (moment.pcount != thread->pcount)
		sched_find_unseen(thread, &moment, epoch);
	wait_ns = sched_wait(thread, &moment, &ended);
	if (!ended || !epoch)
		return;
	throttled_charged = thread->throttled_part_ns;
	if (sched_config.method == SCHED_METHOD_INFO)
		throttled_ns =
			throttled_charged + excess(throttled_clock(next->se.cfs_rq),
						   thread->throttled_base_ns);
	if (throttled_ns > wait_ns)
		throttled_ns = wait_ns;
	sched_record(prev, next, thread, wait_ns, throttled_ns, epoch);
	if (!moment.queued_at) {
		cpu = sched_cpu_now(epoch);
		if (cpu) {
			cpu->totals.uncounted_events++;
			cpu->totals.uncounted_ns += wait_ns;
		}
	}
	if (!ring)
		return;
	charged_ns = thread->charged_ns < wait_ns ? thread->charged_ns : wait_ns;
	charge_wait(ring, cpu_id, ring->slices[(ring->head - 1) % SCHED_SLICES].tgid,
		    ring->head - 2, now - (wait_ns - charged_ns), now,
		    excess(throttled_ns, throttled_charged), epoch, has_loop);
	name_culprit(prev, epoch & 1);
}

static __always_inline void sched_on_switch(bool preempt, struct task_struct *prev,
					    struct task_struct *next, __u32 state,
					    bool has_loop)
{
	bool out = is_target(prev), in = is_target(next);
	struct sched_ring *ring = NULL;
	__u32 cpu = 0;
	__u64 now = 0;

	if (!out && !in && !sched_config.want_culprits)
		return;
	now = sched_clock_of(next);
	if (sched_config.want_culprits) {
		cpu = bpf_get_smp_processor_id();
		ring = note_slice(prev, next, cpu, now, out || in);
		if (state & TASK_DEAD)
			name_departed(prev);
	}
	if (out)
		sched_on_out(prev, now, preempt, state);
	if (in)
		sched_on_in(prev, next, ring, cpu, now, has_loop);
}

/*
 * Under the lock of the queue that it leaves, when it was in one: the part of its wait that
 * the kernel has just booked is charged to whoever ran on the old CPU.
 */
static __always_inline void sched_on_migrate(struct task_struct *task, __u32 dest,
					     bool has_loop)
{
	struct sched_thread *thread = sched_thread_at(thread_slot(task));
	struct rq *rq = task->se.cfs_rq->rq;
	__u64 part_ns, throttled_ns, now = rq->clock;
	__u32 cpu = rq->cpu, epoch = target_shared.epoch;
	struct sched_ring *ring;

	ring = bpf_map_lookup_elem(&sched_rings, &dest);
	if (ring && sched_config.want_culprits)
		ring->hot_until_ns = now + SCHED_HOT_NS;
	if (!thread || !thread->seen || !epoch || (epoch & EPOCH_CLOSED))
		return;
	part_ns =
		excess(task->sched_info.run_delay, thread->mark_ns + thread->charged_ns);
	throttled_ns =
		excess(throttled_clock(task->se.cfs_rq), thread->throttled_base_ns);
	thread->throttled_base_ns = throttled_clock_on(task, dest);
	if (!part_ns)
		return;
	if (throttled_ns > part_ns)
		throttled_ns = part_ns;
	thread->charged_ns += part_ns;
	thread->throttled_part_ns += throttled_ns;
	ring = bpf_map_lookup_elem(&sched_rings, &cpu);
	if (ring && sched_config.want_culprits)
		charge_wait(ring, cpu, rq->curr->tgid, ring->head - 1, now - part_ns, now,
			    throttled_ns, epoch, has_loop);
}

static __always_inline void sched_on_waking(struct task_struct *task)
{
	struct sched_thread *thread = sched_thread_at(thread_slot(task));
	struct task_struct *current = (void *)bpf_get_current_task();

	if (!thread)
		return;
	thread->waker_context = waker_context(current, sched_config.preempt_offset);
	thread->waker_tid = 0;
	if (thread->waker_context != WAKER_TASK)
		return;
	thread->waker_tid = task_ns_id(current);
	bpf_get_current_comm(thread->waker_comm, sizeof(thread->waker_comm));
}

/* The target is put into a queue: the wait begins here for the wakeup method, and with a
 * quota in force this is the moment from which throttled time is this wait's. */
static __always_inline void sched_on_wakeup(struct task_struct *task)
{
	struct sched_thread *thread = sched_thread_at(thread_slot(task));

	if (!thread)
		return;
	if (sched_config.method == SCHED_METHOD_WAKEUP) {
		if (!thread->queued_ns)
			thread->queued_ns = bpf_ktime_get_ns();
		return;
	}
	thread->throttled_base_ns = throttled_clock(task->se.cfs_rq);
}

#endif
