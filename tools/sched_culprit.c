// SPDX-License-Identifier: GPL-2.0-or-later
/* Whom the waits are charged to: names, and one row for many short-lived processes of a name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "common/proc.h"
#include "tools/sched.h"

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

static bool is_process(const struct sched_culprit_row *row)
{
	return !strcmp(row->who, "process") || !strcmp(row->who, "kernel");
}

/* Ended processes of one name go into one row: their numbers say nothing any more. */
static struct sched_culprit_row *row_for(struct sched_report *report,
					 const struct sched_culprit_row *fresh,
					 bool alive)
{
	struct sched_culprit_row *row;
	size_t i;

	for (i = 0;
	     !alive && is_process(fresh) && *fresh->comm && i < report->culprit_count;
	     i++) {
		row = &report->culprits[i];
		if (row->processes && row->who == fresh->who &&
		    !strcmp(row->comm, fresh->comm))
			return row;
	}
	row = sched_grow(report->culprits, report->culprit_count, &report->culprit_room,
			 sizeof(*row));
	if (!row)
		return NULL;
	report->culprits = row;
	row += report->culprit_count++;
	*row = *fresh;
	row->wait_ns = row->idle_ns = row->processes = 0;
	return row;
}

static void add_culprit(struct sched_reader *reader, uint32_t tgid,
			struct sched_culprit *from)
{
	struct sched_report *report = &reader->report;
	bool alive = from->alive_epoch == reader->slots.shared->epoch;
	struct sched_culprit_row fresh = {}, *row;
	struct sched_name name;

	if (!from->named && !bpf_map_lookup_elem(reader->departed_fd, &tgid, &name)) {
		from->flags = name.flags;
		from->ns_tgid = name.ns_tgid;
		memcpy(from->comm, name.comm, sizeof(from->comm));
	} else if (!from->named && !reader->slots.shared->ns_level) {
		/* Some kernels keep single processes from BPF; /proc still shows them. */
		proc_read_comm("", (pid_t)tgid, from->comm, sizeof(from->comm));
	}
	fresh.who = who_is(reader, tgid, from->flags);
	fresh.tgid = reader->slots.shared->ns_level ? from->ns_tgid : tgid;
	memcpy(fresh.comm, from->comm, sizeof(fresh.comm));
	if (!is_process(&fresh) && strcmp(fresh.who, "self")) {
		fresh.tgid = 0;
		*fresh.comm = 0;
	}
	row = row_for(report, &fresh, alive);
	if (!row) {
		report->full_maps++;
		return;
	}
	row->wait_ns += from->wait_ns;
	row->idle_ns += from->idle_ns;
	if (!alive)
		row->processes++;
}

static int by_wait(const void *a, const void *b)
{
	const struct sched_culprit_row *one = a, *two = b;

	return one->wait_ns < two->wait_ns ? 1 : one->wait_ns > two->wait_ns ? -1 : 0;
}

int sched_read_culprits(struct sched_reader *reader)
{
	uint32_t set = reader->epoch & 1;
	struct sched_culprit_key key, next;
	struct sched_report *report = &reader->report;
	struct sched_culprit culprit;
	bool more, ours;

	more = !bpf_map_get_next_key(reader->culprits_fd, NULL, &next);
	while (more) {
		key = next;
		ours = key.set == set &&
		       !bpf_map_lookup_elem(reader->culprits_fd, &key, &culprit);
		more = !bpf_map_get_next_key(reader->culprits_fd, &key, &next);
		if (!ours)
			continue;
		add_culprit(reader, key.tgid, &culprit);
		if (bpf_map_delete_elem(reader->culprits_fd, &key))
			return -errno;
	}
	if (report->culprit_count)
		qsort(report->culprits, report->culprit_count, sizeof(*report->culprits),
		      by_wait);
	return 0;
}
