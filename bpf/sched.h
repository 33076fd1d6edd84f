/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by BPF and C: the sched subject, waits of runnable threads for a CPU. */
#ifndef FAST_SCHED_H
#define FAST_SCHED_H

#include "bpf/hist.h"
#include "bpf/target.h"
#include "bpf/waker.h"

enum sched_method { SCHED_METHOD_INFO, SCHED_METHOD_WAKEUP };
enum sched_kind {
	SCHED_WAKEUP,
	SCHED_PREEMPTED,
	SCHED_YIELD,
	SCHED_THROTTLED,
	SCHED_KINDS
};

#define SCHED_THRESHOLDS 4

struct sched_config {
	__u64 thresholds_ns[SCHED_THRESHOLDS]; /* counted at or above; 0 = not used */
	__u64 slow_ns;	      /* waits this long are sent one by one; 0 = none */
	__s64 preempt_offset; /* from a run queue to its CPU's preempt count */
	__u32 interrupt_mask; /* of its bits */
	__u32 method;
	__u32 has_prev_state; /* sched_switch has a fourth argument, fa2c3254d7cf (5.18) */
	__u32 want_culprits;
	__u32 hist_sets; /* 2 with intervals, else 1 */
	__u32 cpus;
};

struct sched_totals {
	__u64 count, total_ns, max_ns;
	__u64 throttled_ns; /* part of total_ns */
	__u64 kinds[SCHED_KINDS];
	__u64 unseen_events, unseen_ns; /* booked by the kernel, seen by no program run */
	__u64 uncounted_events, uncounted_ns; /* in total_ns, not booked by the kernel */
};

struct sched_rest { /* ended threads that have no slot of their own any more */
	struct sched_totals totals;
	__u64 threads;
	__u64 kernel_ns, kernel_pcount;	     /* booked by sched_info in this epoch */
	__s64 open_part_ns, open_part_count; /* booked, of waits not seen to end in it */
};

struct sched_cpu { /* per CPU, one for each set */
	struct sched_totals totals;
	struct sched_rest rest;
	__u64 over[SCHED_THRESHOLDS];
	__u64 lost_slow;
	__u64 slots[HIST_SLOTS];
};

struct sched_edge {	/* where a thread's counters stood when an epoch began */
	__u64 delay_ns; /* sched_info.run_delay */
	__u64 mark_ns;
	__u64 pcount;	   /* sched_info.pcount */
	__u64 mark_pcount; /* what it was after the last arrival we saw */
	__u64 epoch;	   /* which one; 0 = not noted */
};

struct sched_thread_set {
	struct sched_totals totals;
	__u32 epoch; /* whose numbers these are */
	__u32 pad;
};

struct sched_thread_hist { /* for the threads in the lower slots, at sched_hist_key() */
	__u32 slots[HIST_COARSE_SLOTS];
};

/* One for each slot, or two where an epoch's is read while the next one is filled. */
static inline __u32 sched_hist_key(__u32 slot, __u32 epoch, __u32 sets)
{
	return slot * sets + (epoch & (sets - 1));
}

/*
 * A thread, at its slot. Written by the handlers in the order of the members below and
 * read by the kernel's copy in that order too, so that mark_ns is never newer than epoch.
 */
struct sched_thread {
	__u64 mark_ns;	  /* run_delay after the last arrival we saw */
	__u64 out_at_ns;  /* last switch-out seen (clock of the method) */
	__u64 queued_ns;  /* wakeup method: since when it is queued, 0 = is not */
	__u64 charged_ns; /* of the wait in progress, charged to culprits at a migration */
	__u64 throttled_base_ns, throttled_part_ns;
	__u64 throttled_queue;		  /* whose clock the base is */
	__u64 wait_ns, wait_throttled_ns; /* of the last wait that ended */
	__u64 charge_from_ns, charge_to_ns, charge_throttled_ns; /* for charge_wait() */
	__u64 pcount; /* sched_info.pcount after the last arrival we saw */
	__u32 kind;   /* of the wait in progress or to come */
	__u32 seen;   /* an event came by; before that the seed counts */
	__u32 seeded;
	__u32 unbooked; /* preempted on its way to sleep: the kernel books no wait */
	__u32 waker_tid;
	__u32 waker_context;
	char waker_comm[TARGET_COMM];
	__u32 epoch; /* of its last event */
	struct sched_edge seed;
	struct sched_edge edges[2]; /* by epoch & 1 */
	struct sched_edge final;    /* when it ended */
	struct sched_thread_set sets[2];
};

struct sched_live { /* what the kernel says of a living thread right now */
	__u64 delay_ns, pcount;
	__u64 queued_ns; /* for how long it waits so far; 0 = it does not */
};

struct sched_record { /* what fast-sched's iterator writes for each thread */
	struct thread_view thread;
	struct sched_live live;
};

struct sched_slow {
	__u64 at_ns; /* CLOCK_MONOTONIC */
	__u64 latency_ns;
	__u32 tid, tgid, cpu, kind;
	__u32 prev_tgid, prev_tid;
	__u32 waker_tid, waker_context;
	char comm[TARGET_COMM], prev_comm[TARGET_COMM], waker_comm[TARGET_COMM];
};

/* Culprits: who had the CPU in whose queue a target thread waited. */

#define SCHED_SLICES 1024
#define SCHED_HOT_NS \
	10000000000ULL /* a CPU's slices are kept this long after a target was there */

#define SCHED_TGID_IDLE 0U
#define SCHED_TGID_UNRESOLVED 0xffffffffU
#define SCHED_TGID_THROTTLED 0xfffffffeU

struct sched_slice {
	__u64 end_ns;
	__u32 tgid, tid;
};

struct sched_ring { /* one for each CPU */
	/* Written at each switch of this CPU. */
	__u64 hot_until_ns;
	__u32 head; /* number of slices ever written */
	__u32 on;
	__u32 next_tgid, next_tid; /* who was switched in last */
	__u64 pad[13];
	/* Written when it becomes idle or ceases to be, read by other CPUs. */
	__u64 idle_since_ns;		/* 0 = not idle */
	__u64 idle_from_ns, idle_to_ns; /* the last idle time that ended */
	__u64 pad2[13];
	struct sched_slice slices[SCHED_SLICES];
};

_Static_assert(sizeof(struct sched_ring) % 128 == 0, "CPUs must not share cache lines");

/*
 * Kept for each epoch and, within it, for each generation: user space begins a new one when
 * the map fills up, and empties the old one.
 */
struct sched_culprit_key {
	__u32 tgid;
	__u32 set; /* epoch & 1, generation & 1 in the next bit */
};

struct sched_culprit {
	__u64 wait_ns;
	__u64 idle_ns; /* part during which another CPU was idle (at least) */
	__u32 ns_tgid; /* 0 = not visible from our PID namespace, or not asked yet */
	__u32 flags;   /* PF_* */
	__u32 named;
	__u32 pad;
	char comm[TARGET_COMM];
};

struct sched_shared {
	__u64 culprits_full;  /* charges that found no room */
	__u64 overflow_ns[4]; /* their time, by set */
	__u64 culprits_new;   /* entries ever made */
	__u32 culprit_generation;
	__u32 idle_hint; /* a CPU that was idle lately */
};

struct sched_name { /* of a process that ended */
	__u32 flags, ns_tgid;
	char comm[TARGET_COMM];
};

#endif
