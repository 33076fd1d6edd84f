/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who is measured, and the slot that holds each of its threads' numbers.
 *
 * A slot is given to a thread before it first runs: by the iterator at the start, by
 * task_newtask later, both in process context, where task storage can be created safely.
 * The switch handlers only look it up. A thread that ended keeps its slot until user space
 * has read it and puts its number back into free_slots, or, when user space does not get to
 * run and no slot is left, until a new thread needs it: see slot_reclaim().
 */
#ifndef FAST_TARGET_BPF_H
#define FAST_TARGET_BPF_H

#include <vmlinux.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/compat.bpf.h"
#include "bpf/target.h"

#define CLONE_THREAD 0x00010000
#define RECLAIM_TRIES 8

const volatile struct target_config target_config = {};
volatile struct target_shared target_shared = {};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u32);
} thread_slots SEC(".maps");

/* Where there is no task storage (before 5.11): by the task's address, which, unlike its tid,
 * no execve() changes. */
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

struct { /* the processes followed, by tgid */
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} targets SEC(".maps");

/* What a foreign task pays: one load and one compare of its tgid, or a byte when following. */
static __always_inline bool is_target_tgid(__u32 tgid)
{
	__u32 key;

	if (!target_config.follow)
		return tgid == target_shared.tgid;
	if (!target_shared.filter[tgid % TARGET_FILTER])
		return false;
	key = tgid; /* only here it needs to be in memory */
	return bpf_map_lookup_elem(&targets, &key) != NULL;
}

static __always_inline bool is_target(struct task_struct *task)
{
	return is_target_tgid(task->tgid);
}

/* The same for both tasks of a switch, with one load of who is measured. */
static __always_inline bool is_target_either(struct task_struct *one,
					     struct task_struct *other)
{
	int tgid;

	if (target_config.follow)
		return is_target(one) || is_target(other);
	tgid = (int)target_shared.tgid;
	return one->tgid == tgid || other->tgid == tgid;
}

static __always_inline bool follow_tgid(__u32 tgid)
{
	__u32 one = 1;

	target_shared.filter[tgid % TARGET_FILTER] = 1;
	if (bpf_map_update_elem(&targets, &tgid, &one, BPF_ANY) == 0)
		return true;
	__sync_fetch_and_add(&target_shared.unslotted, 1);
	return false;
}

static __always_inline __u32 *slot_of(struct task_struct *task)
{
	__u64 address = (__u64)task;

	if (target_config.use_storage)
		return bpf_task_storage_get(&thread_slots, task, NULL, 0);
	return bpf_map_lookup_elem(&thread_slots_by_task, &address);
}

/* The thread's slot, 0 when it has none. */
static __always_inline __u32 thread_slot(struct task_struct *task)
{
	__u32 *slot = slot_of(task);

	return slot ? *slot : 0;
}

/*
 * The id by which our PID namespace knows the task, 0 when it does not. For any task
 * pointer, also one that the verifier does not vouch for.
 */
static __always_inline __u32 task_ns_id(struct task_struct *task)
{
	__u32 level = target_shared.ns_level;
	struct upid *upid = NULL;
	struct pid *pid;
	__u32 nr = 0;

	if (!level)
		return BPF_CORE_READ(task, pid);
	pid = BPF_CORE_READ(task, thread_pid);
	if (!pid || BPF_CORE_READ(pid, level) < level)
		return 0;
	bpf_probe_read_kernel(&nr, sizeof(nr),
			      (void *)pid + bpf_core_field_offset(pid->numbers) +
				      level * bpf_core_type_size(struct upid) +
				      bpf_core_field_offset(upid->nr));
	return nr;
}

static __always_inline bool slot_store(struct task_struct *task, __u32 slot)
{
	__u64 address = (__u64)task;
	__u32 *stored;

	if (!target_config.use_storage)
		return bpf_map_update_elem(&thread_slots_by_task, &address, &slot,
					   BPF_ANY) == 0;
	stored = bpf_task_storage_get(&thread_slots, task, NULL,
				      BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (stored)
		*stored = slot;
	return stored != NULL;
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
		__sync_fetch_and_add(&target_shared.storage_failed, 1);
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
	/* execve() by a thread that is not the leader changes its id. */
	if (tid != entry->tid && !target_shared.ns_level)
		entry->ns_tid = tid;
	entry->tid = tid;
	entry->last_epoch = epoch;
	entry->ended = 1;
	/* A zombie's task lives on, its slot soon belongs to another thread. */
	if (stored)
		*stored = 0;
	/* Cannot be full: it holds as many as there are slots. */
	if (bpf_map_push_elem(&ended_slots, &slot, BPF_ANY))
		__sync_fetch_and_add(&target_shared.unslotted, 1);
	if (!target_config.use_storage)
		bpf_map_delete_elem(&thread_slots_by_task, &address);
	if (target_config.follow && ends_process(task))
		bpf_map_delete_elem(&targets, &tgid);
}

/*
 * At task_newtask: keeps the set of targets right and says whether the new task is one.
 * The new task has not run yet and its parent is current.
 */
static __always_inline bool target_newtask(struct task_struct *task, __u64 clone_flags)
{
	__u32 tgid = task->tgid;

	if (clone_flags & CLONE_THREAD)
		return is_target_tgid(tgid);
	if (!target_config.follow) {
		/* The target's number was given to a new process: the target is gone. */
		if (tgid == target_shared.tgid)
			target_shared.tgid = TARGET_NONE;
		return false;
	}
	if (is_target_tgid(bpf_get_current_pid_tgid() >> 32)) {
		return follow_tgid(tgid);
	}
	if (is_target_tgid(tgid))
		bpf_map_delete_elem(&targets, &tgid);
	return false;
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
