// SPDX-License-Identifier: GPL-2.0-or-later
/* The sched subject as records. */
#pragma once

#include "common/out.h"
#include "common/target.h"
#include "tools/sched.h"

struct sched_slow_row {
	uint64_t time, tid;
	const char *comm;
	uint64_t cpu, latency_ns;
	const char *kind;
	uint64_t prev_pid;
	const char *prev_comm;
	uint64_t waker_tid;
	const char *waker_comm, *waker_context;
};

extern const struct record sched_record_latency, sched_record_over, sched_record_slow,
	sched_record_culprit;

/* All but the slow rows: latency, over, culprit, hist, check. */
void sched_print_report(struct out *out, const struct sched_report *report,
			const struct sched_reader *reader, const struct target *target);

/* The row points into slow. */
void sched_fill_slow(struct sched_slow_row *row, const struct sched_slow *slow,
		     uint64_t wall_clock_ns);
