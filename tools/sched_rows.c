// SPDX-License-Identifier: GPL-2.0-or-later
/* The sched subject's record types, and a report written as such records. */
#include "tools/sched_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/fmt.h"
#include "common/records.h"
#include "common/util.h"

struct sched_latency_row {
	struct latency_row base;
	uint64_t wakeups, preemptions, yields, throttles, throttled_ns;
};

static const struct column latency_columns[] = {
	LATENCY_COLUMNS,
	COLUMN(struct sched_latency_row, wakeups, "wakeups", "woken", COL_COUNT, 0,
	       "waits that began with a wake-up"),
	COLUMN(struct sched_latency_row, preemptions, "preemptions", "preempt", COL_COUNT,
	       0, "waits that began when it was taken off the CPU"),
	COLUMN(struct sched_latency_row, yields, "yields", NULL, COL_COUNT, COL_OPTIONAL,
	       "waits that began with sched_yield"),
	COLUMN(struct sched_latency_row, throttles, "throttles", NULL, COL_COUNT,
	       COL_OPTIONAL,
	       "waits that began because the cgroup's CPU quota was used up"),
	COLUMN(struct sched_latency_row, throttled_ns, "throttled_ns", "throttled",
	       COL_NS, COL_OPTIONAL,
	       "part of total_ns during which the quota held it back"),
};

const struct record sched_record_latency = {
	.name = "latency",
	.title = "waiting for a CPU",
	.help = "how long threads were runnable without running",
	.columns = latency_columns,
	.count = ARRAY_SIZE(latency_columns),
};

struct over_row {
	uint64_t threshold_ns, count;
};

static const struct column over_columns[] = {
	COLUMN(struct over_row, threshold_ns, "threshold_ns", "at least", COL_NS, 0,
	       "the limit, inclusive"),
	COLUMN(struct over_row, count, "count", "waits", COL_COUNT, 0,
	       "waits of this length or longer"),
};

const struct record sched_record_over = {
	.name = "over",
	.title = "long waits",
	.help = "how many waits reached a limit",
	.columns = over_columns,
	.count = ARRAY_SIZE(over_columns),
};

static const struct column slow_columns[] = {
	COLUMN(struct sched_slow_row, time, "time", NULL, COL_TIME, 0,
	       "when the wait ended"),
	COLUMN(struct sched_slow_row, tid, "tid", NULL, COL_NUMBER, 0,
	       "the thread that waited"),
	COLUMN(struct sched_slow_row, comm, "comm", NULL, COL_NAME, 0, "its name"),
	COLUMN(struct sched_slow_row, cpu, "cpu", NULL, COL_NUMBER, COL_NO_TABLE,
	       "where it ran at last"),
	COLUMN(struct sched_slow_row, latency_ns, "latency_ns", "latency", COL_NS, 0,
	       "how long it waited"),
	COLUMN(struct sched_slow_row, kind, "kind", NULL, COL_WORD, 0,
	       "how the wait began: wakeup, preempted, yield or throttled"),
	COLUMN(struct sched_slow_row, prev_pid, "prev_pid", NULL, COL_NUMBER,
	       COL_NO_TABLE, "process that ran just before on that CPU, 0 = it was idle"),
	COLUMN(struct sched_slow_row, prev_comm, "prev_comm", "ran before", COL_NAME, 0,
	       "its name"),
	COLUMN(struct sched_slow_row, waker_tid, "waker_tid", NULL, COL_NUMBER,
	       COL_NO_TABLE, "thread that woke it; - when an interrupt did"),
	COLUMN(struct sched_slow_row, waker_comm, "waker_comm", "woken by", COL_NAME, 0,
	       "its name"),
	COLUMN(struct sched_slow_row, waker_context, "waker_context", "context", COL_WORD,
	       COL_NO_TABLE, "task, softirq or hardirq"),
};

const struct record sched_record_slow = {
	.name = "slow",
	.help = "single waits of the threshold or longer, live (with -t)",
	.flags = RECORD_LIVE,
	.columns = slow_columns,
	.count = ARRAY_SIZE(slow_columns),
};

struct culprit_row {
	const char *who;
	uint64_t pid;
	const char *comm;
	uint64_t wait_ns;
	double share_pct, elsewhere_idle_pct;
};

static const struct column culprit_columns[] = {
	COLUMN(struct culprit_row, who, "who", NULL, COL_WORD, COL_KEY,
	       "process, self (its own threads), kernel (a kernel thread), throttled (CPU quota), idle_cpu (the CPU was waking up) or unresolved"),
	COLUMN(struct culprit_row, pid, "pid", NULL, COL_NUMBER, COL_KEY,
	       "its process id; all = several ended processes of this name"),
	COLUMN(struct culprit_row, comm, "comm", NULL, COL_NAME, COL_KEY, "its name"),
	COLUMN(struct culprit_row, wait_ns, "wait_ns", "wait", COL_NS, 0,
	       "waiting time of the target during which it had the CPU"),
	COLUMN(struct culprit_row, share_pct, "share_pct", "share %", COL_PCT, 0,
	       "of all waiting time"),
	COLUMN(struct culprit_row, elsewhere_idle_pct, "elsewhere_idle_pct",
	       "idle elsewhere %", COL_PCT, 0,
	       "part of wait_ns during which another CPU was idle, at least: affinity or placement"),
};

const struct record sched_record_culprit = {
	.name = "culprit",
	.title = "who ran instead",
	.help = "what the CPU did while a thread of the target waited in its queue",
	.columns = culprit_columns,
	.count = ARRAY_SIZE(culprit_columns),
};

static const char *text_or_none(const char *text)
{
	return *text ? text : NULL;
}

static uint64_t id_or_none(uint64_t id)
{
	return id ? id : COL_NA;
}

static void print_latency(struct out *out, struct sched_latency_row *row,
			  const struct sched_totals *totals)
{
	row->wakeups = totals->kinds[SCHED_WAKEUP];
	row->preemptions = totals->kinds[SCHED_PREEMPTED];
	row->yields = totals->kinds[SCHED_YIELD];
	row->throttles = totals->kinds[SCHED_THROTTLED];
	row->throttled_ns = totals->throttled_ns;
	out_row(out, &sched_record_latency, row);
}

/* A row whose quantiles have been taken already. */
static void fill_from_totals(struct latency_row *row, const struct sched_totals *totals,
			     const uint64_t *quantiles)
{
	row->count = totals->count;
	row->total_ns = totals->total_ns;
	row->mean_ns = totals->count ? totals->total_ns / totals->count : COL_NA;
	row->p50_ns = quantiles[0];
	row->p95_ns = quantiles[1];
	row->p99_ns = quantiles[2];
	row->p999_ns = quantiles[3];
	row->max_ns = totals->count ? totals->max_ns : COL_NA;
}

static void print_whole(struct out *out, const struct sched_report *report,
			const struct target *target, bool follow)
{
	const struct sched_totals *totals = &report->sum.totals;
	struct sched_latency_row row = {};
	char id[FMT_MAX];

	row.base.scope = follow ? "all" : "process";
	row.base.id = follow ? col_all : fmt_count(id, sizeof(id), (uint64_t)target->pid);
	row.base.comm = follow ? NULL : target->comm;
	latency_fill(&row.base, &hist_fine, report->sum.slots, totals->count,
		     totals->total_ns, totals->max_ns);
	row.base.open_count = report->open_count;
	row.base.open_ns = report->open_ns;
	print_latency(out, &row, totals);
}

static void print_processes(struct out *out, const struct sched_report *report)
{
	const struct sched_process_row *process;
	struct sched_latency_row row = {};
	char id[FMT_MAX];
	size_t i;

	for (i = 0; i < report->process_count; i++) {
		process = &report->processes[i];
		row.base.scope = "process";
		row.base.id =
			process->tgid ? fmt_count(id, sizeof(id), process->tgid) : NULL;
		row.base.comm = text_or_none(process->comm);
		latency_fill(&row.base, &hist_coarse, process->slots,
			     process->totals.count, process->totals.total_ns,
			     process->totals.max_ns);
		if (process->no_quantiles)
			row.base.p50_ns = row.base.p95_ns = row.base.p99_ns =
				row.base.p999_ns = COL_NA;
		row.base.open_count = process->open_count;
		row.base.open_ns = process->open_ns;
		print_latency(out, &row, &process->totals);
	}
}

static void print_cpus(struct out *out, const struct sched_report *report)
{
	const struct sched_cpu_row *cpu;
	struct sched_latency_row row = {};
	char id[FMT_MAX];
	size_t i;

	for (i = 0; i < report->cpu_count; i++) {
		cpu = &report->cpus[i];
		if (!cpu->totals.count && !cpu->open_count)
			continue;
		row.base.scope = "cpu";
		row.base.id = fmt_count(id, sizeof(id), cpu->cpu);
		fill_from_totals(&row.base, &cpu->totals, cpu->quantiles);
		row.base.open_count = cpu->open_count;
		row.base.open_ns = cpu->open_ns;
		print_latency(out, &row, &cpu->totals);
	}
}

static void print_threads(struct out *out, const struct sched_report *report)
{
	const struct sched_thread_row *thread;
	struct sched_latency_row row = {};
	char id[FMT_MAX];
	size_t i;

	for (i = 0; i < report->thread_count; i++) {
		thread = &report->threads[i];
		row.base.scope = "thread";
		row.base.id = thread->tid ? fmt_count(id, sizeof(id), thread->tid) : NULL;
		row.base.comm = text_or_none(thread->comm);
		fill_from_totals(&row.base, &thread->totals, thread->quantiles);
		row.base.open_count = thread->open_ns != 0;
		row.base.open_ns = thread->open_ns;
		print_latency(out, &row, &thread->totals);
	}
}

static void print_over(struct out *out, const struct sched_report *report,
		       const struct sched_config *config)
{
	struct over_row row;
	int i, j;

	for (i = 0; i < SCHED_THRESHOLDS; i++) {
		row.threshold_ns = config->thresholds_ns[i];
		row.count = report->sum.over[i];
		for (j = 0; j < i; j++)
			if (config->thresholds_ns[j] == row.threshold_ns)
				break;
		if (row.threshold_ns && j == i)
			out_row(out, &sched_record_over, &row);
	}
}

static void print_culprits(struct out *out, const struct sched_report *report)
{
	const struct sched_culprit_row *culprit;
	uint64_t total_ns = report->sum.totals.total_ns;
	struct culprit_row row;
	size_t i;

	for (i = 0; i < report->culprit_count; i++) {
		culprit = &report->culprits[i];
		row.who = culprit->who;
		row.pid = culprit->processes > 1 ? COL_ALL : id_or_none(culprit->tgid);
		row.comm = text_or_none(culprit->comm);
		row.wait_ns = culprit->wait_ns;
		row.share_pct =
			total_ns ? 100.0 * (double)row.wait_ns / (double)total_ns : NAN;
		row.elsewhere_idle_pct = row.wait_ns ? 100.0 * (double)culprit->idle_ns /
							       (double)row.wait_ns
						     : NAN;
		out_row(out, &sched_record_culprit, &row);
	}
}

static void print_checks(struct out *out, const struct sched_report *report)
{
	const struct sched_totals *totals = &report->sum.totals;
	struct check_row wait = {
		.name = "runqueue_wait",
		.measured = totals->total_ns - totals->uncounted_ns,
		.unseen = totals->unseen_ns,
		.open_part = report->open_part_ns,
		.kernel = report->kernel_ns,
		.unit = "ns",
		.uncounted = totals->uncounted_ns,
	};
	struct check_row count = {
		.name = "runqueue_count",
		.measured = totals->count - totals->uncounted_events,
		.unseen = totals->unseen_events,
		.open_part = report->open_part_count,
		.kernel = report->kernel_count,
		.unit = "count",
		.uncounted = totals->uncounted_events,
	};

	check_finish(&wait);
	out_row(out, &record_check, &wait);
	check_finish(&count);
	out_row(out, &record_check, &count);
}

void sched_print_report(struct out *out, const struct sched_report *report,
			const struct sched_reader *reader, const struct target *target)
{
	bool follow = reader->options.follow;
	char id[FMT_MAX];

	print_whole(out, report, target, follow);
	if (follow)
		print_processes(out, report);
	if (reader->options.culprits)
		print_culprits(out, report);
	print_over(out, report, reader->config);
	print_cpus(out, report);
	print_threads(out, report);
	hist_print(out, follow ? "all" : "process",
		   follow ? col_all : fmt_count(id, sizeof(id), (uint64_t)target->pid),
		   report->sum.slots);
	if (reader->kernel.has_sched_info)
		print_checks(out, report);
}

void sched_fill_slow(struct sched_slow_row *row, const struct sched_slow *slow,
		     uint64_t wall_clock_ns)
{
	static const char *const kinds[] = {"wakeup", "preempted", "yield", "throttled"};
	static const char *const contexts[] = {NULL, "task", "softirq", "hardirq", NULL};

	row->time = wall_clock_ns;
	row->tid = id_or_none(slow->tid);
	row->comm = slow->comm;
	row->cpu = slow->cpu;
	row->latency_ns = slow->latency_ns;
	row->kind = kinds[slow->kind % SCHED_KINDS];
	row->prev_pid = slow->prev_tgid == TARGET_NONE ? COL_NA : slow->prev_tgid;
	row->prev_comm = slow->prev_comm;
	row->waker_context = contexts[slow->waker_context % ARRAY_SIZE(contexts)];
	row->waker_tid = id_or_none(slow->waker_tid);
	row->waker_comm = slow->waker_tid ? slow->waker_comm : NULL;
}
