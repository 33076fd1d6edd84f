// SPDX-License-Identifier: GPL-2.0-or-later
/* The part of proc.h that looks at all threads of a process. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/parse.h"
#include "common/proc.h"

static int is_tid(const struct dirent *entry)
{
	uint64_t tid;

	return !parse_u64(entry->d_name, 1, INT_MAX, &tid);
}

int proc_list_threads(const char *root, pid_t pid, pid_t **tids, size_t *count)
{
	struct dirent **entries;
	char path[PATH_MAX];
	uint64_t tid = 0;
	pid_t *list;
	int n;

	if (snprintf(path, PATH_MAX, "%s/proc/%d/task", root, pid) >= PATH_MAX)
		return -ENAMETOOLONG;
	n = scandir(path, &entries, is_tid, NULL);
	if (n < 0)
		return -errno;
	list = malloc(((size_t)n + 1) * sizeof(*list));
	for (int i = 0; i < n; i++) {
		if (list && !parse_u64(entries[i]->d_name, 1, INT_MAX, &tid))
			list[i] = (pid_t)tid;
		free(entries[i]);
	}
	free(entries);
	/* The directory of a process that ended after it was opened reads as empty. */
	if (!list || !n) {
		free(list);
		return n ? -ENOMEM : -ESRCH;
	}
	*tids = list;
	*count = (size_t)n;
	return 0;
}

int proc_sum_schedstat(const char *root, pid_t pid, struct proc_schedstat *sum,
		       size_t *threads)
{
	struct proc_schedstat total = {0}, one = {0};
	size_t count, alive = 0;
	pid_t *tids = NULL;
	int err = proc_list_threads(root, pid, &tids, &count);

	for (size_t i = 0; !err && i < count; i++) {
		err = proc_read_schedstat(root, pid, tids[i], &one);
		if (err == -ENOENT || err == -ESRCH) {
			err = 0; /* this thread ended meanwhile */
			continue;
		}
		total.run_ns += one.run_ns;
		total.wait_ns += one.wait_ns;
		total.slices += one.slices;
		alive++;
	}
	free(tids);
	if (err || !alive)
		return err ? err : -ESRCH;
	*sum = total;
	if (threads)
		*threads = alive;
	return 0;
}
