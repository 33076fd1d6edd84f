// SPDX-License-Identifier: GPL-2.0-or-later
/* Shared record types. Names are part of the interface: new columns are appended. */
#include "common/records.h"

#include <math.h>

#include "common/util.h"

static const struct column run_columns[] = {
	COLUMN(struct run_row, tool, "tool", NULL, COL_WORD, COL_NO_TABLE, "the program"),
	COLUMN(struct run_row, version, "version", NULL, COL_WORD, COL_NO_TABLE,
	       "of the suite"),
	COLUMN(struct run_row, pid, "pid", NULL, COL_NUMBER, 0,
	       "the target, as the caller's PID namespace numbers it"),
	COLUMN(struct run_row, comm, "comm", NULL, COL_NAME, 0, "its name"),
	COLUMN(struct run_row, cmdline, "cmdline", NULL, COL_NAME, COL_NO_TABLE,
	       "its arguments, cut at 1 KiB"),
	COLUMN(struct run_row, threads, "threads", NULL, COL_COUNT, 0,
	       "its threads when measuring began"),
	COLUMN(struct run_row, start_time, "start_time", "since", COL_TIME, 0,
	       "when measuring began"),
	COLUMN(struct run_row, kernel, "kernel", NULL, COL_NAME, 0, "release"),
	COLUMN(struct run_row, cpus, "cpus", NULL, COL_COUNT, 0, "CPUs online"),
	COLUMN(struct run_row, method, "method", NULL, COL_WORD, 0,
	       "what the numbers are taken from"),
};

const struct record record_run = {
	.name = "run",
	.title = "target",
	.help = "whom and how; printed when measuring begins",
	.flags = RECORD_LIST,
	.columns = run_columns,
	.count = ARRAY_SIZE(run_columns),
};

static const struct column end_columns[] = {
	COLUMN(struct end_row, start_time, "start_time", NULL, COL_TIME, COL_NO_TABLE,
	       "when this report's window began"),
	COLUMN(struct end_row, duration_ns, "duration_ns", "measured for", COL_NS, 0,
	       "length of the window"),
	COLUMN(struct end_row, reason, "reason", "until", COL_WORD, 0,
	       "why it ended: duration, signal, exit or interval"),
	COLUMN(struct end_row, lost_events, "lost_events", "lost events", COL_COUNT, 0,
	       "events that could not be recorded or delivered"),
	COLUMN(struct end_row, full_maps, "full_maps", "full maps", COL_COUNT, 0,
	       "times a table in the kernel had no room"),
	COLUMN(struct end_row, unseen_events, "unseen_events", "unseen events", COL_COUNT,
	       0, "events that the kernel counted but no program could see"),
	COLUMN(struct end_row, unseen_ns, "unseen_ns", "unseen time", COL_NS, 0,
	       "their time, by the kernel's counters"),
};

const struct record record_end = {
	.name = "end",
	.title = "end",
	.help = "closes every interval and the run; says what was lost",
	.flags = RECORD_LIST,
	.columns = end_columns,
	.count = ARRAY_SIZE(end_columns),
};

static const struct column check_columns[] = {
	COLUMN(struct check_row, name, "name", NULL, COL_WORD, COL_KEY,
	       "what is compared"),
	COLUMN(struct check_row, measured, "measured", NULL, COL_COUNT, 0,
	       "the sum of what reached this report's rows and the kernel books too"),
	COLUMN(struct check_row, unseen, "unseen", NULL, COL_COUNT, 0,
	       "booked by the kernel, seen by no program run"),
	COLUMN(struct check_row, open_part, "open_part", "open part", COL_SIGNED, 0,
	       "booked by the kernel, of events that were not seen to end in this interval"),
	COLUMN(struct check_row, kernel, "kernel", NULL, COL_COUNT, 0,
	       "the kernel's own counter over the same span"),
	COLUMN(struct check_row, unit, "unit", NULL, COL_WORD, 0, "of these numbers"),
	COLUMN(struct check_row, difference, "difference", NULL, COL_SIGNED, 0,
	       "measured + unseen + open_part - kernel"),
	COLUMN(struct check_row, difference_pct, "difference_pct", "diff %", COL_PCT, 0,
	       "difference in per cent of kernel"),
	COLUMN(struct check_row, uncounted, "uncounted", NULL, COL_COUNT, 0,
	       "in the rows too, but not booked by the kernel"),
};

const struct record record_check = {
	.name = "check",
	.title = "check against the kernel's own counters",
	.help = "our sums beside the kernel's counters",
	.columns = check_columns,
	.count = ARRAY_SIZE(check_columns),
};

static const struct column cost_columns[] = {
	COLUMN(struct cost_row, program, "program", NULL, COL_WORD, COL_KEY,
	       "BPF program"),
	COLUMN(struct cost_row, runs, "runs", NULL, COL_COUNT, 0, "how often it ran"),
	COLUMN(struct cost_row, total_ns, "total_ns", "total", COL_NS, 0,
	       "its run time, by the kernel's BPF statistics (25 to 35 ns a run are theirs)"),
	COLUMN(struct cost_row, ns_per_run, "ns_per_run", "ns/run", COL_RATIO, 0,
	       "total / runs"),
};

const struct record record_cost = {
	.name = "cost",
	.title = "cost of the measurement",
	.help = "with -v: what measuring itself took",
	.columns = cost_columns,
	.count = ARRAY_SIZE(cost_columns),
};

static const struct column hist_columns[] = {
	COLUMN(struct hist_row, scope, "scope", NULL, COL_WORD, COL_NO_TABLE,
	       "as in latency"),
	COLUMN(struct hist_row, id, "id", NULL, COL_NAME, COL_NO_TABLE, "as in latency"),
	COLUMN(struct hist_row, low_ns, "low_ns", "from", COL_NS, 0, "inclusive"),
	COLUMN(struct hist_row, high_ns, "high_ns", "below", COL_NS, 0, "exclusive"),
	COLUMN(struct hist_row, count, "count", NULL, COL_COUNT, 0, "events"),
};

const struct record record_hist = {
	.name = "hist",
	.title = "distribution",
	.help = "buckets that are not empty; a table joins them to powers of two",
	.flags = RECORD_BARS,
	.columns = hist_columns,
	.count = ARRAY_SIZE(hist_columns),
};

void latency_fill(struct latency_row *row, const struct hist_shape *shape,
		  const void *slots, uint64_t count, uint64_t total_ns, uint64_t max_ns)
{
	static const uint32_t ranks[] = {5000, 9500, 9900, 9990};
	uint64_t quantiles[ARRAY_SIZE(ranks)];

	hist_quantiles(shape, slots, max_ns, ranks, ARRAY_SIZE(ranks), quantiles);
	row->count = count;
	row->total_ns = total_ns;
	row->mean_ns = count ? total_ns / count : COL_NA;
	row->p50_ns = quantiles[0];
	row->p95_ns = quantiles[1];
	row->p99_ns = quantiles[2];
	row->p999_ns = quantiles[3];
	row->max_ns = count ? max_ns : COL_NA;
}

void hist_print(struct out *out, const char *scope, const char *id, const __u64 *slots)
{
	uint32_t step = out->format == OUT_TABLE ? 1U << HIST_BITS : 1, slot, i;
	struct hist_row row = {.scope = scope, .id = id};

	for (slot = 0; slot < HIST_SLOTS; slot += step) {
		row.count = 0;
		for (i = 0; i < step; i++)
			row.count += slots[slot + i];
		row.low_ns = hist_low(&hist_fine, slot);
		row.high_ns = hist_high(&hist_fine, slot + step - 1);
		if (row.count)
			out_row(out, &record_hist, &row);
	}
}

void check_finish(struct check_row *row)
{
	row->difference = (int64_t)(row->measured + row->unseen +
				    (uint64_t)row->open_part - row->kernel);
	if (row->kernel)
		row->difference_pct =
			100.0 * (double)row->difference / (double)row->kernel;
	else
		row->difference_pct = row->difference ? NAN : 0;
}
