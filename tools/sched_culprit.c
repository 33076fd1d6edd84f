// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whom the waits are charged to. Entries are taken out of the kernel's map at the end of an
 * epoch, and earlier when many have come up, so short-lived processes without number are no
 * matter; those that ended share a row for each name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "common/proc.h"
#include "tools/sched.h"

#define TAKE_OUT_AT 1024 /* new entries, of 4,096 */

static bool is_own(const struct sched_reader *reader, uint32_t host_tgid)
{
	size_t i;

	if (host_tgid == reader->slots.shared->tgid)
		return true;
	for (i = 0; i < reader->report.process_count; i++)
		if (reader->report.processes[i].host_tgid == host_tgid)
			return true;
	return false;
}

static const char *who_is(const struct sched_reader *reader, uint32_t tgid,
			  uint32_t flags)
{
	if (tgid == SCHED_TGID_IDLE)
		return "idle_cpu";
	if (tgid == SCHED_TGID_THROTTLED)
		return "throttled";
	if (tgid == SCHED_TGID_UNRESOLVED)
		return "unresolved";
	if (is_own(reader, tgid))
		return "self";
	return flags & PROC_PF_KTHREAD ? "kernel" : "process";
}

static bool is_task(uint32_t tgid)
{
	return tgid != SCHED_TGID_IDLE && tgid != SCHED_TGID_THROTTLED &&
	       tgid != SCHED_TGID_UNRESOLVED;
}

static struct sched_culprit_row *row_of(struct sched_report *report, uint32_t host_tgid)
{
	struct sched_culprit_row *row;
	size_t i;

	for (i = 0; i < report->culprit_count; i++)
		if (report->culprits[i].host_tgid == host_tgid)
			return &report->culprits[i];
	row = sched_grow(report->culprits, report->culprit_count, &report->culprit_room,
			 sizeof(*row));
	if (!row)
		return NULL;
	report->culprits = row;
	row += report->culprit_count++;
	memset(row, 0, sizeof(*row));
	row->host_tgid = host_tgid;
	row->processes = 1;
	return row;
}

/* A leader that ended may have left threads behind, and then the process lives. */
static bool lives(const struct sched_reader *reader, uint32_t host_tgid)
{
	struct proc_stat stat;

	return !reader->slots.shared->ns_level &&
	       !proc_read_stat("", (pid_t)host_tgid, 0, &stat) &&
	       (stat.threads > 1 || (stat.state != 'Z' && stat.state != 'X'));
}

/* The name it ended with; an id that was given away again meanwhile shows the old one. */
static void look_up_departed(const struct sched_reader *reader,
			     struct sched_culprit_row *row)
{
	struct sched_name name;

	if (row->ended || !is_task(row->host_tgid) || lives(reader, row->host_tgid) ||
	    bpf_map_lookup_elem(reader->departed_fd, &row->host_tgid, &name))
		return;
	row->ended = true;
	row->flags = name.flags;
	if (!row->tgid)
		row->tgid = name.ns_tgid;
	memcpy(row->comm, name.comm, sizeof(row->comm));
}

static void take_out(struct sched_reader *reader, uint32_t tgid,
		     const struct sched_culprit *from)
{
	struct sched_culprit_row *row = row_of(&reader->report, tgid);

	if (!row) {
		reader->report.full_maps++;
		return;
	}
	row->wait_ns += from->wait_ns;
	row->idle_ns += from->idle_ns;
	if (from->named) {
		row->tgid = from->ns_tgid;
		row->flags = from->flags;
		memcpy(row->comm, from->comm, sizeof(row->comm));
	}
	look_up_departed(reader, row);
}

/* Moves what one set holds into the report. */
static int take_out_set(struct sched_reader *reader, uint32_t set)
{
	struct sched_culprit_key key, next;
	struct sched_culprit culprit;
	bool more, wanted;

	more = !bpf_map_get_next_key(reader->culprits_fd, NULL, &next);
	while (more) {
		key = next;
		wanted = key.set == set &&
			 !bpf_map_lookup_elem(reader->culprits_fd, &key, &culprit);
		more = !bpf_map_get_next_key(reader->culprits_fd, &key, &next);
		if (!wanted)
			continue;
		take_out(reader, key.tgid, &culprit);
		if (bpf_map_delete_elem(reader->culprits_fd, &key))
			return -errno;
	}
	return 0;
}

int sched_culprits_tick(struct sched_reader *reader)
{
	uint32_t old = reader->shared->culprit_generation & 1;

	if (reader->shared->culprits_new - reader->seen_culprits < TAKE_OUT_AT)
		return 0;
	reader->seen_culprits = reader->shared->culprits_new;
	__atomic_store_n(&reader->shared->culprit_generation, old ^ 1, __ATOMIC_SEQ_CST);
	bpf_wait_for_runs();
	return take_out_set(reader, (reader->epoch & 1) | old << 1);
}

/* Who it is, by name; some kernels keep single processes from BPF, /proc still shows them. */
static void identify(const struct sched_reader *reader, struct sched_culprit_row *row)
{
	bool visible = !reader->slots.shared->ns_level;

	look_up_departed(reader, row);
	row->who = who_is(reader, row->host_tgid, row->flags);
	if (!is_task(row->host_tgid)) {
		*row->comm = 0; /* the idle task's, one for each CPU */
		return;
	}
	if (!row->tgid && visible)
		row->tgid = row->host_tgid;
	if (!*row->comm && visible)
		proc_read_comm("", (pid_t)row->host_tgid, row->comm, sizeof(row->comm));
}

static bool same_name(const struct sched_culprit_row *a,
		      const struct sched_culprit_row *b)
{
	return b->ended && a->who == b->who && !strcmp(a->comm, b->comm);
}

/* Ended processes of one name go into one row: their ids say nothing any more. */
static void join_ended(struct sched_report *report)
{
	struct sched_culprit_row *rows = report->culprits, *row;
	size_t i, j, kept = 0;

	for (i = 0; i < report->culprit_count; i++) {
		row = NULL;
		for (j = 0; j < kept && rows[i].ended && !row; j++)
			if (same_name(&rows[i], &rows[j]))
				row = &rows[j];
		if (!row) {
			rows[kept++] = rows[i];
			continue;
		}
		row->wait_ns += rows[i].wait_ns;
		row->idle_ns += rows[i].idle_ns;
		row->processes++;
	}
	report->culprit_count = kept;
}

static int by_wait(const void *a, const void *b)
{
	const struct sched_culprit_row *one = a, *two = b;

	return one->wait_ns < two->wait_ns ? 1 : one->wait_ns > two->wait_ns ? -1 : 0;
}

/* What found no room in the map is not resolved. */
static int take_overflow(struct sched_reader *reader, uint32_t set)
{
	__u64 *overflow_ns = reader->shared->overflow_ns;
	struct sched_culprit_row *row;
	uint64_t sum = overflow_ns[set] + overflow_ns[set | 2];

	overflow_ns[set] = overflow_ns[set | 2] = 0;
	if (!sum)
		return 0;
	row = row_of(&reader->report, SCHED_TGID_UNRESOLVED);
	if (!row)
		return -ENOMEM;
	row->wait_ns += sum;
	return 0;
}

int sched_culprits_finish(struct sched_reader *reader)
{
	struct sched_report *report = &reader->report;
	uint32_t set = reader->epoch & 1;
	size_t i;
	int err;

	err = take_out_set(reader, set);
	if (!err)
		err = take_out_set(reader, set | 2);
	if (!err)
		err = take_overflow(reader, set);
	if (err || !report->culprit_count)
		return err;
	for (i = 0; i < report->culprit_count; i++)
		identify(reader, &report->culprits[i]);
	join_ended(report);
	qsort(report->culprits, report->culprit_count, sizeof(*report->culprits),
	      by_wait);
	return 0;
}
