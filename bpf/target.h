/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by BPF and C: whom we measure, when, and where a thread's numbers are kept. */
#ifndef FAST_TARGET_H
#define FAST_TARGET_H

#ifndef __VMLINUX_H__ /* a full one has these types itself */
#include <linux/types.h>
#endif

/*
 * The window. 0: attached, not yet measuring. 1, 2, ...: the interval being measured; its
 * numbers go to set (epoch & 1) while the other set is read. With EPOCH_CLOSED set the run
 * is over: a thread's first event then still notes where its counters stood, and nothing
 * else is recorded.
 */
#define EPOCH_CLOSED 0x80000000U

#define TARGET_COMM 16
#define TARGET_FILTER 65536

struct target_config {
	__u32 follow;		/* children of the target are targets too */
	__u32 use_storage;	/* task storage holds the slot, else a hash by tid */
	__u32 has_task_pt_regs; /* the helper, 5.15 */
	__u32 pad;
};

struct target_shared {
	/* Read at each switch of the machine; nothing that is written often may be near. */
	__u32 tgid; /* the target, as the initial PID namespace numbers it */
	__u32 epoch;
	__u32 ns_level; /* depth of our PID namespace; ids are shown as seen from it */
	__u32 pad[29];
	__u64 unslotted; /* switches of threads that got no slot: not measured, so reported */
	__s64 clock_ahead; /* CLOCK_MONOTONIC minus the run queue clock, ns; smallest since reset */
	__u32 clock_known;
	__u32 storage_failed; /* task storage could not be created */
	__u32 seed_slot;      /* next slot for threads that exist at the start */
	__u32 seed_end;	      /* first one that is not for them */
	__u64 regs_offset;    /* found by find_regs, see task_syscall() */
	__u32 self_tgid;
	__u32 find_ns_tgid;   /* in: the pid the user gave, for find_target */
	__u32 found_children; /* out: by find_children, in one pass */
	__u32 read_epoch;     /* user space is done with this one and all before */
	/* By tgid modulo its size, only ever set: a first guess when following. Bytes, since two
	 * CPUs may fork at once. */
	__u8 filter[TARGET_FILTER];
};

/* One for each slot, at the same index in every subject's array. Slot 0 is not used. */
struct thread_slot {
	__u32 tid, tgid;       /* initial PID namespace */
	__u32 ns_tid, ns_tgid; /* our PID namespace */
	__u32 in_use;
	__u32 ended;
	__u32 born_epoch, last_epoch; /* when it was given a slot, when it ended */
	char comm[TARGET_COMM];	      /* when it ended */
};

/* What the iterator writes for each living thread, before the subjects' own parts. */
struct thread_view {
	__u32 slot; /* 0: has none */
	__u32 tid, tgid;
	__u32 ns_tid, ns_tgid;
	__u32 cpu;
	char comm[TARGET_COMM];
};

#define TARGET_NONE 0xffffffffU /* no process has this tgid */

_Static_assert(sizeof(struct thread_slot) == 48, "read by user space");
_Static_assert(sizeof(struct thread_view) == 40, "read by user space");

#endif
