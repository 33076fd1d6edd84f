// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the kernel's symbols are. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * The values that /proc/kallsyms gives for count symbols; a CPU-local variable's is its offset in
 * each CPU's area (CONFIG_SMP). The first of a name counts; 0 for one that is not there or that
 * the kernel hides (kptr_restrict). root prefixes /proc. 0 or -errno; values are written only
 * when it returns 0. Takes some 50 ms: there are more than 100,000 lines.
 */
int kallsyms_find(const char *root, const char *const *names, size_t count,
		  uint64_t *values);
