/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is measured. */
#ifndef FAST_TARGET_BPF_H
#define FAST_TARGET_BPF_H

#include <vmlinux.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/compat.bpf.h"
#include "bpf/target.h"

const volatile struct target_config target_config = {};
volatile struct target_shared target_shared = {};

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

/*
 * Keeps the set of targets right and says whether the new task is one. The new task has not
 * run yet and its parent is current.
 */
static __always_inline bool target_new(struct task_struct *task)
{
	__u32 tgid = task->tgid;

	if (task->pid != task->tgid)
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

#endif
