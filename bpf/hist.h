/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bucket of a value in a log-linear histogram, one source for BPF and C: 2^sub_bits
 * buckets to each power of two, values below 2^sub_bits exact. With 5 bits a bucket's
 * middle is within 1/64 (1.6 %) of each of its values; with 3 bits within 1/16.
 */
#ifndef FAST_HIST_H
#define FAST_HIST_H

#include <linux/types.h>

#define HIST_BITS 5
#define HIST_SLOTS ((64 - HIST_BITS + 1) << HIST_BITS)

/* The small one, one to a thread: from 256 ns to 2^39 ns (9 minutes), the rest in the end buckets. */
#define HIST_COARSE_BITS 3
#define HIST_COARSE_SHIFT 8
#define HIST_COARSE_SLOTS 232

/* Position of the highest set bit; 0 for 0 and 1. No branch, so the verifier sees one path. */
static inline __attribute__((always_inline)) __u32 hist_log2(__u64 value)
{
	__u32 log = 0, shift;

	shift = (value > 0xffffffffULL) << 5;
	value >>= shift;
	log |= shift;
	shift = (value > 0xffffULL) << 4;
	value >>= shift;
	log |= shift;
	shift = (value > 0xffULL) << 3;
	value >>= shift;
	log |= shift;
	shift = (value > 0xfULL) << 2;
	value >>= shift;
	log |= shift;
	shift = (value > 0x3ULL) << 1;
	value >>= shift;
	log |= shift;
	return log | (__u32)(value >> 1);
}

static inline __attribute__((always_inline)) __u32 hist_slot(__u64 value, __u32 sub_bits)
{
	__u32 log = hist_log2(value);

	if (log < sub_bits)
		return (__u32)value;
	return ((log - sub_bits + 1) << sub_bits) +
	       ((__u32)(value >> (log - sub_bits)) & ((1U << sub_bits) - 1));
}

static inline __attribute__((always_inline)) __u32 hist_coarse_slot(__u64 value)
{
	__u32 slot = hist_slot(value >> HIST_COARSE_SHIFT, HIST_COARSE_BITS);

	return slot < HIST_COARSE_SLOTS ? slot : HIST_COARSE_SLOTS - 1;
}

#endif
