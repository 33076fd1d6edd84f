/* SPDX-License-Identifier: GPL-2.0-only */
/* Single waits that reach the threshold, with who woke the thread and what ran before. */
#ifndef FAST_SCHED_SLOW_BPF_H
#define FAST_SCHED_SLOW_BPF_H

#include "bpf/sched_thread.bpf.h"
#include "bpf/waker.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} sched_events SEC(".maps");

static __always_inline void sched_send_slow(struct task_struct *prev,
					    struct task_struct *next,
					    struct sched_thread *thread, __u32 epoch)
{
	struct sched_slow *slow = bpf_ringbuf_reserve(&sched_events, sizeof(*slow), 0);
	struct sched_cpu *cpu;
	__u32 tgid;

	if (!slow) {
		cpu = sched_cpu_now(epoch);
		if (cpu)
			cpu->lost_slow++;
		return;
	}
	slow->at_ns = bpf_ktime_get_ns();
	slow->latency_ns = thread->wait_ns;
	slow->tid = task_ns_id(next);
	slow->tgid = task_ns_id(BPF_CORE_READ(next, group_leader));
	slow->cpu = bpf_get_smp_processor_id();
	slow->kind = thread->kind;
	slow->prev_tgid = 0;
	if (prev->pid) {
		tgid = task_ns_id(BPF_CORE_READ(prev, group_leader));
		slow->prev_tgid = tgid ? tgid : TARGET_NONE;
	}
	slow->prev_tid = task_ns_id(prev);
	slow->waker_tid = thread->waker_tid;
	slow->waker_context = thread->waker_context;
	__builtin_memcpy(slow->comm, next->comm, sizeof(slow->comm));
	BPF_CORE_READ_INTO(&slow->prev_comm, prev, group_leader, comm);
	__builtin_memcpy(slow->waker_comm, thread->waker_comm, sizeof(slow->waker_comm));
	bpf_ringbuf_submit(slow, 0);
}

static __always_inline void sched_on_waking(struct task_struct *task)
{
	struct sched_thread *thread = sched_thread_at(thread_slot(task));
	struct task_struct *current = (void *)bpf_get_current_task();

	if (!thread)
		return;
	thread->waker_context = waker_context(current, sched_config.preempt_offset,
					      sched_config.interrupt_mask);
	thread->waker_tid = 0;
	if (thread->waker_context != WAKER_TASK)
		return;
	thread->waker_tid = task_ns_id(current);
	bpf_get_current_comm(thread->waker_comm, sizeof(thread->waker_comm));
}

#endif
