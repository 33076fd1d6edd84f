// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What user space does with a log-linear histogram whose buckets were counted by BPF:
 * bounds and quantiles. The bucket index is bpf/hist.h, one source for both sides.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "bpf/hist.h"

struct hist_shape {
	uint32_t sub_bits; /* as in hist_slot() */
	uint32_t shift;	   /* the value was shifted right by this before */
	uint32_t slots;
	uint32_t width; /* bytes of a counter: 8 or 4 */
};

extern const struct hist_shape hist_fine;   /* HIST_BITS, HIST_SLOTS, 64-bit counters */
extern const struct hist_shape hist_coarse; /* hist_coarse_slot(), 32-bit counters */

/* Lowest value of a bucket, and the lowest one above it (the exclusive bound;
 * UINT64_MAX for the last bucket). */
uint64_t hist_low(const struct hist_shape *shape, uint32_t slot);
uint64_t hist_high(const struct hist_shape *shape, uint32_t slot);

/*
 * Quantiles at n ascending ranks in units of 1/10,000 (5000 = median, 9990 = p99.9), by
 * the nearest-rank definition: the smallest bucket that holds the ceil(q * total)th
 * value.
 * Its middle is returned, never above max. Without values each is UINT64_MAX.
 */
void hist_quantiles(const struct hist_shape *shape, const void *counts, uint64_t max,
		    const uint32_t *ranks, size_t n, uint64_t *out);
