/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The slot that holds each thread's numbers.
 *
 * A slot is given to a thread before it first runs: by the iterator at the start, later when
 * it is new, where task storage can be created safely. The switch handlers only look it up. A
 * thread that ended keeps its slot until user space has read it and puts its number back into
 * free_slots, or, when user space does not get to run and no slot is left, until a new thread
 * needs it: see slot_reclaim().
 */
#ifndef FAST_SLOTS_BPF_H
#define FAST_SLOTS_BPF_H

#include "bpf/target.bpf.h"

#define RECLAIM_TRIES 8

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u32);
} thread_slots SEC(".maps");

/* Where there is no task storage (before 5.11), and for the few threads for which there was no
 * memory: by the task's address, which, unlike its tid, no execve() changes. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __u32);
} thread_slots_by_task SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct thread_slot);
} thread_table SEC(".maps");

struct { /* to be used first: the lower slots, for which subjects may keep more */
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 1);
	__type(value, __u32);
} free_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 1);
	__type(value, __u32);
} spare_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 1);
	__type(value, __u32);
} ended_slots SEC(".maps");

static __always_inline __u32 *slot_of(struct task_struct *task)
{
	__u64 address = (__u64)task;
	__u32 *slot;

	if (target_config.use_storage) {
		slot = bpf_task_storage_get(&thread_slots, task, NULL, 0);
		if (slot || !target_shared.storage_failed)
			return slot;
	}
	return bpf_map_lookup_elem(&thread_slots_by_task, &address);
}

/* The thread's slot, 0 when it has none. */
static __always_inline __u32 thread_slot(struct task_struct *task)
{
	__u32 *slot = slot_of(task);

	return slot ? *slot : 0;
}

static __always_inline bool slot_store(struct task_struct *task, __u32 slot)
{
	__u64 address = (__u64)task;
	__u32 *stored;

	if (target_config.use_storage) {
		stored = bpf_task_storage_get(&thread_slots, task, NULL,
					      BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (stored) {
			*stored = slot;
			return true;
		}
		__sync_fetch_and_add(&target_shared.storage_failed, 1);
	}
	return bpf_map_update_elem(&thread_slots_by_task, &address, &slot, BPF_ANY) == 0;
}

/* Gives the slot to a thread. The caller has initialised the subjects' arrays at it. */
static __always_inline bool thread_register(struct task_struct *task, __u32 slot)
{
	struct thread_slot *entry = bpf_map_lookup_elem(&thread_table, &slot);

	if (!entry || !slot) {
		__sync_fetch_and_add(&target_shared.unslotted, 1);
		return false;
	}
	if (!slot_store(task, slot)) {
		__sync_fetch_and_add(&target_shared.unslotted, 1);
		entry->in_use = 0;
		/* Back to where it came from, which has room for it. */
		if (bpf_map_push_elem(&free_slots, &slot, BPF_ANY))
			__sync_fetch_and_add(&target_shared.unslotted, 1);
		return false;
	}
	entry->tid = task->pid;
	entry->tgid = task->tgid;
	entry->ns_tid = task_ns_id(task);
	entry->ns_tgid = task_ns_id(BPF_CORE_READ(task, group_leader));
	entry->born_epoch = target_shared.epoch;
	entry->ended = 0;
	entry->in_use = 1;
	return true;
}

/* Whether the process ends with this thread. Only asked at its leader's end: a leader that goes
 * before its threads leaves the entry to whoever gets the number next. */
static __always_inline bool ends_process(struct task_struct *task)
{
	return task->pid == task->tgid && BPF_CORE_READ(task, signal, live.counter) == 0;
}

/* To be called after the subjects have read their final counters. */
static __always_inline void thread_end(struct task_struct *task, __u32 slot, __u32 epoch)
{
	struct thread_slot *entry = bpf_map_lookup_elem(&thread_table, &slot);
	__u32 tid = task->pid, tgid = task->tgid, *stored = slot_of(task);
	__u64 address = (__u64)task;

	if (!entry)
		return;
	__builtin_memcpy(entry->comm, task->comm, sizeof(entry->comm));
	/* execve() by a thread that is not the leader gives it the leader's id. The leader, which
	 * may not be quite gone, gets that thread's: its numbers stay with the id it had. */
	if (task->pid == task->tgid) {
		if (tid != entry->tid && !target_shared.ns_level)
			entry->ns_tid = tid;
		entry->tid = tid;
	}
	entry->last_epoch = epoch;
	entry->ended = 1;
	/* A zombie's task lives on, its slot soon belongs to another thread. */
	if (stored)
		*stored = 0;
	/* Cannot be full: it holds as many as there are slots. */
	if (bpf_map_push_elem(&ended_slots, &slot, BPF_ANY))
		__sync_fetch_and_add(&target_shared.unslotted, 1);
	if (!target_config.use_storage || target_shared.storage_failed)
		bpf_map_delete_elem(&thread_slots_by_task, &address);
	if (target_config.follow && ends_process(task))
		bpf_map_delete_elem(&targets, &tgid);
}

/* Fills a slot from the free ones; 0 when there is none. */
static __always_inline __u32 slot_take(void)
{
	__u32 slot = 0;

	if (bpf_map_pop_elem(&free_slots, &slot) && bpf_map_pop_elem(&spare_slots, &slot))
		return 0;
	return slot;
}

/*
 * When none is free: the slot of an ended thread. Each subject adds what it holds of this epoch
 * to the numbers of the rest before it is used again. A thread of which user space still reads
 * an earlier epoch keeps its slot. 0 when there is none.
 */
static __always_inline __u32 slot_reclaim(__u32 epoch)
{
	__u32 i, slot, read = target_shared.read_epoch;
	struct thread_slot *entry;

#pragma unroll
	for (i = 0; i < RECLAIM_TRIES; i++) {
		slot = 0;
		if (bpf_map_pop_elem(&ended_slots, &slot))
			return 0;
		entry = bpf_map_lookup_elem(&thread_table, &slot);
		if (!entry)
			return 0;
		if (entry->last_epoch <= read ||
		    (entry->last_epoch == epoch &&
		     (entry->born_epoch == epoch || read + 1 == epoch)))
			return slot;
		if (bpf_map_push_elem(&ended_slots, &slot, BPF_ANY))
			__sync_fetch_and_add(&target_shared.unslotted, 1);
	}
	return 0;
}

#endif
