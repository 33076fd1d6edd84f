// SPDX-License-Identifier: GPL-2.0-or-later
/* What the cgroups of a process limit, on v1, hybrid and v2 hosts. */
#pragma once

#include <sys/types.h>

/*
 * Whether a CPU quota holds the process, in its cgroup or one above: 1, 0, or -errno when it
 * cannot be told (its cgroup is not visible here). root prefixes /proc and /sys.
 */
int cgroup_has_cpu_quota(const char *root, pid_t pid);
