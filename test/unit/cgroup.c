// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>

#include "common/cgroup.h"
#include "common/util.h"
#include "test/unit/tap.h"

/* The root of a canned tree; good until the next call. */
static const char *tree(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/test/data/cgroup-%s", tap_srcdir(), name);
	return path;
}

static const struct {
	const char *tree;
	pid_t pid;
	int want;
	const char *what;
} rows[] = {
	{"v1", 50, 1, "a quota on the parent limits"},
	{"v1", 51, 0, "-1 on every level is no quota"},
	{"v1", 52, 1, "a quota on the process's own group limits"},
	{"v1", 53, -ENOENT, "the root group, which has no file, cannot be told"},
	{"v1", 54, -ENOENT, "a group that is not mounted here cannot be told"},
	{"v1-cpuacct", 50, 1, "a quota is found below cpu,cpuacct"},
	{"v1-cpuacct", 51, 0, "-1 is found below cpu,cpuacct"},
	{"v2", 50, 1, "a cpu.max between two groups of max limits"},
	{"v2", 51, 0, "max on every level is no quota"},
	{"v2", 52, 1, "a group without the cpu controller has its parent's limit"},
	{"v2", 53, -ENOENT, "the root group, which has no file, cannot be told"},
	{"v2", 54, -ENOENT, "a group outside of the cgroup namespace cannot be told"},
	{"v2", 55, -ENOENT, "an empty cpu.max cannot be told"},
	{"v2", 56, 1, "a group's name may have blanks and colons"},
	{"hybrid", 50, 1, "a v1 quota limits, with v2 at unified"},
	{"hybrid", 51, 0, "a v1 group of -1 is no quota, with v2 at unified"},
	{"hybrid", 52, 1, "a cpu.max below unified limits"},
	{"v2", 99, -ENOENT, "a process that is gone cannot be told"},
	{"none", 50, -ENOENT, "a system without /proc cannot be told"},
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		is_int(cgroup_has_cpu_quota(tree(rows[i].tree), rows[i].pid),
		       rows[i].want, "%s/%d: %s", rows[i].tree, rows[i].pid,
		       rows[i].what);
	return done_testing();
}
