/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bucket of a value in a log-linear histogram, one source for BPF and C: 2^sub_bits
 * buckets to each power of two, values below 2^sub_bits exact. With 5 bits a bucket's
 * middle is within 1/64 (1.6 %) of each of its values; with 3 bits within 1/16.
 */
#ifndef FAST_HIST_H
#define FAST_HIST_H

#ifndef __VMLINUX_H__ /* a full one has these types itself */
#include <linux/types.h>
#endif

#define HIST_BITS 5
#define HIST_SLOTS ((64 - HIST_BITS + 1) << HIST_BITS)

/* The small one, one to a thread: from 256 ns to 2^39 ns (9 minutes), the rest in the end buckets. */
#define HIST_COARSE_BITS 3
#define HIST_COARSE_SHIFT 8
#define HIST_COARSE_SLOTS 232

/*
 * Position of the highest set bit; 0 for 0 and 1. All bits below it are set, then counted. There
 * is no branch in it: with branches the verifier would follow each of 64 paths to the end.
 */
static inline __attribute__((always_inline)) __u32 hist_log2(__u64 value)
{
	value |= value >> 1 | 1;
	value |= value >> 2;
	value |= value >> 4;
	value |= value >> 8;
	value |= value >> 16;
	value |= value >> 32;
	value >>= 1;
	value -= value >> 1 & 0x5555555555555555ULL;
	value = (value & 0x3333333333333333ULL) + (value >> 2 & 0x3333333333333333ULL);
	value = (value + (value >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return (__u32)(value * 0x0101010101010101ULL >> 56);
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
