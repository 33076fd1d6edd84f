// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "common/hist.h"
#include "common/util.h"

const struct hist_shape hist_fine = {
	.sub_bits = HIST_BITS,
	.slots = HIST_SLOTS,
	.width = sizeof(uint64_t),
};

const struct hist_shape hist_coarse = {
	.sub_bits = HIST_COARSE_BITS,
	.shift = HIST_COARSE_SHIFT,
	.slots = HIST_COARSE_SLOTS,
	.width = sizeof(uint32_t),
};

/* The inverse of hist_slot(): group 0 holds the exact values, group g those from
 * 2^(sub_bits + g - 1) on, in 2^sub_bits equal parts. */
uint64_t hist_low(const struct hist_shape *shape, uint32_t slot)
{
	uint32_t last = min_of(slot, shape->slots - 1);
	uint32_t group = last >> shape->sub_bits;
	uint64_t parts = 1ULL << shape->sub_bits;

	if (!group)
		return (uint64_t)last << shape->shift;
	return (parts + (last & (parts - 1))) << (group - 1 + shape->shift);
}

uint64_t hist_high(const struct hist_shape *shape, uint32_t slot)
{
	/* The last bucket also takes what lies above its nominal end. */
	if (slot >= shape->slots - 1)
		return UINT64_MAX;
	return hist_low(shape, slot + 1);
}

/* memcpy, as counts is often the value area of a map, aligned for bytes only. */
static uint64_t count_at(const struct hist_shape *shape, const void *counts,
			 uint32_t slot)
{
	const char *at = (const char *)counts + (size_t)slot * shape->width;
	uint64_t wide;
	uint32_t narrow;

	if (shape->width == sizeof(wide)) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, at, sizeof(narrow));
	return narrow;
}

static uint64_t middle_of(const struct hist_shape *shape, uint32_t slot, uint64_t max)
{
	uint64_t low = hist_low(shape, slot);
	uint64_t middle = low + (hist_high(shape, slot) - low) / 2;

	return min_of(middle, max);
}

void hist_quantiles(const struct hist_shape *shape, const void *counts, uint64_t max,
		    const uint32_t *ranks, size_t n, uint64_t *out)
{
	/* 128 bits: rank * total passes 2^64 from 1.8e15 values on. */
	unsigned __int128 total = 0, seen, wanted;
	uint32_t slot = 0;

	for (uint32_t i = 0; i < shape->slots; i++)
		total += count_at(shape, counts, i);
	if (!total) {
		for (size_t i = 0; i < n; i++)
			out[i] = UINT64_MAX;
		return;
	}

	seen = count_at(shape, counts, 0);
	for (size_t i = 0; i < n; i++) {
		wanted = (total * ranks[i] + 9999) / 10000;
		/* Rank 0 means the smallest value, which is the first one. */
		wanted = max_of(wanted, (unsigned __int128)1);
		while (seen < wanted && slot < shape->slots - 1)
			seen += count_at(shape, counts, ++slot);
		out[i] = middle_of(shape, slot, max);
	}
}
