// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Maps to rows. All of an epoch is read after it ended and before its set is used again, so
 * the numbers of one report belong together: what the histogram holds, what each thread's
 * marks say and what the kernel has booked.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "common/util.h"
#include "tools/sched.h"

#define MAX_THREAD_ROWS 65536

static const uint32_t ranks[4] = {5000, 9500, 9900, 9990};

/* The report being collected; emptied once the caller has had the last one. */
static struct sched_report *current_report(struct sched_reader *reader)
{
	struct sched_report *report = &reader->report;

	if (!reader->delivered)
		return report;
	reader->delivered = false;
	report->cpu_count = 0;
	report->thread_count = 0;
	report->process_count = 0;
	report->culprit_count = 0;
	memset(&report->sum, 0, sizeof(report->sum));
	memset(&report->rest, 0, sizeof(report->rest));
	report->open_count = report->open_ns = 0;
	report->kernel_ns = report->kernel_count = 0;
	report->open_part_ns = report->open_part_count = 0;
	report->full_maps = report->lost_events = 0;
	return report;
}

static void take_living(const void *data, void *ctx)
{
	const struct sched_record *record = data;
	struct sched_reader *reader = ctx;

	if (record->thread.slot && record->thread.slot < reader->slots.count) {
		reader->living[record->thread.slot] = *record;
	} else if (!record->thread.slot) {
		/* A thread that we could not measure: the difference in check is its waits. */
		reader->report.kernel_ns += record->live.delay_ns;
		reader->report.kernel_count += record->live.pcount;
	}
}

/*
 * Where the thread's counters stood when the epoch began and when it ended. False when the
 * thread was over before it began.
 */
static bool find_edges(const struct sched_reader *reader, const struct thread_slot *entry,
		       const struct sched_thread *thread, const struct sched_live *live,
		       struct sched_edge *start, struct sched_edge *end)
{
	uint32_t epoch = reader->epoch, last = thread->epoch & ~EPOCH_CLOSED;
	struct sched_edge mark = {.delay_ns = thread->mark_ns,
				  .mark_ns = thread->mark_ns,
				  .pcount = thread->pcount,
				  .mark_pcount = thread->pcount};

	if (!thread->seen || reader->config->method == SCHED_METHOD_WAKEUP)
		mark = thread->seed;
	if (entry->ended && last < epoch)
		return false;
	/* Its beginning is noted by the first event in it, or by the iterator before. */
	if (thread->edges[epoch & 1].epoch == epoch)
		*start = thread->edges[epoch & 1];
	else
		*start = last > epoch ? thread->edges[(epoch + 1) & 1] : mark;
	if (last > epoch) {
		*end = thread->edges[(epoch + 1) & 1];
	} else if (entry->ended) {
		*end = thread->final;
	} else {
		*end = mark;
		if (live) {
			end->delay_ns = live->delay_ns;
			end->pcount = live->pcount;
		}
	}
	return true;
}

static void add_thread_row(struct sched_report *report, const struct thread_slot *entry,
			   const char *comm, const struct sched_thread_set *set,
			   const uint32_t *buckets, uint64_t open_ns)
{
	struct sched_thread_row *row = NULL;

	if (report->thread_count < MAX_THREAD_ROWS)
		row = sched_grow(report->threads, report->thread_count,
				 &report->thread_room, sizeof(*row));
	if (!row) {
		report->full_maps++;
		return;
	}
	report->threads = row;
	row += report->thread_count++;
	memset(row, 0, sizeof(*row));
	row->tid = entry->ns_tid;
	row->tgid = entry->ns_tgid;
	row->host_tgid = entry->tgid;
	row->open_ns = open_ns;
	memcpy(row->comm, comm, sizeof(row->comm));
	if (set)
		row->totals = set->totals;
	memset(row->quantiles, 0xff, sizeof(row->quantiles)); /* COL_NA */
	if (buckets)
		hist_quantiles(&hist_coarse, buckets, set->totals.max_ns, ranks,
			       ARRAY_SIZE(ranks), row->quantiles);
}

static void add_open(struct sched_reader *reader, uint32_t cpu, uint64_t open_ns)
{
	struct sched_report *report = &reader->report;
	size_t i;

	report->open_count++;
	report->open_ns += open_ns;
	for (i = 0; i < report->cpu_count; i++)
		if (report->cpus[i].cpu == cpu) {
			report->cpus[i].open_count++;
			report->cpus[i].open_ns += open_ns;
		}
}

static void add_thread(uint32_t slot, const struct thread_slot *entry, void *ctx)
{
	struct sched_reader *reader = ctx;
	struct sched_report *report = current_report(reader);
	const struct sched_record *living = &reader->living[slot];
	const struct sched_live *live = living->thread.slot ? &living->live : NULL;
	const struct sched_thread_set *set;
	const uint32_t *buckets = NULL;
	struct sched_edge start, end;
	struct sched_thread_hist hist;
	struct sched_thread thread;
	uint64_t open_ns = live ? live->queued_ns : 0;
	uint32_t key;
	const char *comm = entry->ended || !live ? entry->comm : living->thread.comm;
	struct thread_slot now = *entry;

	if (bpf_map_lookup_elem(reader->threads_fd, &slot, &thread) ||
	    !find_edges(reader, entry, &thread, live, &start, &end))
		return;
	report->kernel_ns += end.delay_ns - start.delay_ns;
	report->kernel_count += end.pcount - start.pcount;
	report->open_part_ns += (int64_t)(end.delay_ns - end.mark_ns) -
				(int64_t)(start.delay_ns - start.mark_ns);
	report->open_part_count += (int64_t)(end.pcount - end.mark_pcount) -
				   (int64_t)(start.pcount - start.mark_pcount);
	set = &thread.sets[reader->epoch & 1];
	if (set->epoch != reader->epoch)
		set = NULL;
	key = sched_hist_key(slot, reader->epoch, reader->config->hist_sets);
	if (set && slot < reader->hists &&
	    !bpf_map_lookup_elem(reader->hists_fd, &key, &hist))
		buckets = hist.slots;
	if (live) {
		/* A thread that called execve() goes on under its leader's id. */
		now.tid = living->thread.tid;
		now.ns_tid = living->thread.ns_tid;
	}
	if (open_ns)
		add_open(reader, living->thread.cpu, open_ns);
	if (set && set->totals.count && !buckets)
		report->full_maps++;
	sched_add_to_process(report, &now, comm, set, buckets, open_ns);
	add_thread_row(report, &now, comm, set, buckets, open_ns);
}

/* Threads that ended faster than we came round to read them: one row, and exact sums. */
static void add_rest(struct sched_report *report)
{
	const struct sched_rest *rest = &report->rest;
	const struct sched_thread_set set = {.totals = rest->totals};
	const struct thread_slot nobody = {};
	char comm[TARGET_COMM];

	if (!rest->threads)
		return;
	report->kernel_ns += rest->kernel_ns;
	report->kernel_count += rest->kernel_pcount;
	report->open_part_ns += rest->open_part_ns;
	report->open_part_count += rest->open_part_count;
	snprintf(comm, sizeof(comm), "(ended: %u)", (unsigned int)rest->threads);
	sched_add_to_process(report, &nobody, comm, &set, NULL, 0);
	add_thread_row(report, &nobody, comm, &set, NULL, 0);
}

static void sum_rest(struct sched_rest *sum, const struct sched_rest *part)
{
	sched_totals_add(&sum->totals, &part->totals);
	sum->threads += part->threads;
	sum->kernel_ns += part->kernel_ns;
	sum->kernel_pcount += part->kernel_pcount;
	sum->open_part_ns += part->open_part_ns;
	sum->open_part_count += part->open_part_count;
}

int sched_reader_tick(struct sched_reader *reader)
{
	int err;

	reader->epoch = reader->slots.shared->epoch;
	err = slots_recycle(&reader->slots, add_thread, reader);
	if (!err && reader->options.culprits)
		err = sched_culprits_tick(reader);
	return err;
}

static int read_cpus(struct sched_reader *reader)
{
	size_t size = (sizeof(struct sched_cpu) + 7) / 8 * 8, i;
	struct sched_report *report = &reader->report;
	uint32_t set = reader->epoch & 1, cpu;
	struct sched_cpu_row *row;
	struct sched_cpu *from;
	char *values;
	int err = 0;

	values = calloc(reader->possible_cpus, size);
	free(report->cpus);
	report->cpus = calloc(reader->possible_cpus, sizeof(*report->cpus));
	if (!values || !report->cpus ||
	    bpf_map_lookup_elem(reader->cpus_fd, &set, values))
		err = -errno;
	for (cpu = 0; cpu < reader->possible_cpus && !err; cpu++) {
		from = (struct sched_cpu *)(values + cpu * size);
		sched_totals_add(&report->sum.totals, &from->totals);
		sum_rest(&report->rest, &from->rest);
		report->lost_events += from->lost_slow;
		for (i = 0; i < SCHED_THRESHOLDS; i++)
			report->sum.over[i] += from->over[i];
		for (i = 0; i < HIST_SLOTS; i++)
			report->sum.slots[i] += from->slots[i];
		row = &report->cpus[report->cpu_count++];
		row->cpu = cpu;
		row->totals = from->totals;
		hist_quantiles(&hist_fine, from->slots, from->totals.max_ns, ranks,
			       ARRAY_SIZE(ranks), row->quantiles);
	}
	/* Nobody writes to this set until the epoch after next. */
	if (!err && !(reader->slots.shared->epoch & EPOCH_CLOSED)) {
		memset(values, 0, reader->possible_cpus * size);
		if (bpf_map_update_elem(reader->cpus_fd, &set, values, BPF_ANY))
			err = -errno;
	}
	free(values);
	return err;
}

const struct sched_report *sched_reader_report(struct sched_reader *reader, bool final)
{
	struct sched_report *report = current_report(reader);
	uint64_t full, unslotted;
	int err;

	reader->epoch = slots_next_epoch(&reader->slots, final);
	memset(reader->living, 0, reader->slots.count * sizeof(*reader->living));
	err = bpf_iterate(reader->bpf, "dump_threads", sizeof(struct sched_record),
			  take_living, reader);
	if (!err)
		err = read_cpus(reader);
	if (!err)
		err = slots_walk(&reader->slots, add_thread, reader);
	add_rest(report);
	if (!err && reader->options.culprits)
		err = sched_culprits_finish(reader);
	if (err) {
		errno = -err;
		return NULL;
	}
	slots_epoch_read(&reader->slots, reader->epoch);
	memset(reader->living, 0, reader->slots.count * sizeof(*reader->living));
	if (reader->config->method == SCHED_METHOD_WAKEUP)
		report->open_part_ns = report->open_part_count = 0;
	full = reader->shared->culprits_full;
	unslotted = reader->slots.shared->unslotted;
	report->full_maps += full - reader->seen_full;
	report->lost_events += unslotted - reader->seen_unslotted;
	reader->seen_full = full;
	reader->seen_unslotted = unslotted;
	sched_sort(report);
	reader->delivered = true;
	return report;
}
