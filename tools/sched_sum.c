// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums over threads, and the order of the rows. */
#include "tools/sched.h"

#include <stdlib.h>
#include <string.h>

#include "common/util.h"

void *sched_grow(void *array, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? *room * 2 : 64;
	void *grown;

	if (count < *room)
		return array;
	grown = realloc(array, more * size);
	if (grown)
		*room = more;
	return grown;
}

void sched_totals_add(struct sched_totals *sum, const struct sched_totals *part)
{
	int kind;

	sum->count += part->count;
	sum->total_ns += part->total_ns;
	sum->max_ns = max_of(sum->max_ns, part->max_ns);
	sum->throttled_ns += part->throttled_ns;
	for (kind = 0; kind < SCHED_KINDS; kind++)
		sum->kinds[kind] += part->kinds[kind];
	sum->unseen_events += part->unseen_events;
	sum->unseen_ns += part->unseen_ns;
	sum->uncounted_events += part->uncounted_events;
	sum->uncounted_ns += part->uncounted_ns;
}

static struct sched_process_row *process_of(struct sched_report *report,
					    uint32_t host_tgid)
{
	struct sched_process_row *row, *grown;
	size_t i;

	for (i = report->process_count; i-- > 0;)
		if (report->processes[i].host_tgid == host_tgid)
			return &report->processes[i];
	grown = sched_grow(report->processes, report->process_count,
			   &report->process_room, sizeof(*row));
	if (!grown)
		return NULL;
	report->processes = grown;
	row = &grown[report->process_count++];
	memset(row, 0, sizeof(*row));
	row->host_tgid = host_tgid;
	return row;
}

void sched_add_to_process(struct sched_report *report, const struct thread_slot *entry,
			  const char *comm, const struct sched_thread_set *set,
			  const uint32_t *buckets, uint64_t open_ns)
{
	struct sched_process_row *row = process_of(report, entry->tgid);
	size_t i;

	if (!row) {
		report->full_maps++;
		return;
	}
	row->tgid = entry->ns_tgid;
	if (entry->tid == entry->tgid)
		memcpy(row->comm, comm, sizeof(row->comm));
	row->open_count += open_ns != 0;
	row->open_ns += open_ns;
	if (!set)
		return;
	sched_totals_add(&row->totals, &set->totals);
	if (!buckets)
		row->no_quantiles = true;
	for (i = 0; buckets && i < HIST_COARSE_SLOTS; i++)
		row->slots[i] += buckets[i];
}

static int by_total(const void *a, const void *b)
{
	const struct sched_thread_row *one = a, *two = b;

	if (one->totals.total_ns != two->totals.total_ns)
		return one->totals.total_ns < two->totals.total_ns ? 1 : -1;
	return one->tid < two->tid ? -1 : one->tid > two->tid;
}

static int processes_by_total(const void *a, const void *b)
{
	const struct sched_process_row *one = a, *two = b;

	if (one->totals.total_ns != two->totals.total_ns)
		return one->totals.total_ns < two->totals.total_ns ? 1 : -1;
	return one->tgid < two->tgid ? -1 : one->tgid > two->tgid;
}

void sched_sort(struct sched_report *report)
{
	if (report->thread_count)
		qsort(report->threads, report->thread_count, sizeof(*report->threads),
		      by_total);
	if (report->process_count)
		qsort(report->processes, report->process_count,
		      sizeof(*report->processes), processes_by_total);
}
