// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reader of the sched subject: its maps become one struct sched_report for each epoch.
 * It works on any BPF object that composes bpf/sched.bpf.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/sched.h"
#include "common/bpf.h"
#include "common/hist.h"
#include "common/slots.h"

struct sched_options {
	int method; /* SCHED_AUTO or enum sched_method */
	bool culprits;
	bool follow;
	bool is_command;       /* it may start threads without number */
	bool intervals;	       /* more than one report */
	uint64_t threshold_ns; /* 0 = no slow events */
};

/* How much is taken for granted about the kernel; on failure the next one is tried. */
enum sched_attempt {
	SCHED_ASSUME,	  /* a recent kernel, no questions asked */
	SCHED_PROBE,	  /* what its BTF says */
	SCHED_NO_STORAGE, /* the same, without task storage */
	SCHED_ATTEMPTS
};

#define SCHED_AUTO (-1)

struct sched_thread_row {
	uint32_t tid, tgid; /* as our PID namespace numbers them */
	uint32_t host_tgid;
	char comm[TARGET_COMM];
	struct sched_totals totals;
	uint64_t quantiles[4]; /* p50 p95 p99 p99.9 */
	uint64_t open_ns;      /* 0 = not waiting */
};

struct sched_process_row { /* the sum of its threads; quantiles as coarse as theirs */
	uint32_t tgid, host_tgid;
	char comm[TARGET_COMM];
	struct sched_totals totals;
	uint32_t slots[HIST_COARSE_SLOTS];
	bool no_quantiles; /* a thread of it had no histogram */
	uint64_t open_count, open_ns;
};

struct sched_cpu_row {
	uint32_t cpu;
	struct sched_totals totals;
	uint64_t quantiles[4];
	uint64_t open_count, open_ns;
};

struct sched_culprit_row {
	const char *who; /* process self kernel throttled idle_cpu unresolved */
	uint32_t host_tgid;
	uint32_t tgid;	    /* 0 = not visible from our PID namespace, or there is none */
	uint32_t processes; /* more than one: ended processes of one name, summed */
	bool ended;
	uint32_t flags; /* PF_* */
	char comm[TARGET_COMM];
	uint64_t wait_ns, idle_ns;
};

struct sched_report {
	struct sched_cpu sum;	    /* the process, or all followed ones */
	struct sched_cpu_row *cpus; /* that recorded or hold something */
	size_t cpu_count;
	struct sched_thread_row *threads; /* by total wait, largest first */
	size_t thread_count, thread_room;
	struct sched_process_row *processes; /* by total wait, largest first */
	size_t process_count, process_room;
	struct sched_culprit_row *culprits; /* by wait, largest first */
	size_t culprit_count, culprit_room;
	uint64_t open_count, open_ns;
	struct sched_rest rest; /* ended threads that share a row */
	/* For check: per-thread sums, see sched_reader_report(). */
	uint64_t kernel_ns, kernel_count;
	int64_t open_part_ns, open_part_count;
	uint64_t full_maps, lost_events;
};

struct sched_reader {
	struct bpf_object_state *bpf;
	struct slots slots;
	struct sched_config *config;
	struct kernel kernel;
	struct sched_options options;
	uint32_t hists; /* slots below this have a histogram */
	int cpus_fd, threads_fd, hists_fd, culprits_fd, departed_fd, events_fd;
	uint32_t possible_cpus;
	struct sched_shared *shared;
	uint64_t seen_full, seen_unslotted, seen_culprits;
	/* The report being collected. */
	struct sched_report report;
	bool delivered; /* the caller has it: the next one begins empty */
	uint32_t epoch;
	struct sched_record *living; /* by slot; thread.slot 0 = not there */
};

/* What reader needs of an open skeleton: addresses within its .rodata and .bss. */
struct sched_object {
	struct bpf_object_state *bpf;
	struct sched_config *config;
	struct target_config *target_config;
};

/*
 * Before load: chooses the method, sizes the maps, turns programs on and off. EXIT_OK, or
 * an exit status with its message. When loading fails, the object is opened anew for the next
 * attempt.
 */
int sched_reader_open(struct sched_reader *reader, const struct sched_object *object,
		      const struct sched_options *options, enum sched_attempt attempt,
		      uint32_t pid, uint64_t threads);

/* After load; -ENOTSUP from slots_seed() is passed on by sched_reader_seed(). */
int sched_reader_prepare(struct sched_reader *reader, struct target_shared *target,
			 struct sched_shared *shared, uint32_t pid);
int sched_reader_seed(struct sched_reader *reader);
void sched_reader_begin(struct sched_reader *reader);

/* Takes over the numbers of threads that ended. */
int sched_reader_tick(struct sched_reader *reader);

/*
 * Ends the epoch and returns its report, valid until the next call; NULL on failure with
 * errno. With final nothing is recorded afterwards.
 */
const struct sched_report *sched_reader_report(struct sched_reader *reader, bool final);

/* "sched_info" or "wakeup", for the run record. */
const char *sched_reader_method(const struct sched_reader *reader);

void sched_reader_close(struct sched_reader *reader);

/* Within the reader: report->culprits, at a tick and at the end of an epoch. 0 or -errno. */
int sched_culprits_tick(struct sched_reader *reader);
int sched_culprits_finish(struct sched_reader *reader);
void sched_totals_add(struct sched_totals *sum, const struct sched_totals *part);
void sched_add_to_process(struct sched_report *report, const struct thread_slot *entry,
			  const char *comm, const struct sched_thread_set *set,
			  const uint32_t *buckets, uint64_t open_ns);
void sched_sort(struct sched_report *report);
/* Makes room for one more element: the array, grown, or NULL with errno. */
void *sched_grow(void *array, size_t count, size_t *room, size_t size);
