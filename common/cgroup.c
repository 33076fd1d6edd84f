// SPDX-License-Identifier: GPL-2.0-or-later
/* Hierarchies are looked for where systemd and the distributions mount them. */
#include "common/cgroup.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/proc.h"
#include "common/util.h"

static const struct {
	const char *controller, *mount, *file, *unlimited;
} places[] = {
	{"cpu", "/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "-1"},
	{"cpu", "/sys/fs/cgroup/cpu,cpuacct", "cpu.cfs_quota_us", "-1"},
	{"", "/sys/fs/cgroup", "cpu.max", "max"},
	{"", "/sys/fs/cgroup/unified", "cpu.max", "max"},
};

/* 1 limited, 0 not, -ENOENT when the file is not there (the root cgroup has none). */
static int read_limit(const char *path, const char *unlimited)
{
	char text[64] = "";
	FILE *file = fopen(path, "re");

	if (!file)
		return -errno;
	if (!fgets(text, sizeof(text), file))
		*text = 0;
	fclose(file);
	if (!*text)
		return -EIO;
	return strncmp(text, unlimited, strlen(unlimited)) != 0;
}

/*
 * From the process's own group up to the root. Where no level has the file the controller is
 * off there and nothing limits, if we see the group at all; -ENOENT when that is not certain.
 */
static int walk_up(const char *root, const char *mount, char *group, const char *file,
		   const char *unlimited)
{
	char path[2 * PATH_MAX];
	int found = -ENOENT, limited;
	char *slash;

	snprintf(path, sizeof(path), "%s%s%s", root, mount, group);
	if (strcmp(group, "/") && !access(path, F_OK))
		found = 0;
	for (;;) {
		snprintf(path, sizeof(path), "%s%s%s/%s", root, mount, group, file);
		limited = read_limit(path, unlimited);
		if (limited > 0)
			return 1;
		if (limited < 0 && limited != -ENOENT)
			return limited;
		if (!limited)
			found = 0;
		slash = strrchr(group, '/');
		if (!slash)
			return found;
		*slash = 0;
	}
}

int cgroup_has_cpu_quota(const char *root, pid_t pid)
{
	char group[PATH_MAX];
	int result = -ENOENT, err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		if (proc_read_cgroup(root, pid, places[i].controller, group,
				     sizeof(group)))
			continue;
		/* "/" has no limit of its own; in a cgroup namespace it may hide one. */
		err = walk_up(root, places[i].mount, group, places[i].file,
			      places[i].unlimited);
		if (err > 0)
			return err;
		if (!err)
			result = 0;
	}
	return result;
}
