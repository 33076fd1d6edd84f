// SPDX-License-Identifier: GPL-2.0-or-later
/* The record types that all tools share. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/col.h"
#include "common/hist.h"
#include "common/out.h"

struct run_row {
	const char *tool, *version;
	uint64_t pid;
	const char *comm, *cmdline;
	uint64_t threads, start_time;
	const char *kernel;
	uint64_t cpus;
	const char *method;
};

struct end_row {
	uint64_t start_time, duration_ns;
	const char *reason;
	uint64_t lost_events, full_maps, unseen_events, unseen_ns;
};

struct check_row {
	const char *name;
	uint64_t measured, unseen;
	int64_t open_part;
	uint64_t kernel;
	const char *unit;
	int64_t difference;
	double difference_pct;
	uint64_t uncounted;
};

struct cost_row {
	const char *program;
	uint64_t runs, total_ns;
	double ns_per_run;
};

struct hist_row {
	const char *scope, *id;
	uint64_t low_ns, high_ns, count;
};

/* The beginning of every latency row; a tool's row embeds it first and adds columns. */
struct latency_row {
	const char *scope, *id, *comm;
	uint64_t count, total_ns, mean_ns;
	uint64_t p50_ns, p95_ns, p99_ns, p999_ns, max_ns;
	uint64_t open_count, open_ns;
};

/* clang-format off */
#define LATENCY_COLUMNS \
	COLUMN(struct latency_row, scope, "scope", NULL, COL_WORD, COL_KEY | COL_GROUP, "what the row is about"), \
	COLUMN(struct latency_row, id, "id", NULL, COL_NAME, COL_KEY, "pid, tid, CPU, device or word, by scope"), \
	COLUMN(struct latency_row, comm, "comm", NULL, COL_NAME, COL_KEY, "name of the process or thread"), \
	COLUMN(struct latency_row, count, "count", NULL, COL_COUNT, 0, "events that ended"), \
	COLUMN(struct latency_row, total_ns, "total_ns", "total", COL_NS, 0, "their sum"), \
	COLUMN(struct latency_row, mean_ns, "mean_ns", "mean", COL_NS, COL_NO_TABLE, "total / count"), \
	COLUMN(struct latency_row, p50_ns, "p50_ns", "p50", COL_NS, 0, "half of the events took at most this"), \
	COLUMN(struct latency_row, p95_ns, "p95_ns", "p95", COL_NS, 0, "95 % took at most this"), \
	COLUMN(struct latency_row, p99_ns, "p99_ns", "p99", COL_NS, 0, "99 % took at most this"), \
	COLUMN(struct latency_row, p999_ns, "p999_ns", "p99.9", COL_NS, COL_NO_TABLE, "99.9 % took at most this"), \
	COLUMN(struct latency_row, max_ns, "max_ns", "max", COL_NS, 0, "the longest, exactly"), \
	COLUMN(struct latency_row, open_count, "open_count", "open", COL_COUNT, COL_NO_TABLE, "events in progress at the end"), \
	COLUMN(struct latency_row, open_ns, "open_ns", "open", COL_NS, COL_OPTIONAL, "their time so far")
/* clang-format on */

extern const struct record record_run, record_end, record_check, record_cost, record_hist;

/* Fills count, total, mean and the quantiles from a histogram. */
void latency_fill(struct latency_row *row, const struct hist_shape *shape,
		  const void *slots, uint64_t count, uint64_t total_ns, uint64_t max_ns);

/* The hist rows of a fine histogram (HIST_SLOTS counters). In a table each row is a power of
 * two, so that it fits a screen. */
void hist_print(struct out *out, const char *scope, const char *id, const __u64 *slots);

/* difference and difference_pct from the other columns. */
void check_finish(struct check_row *row);
