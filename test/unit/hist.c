// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/hist.h"
#include "common/util.h"
#include "test/unit/tap.h"

static uint64_t fine[HIST_SLOTS];
static uint32_t coarse[HIST_COARSE_SLOTS];

/* True when the buckets of the shape join without a gap from 0 to UINT64_MAX. */
static bool buckets_join(const struct hist_shape *shape)
{
	if (hist_low(shape, 0) != 0)
		return false;
	for (uint32_t i = 0; i + 1 < shape->slots; i++)
		if (hist_high(shape, i) != hist_low(shape, i + 1) ||
		    hist_high(shape, i) <= hist_low(shape, i))
			return false;
	return hist_high(shape, shape->slots - 1) == UINT64_MAX;
}

/* True when both ends of each bucket are counted in it. */
static bool slots_agree(const struct hist_shape *shape, bool is_coarse)
{
	for (uint32_t i = 0; i < shape->slots; i++) {
		uint64_t low = hist_low(shape, i), high = hist_high(shape, i) - 1;
		uint32_t a =
			is_coarse ? hist_coarse_slot(low) : hist_slot(low, HIST_BITS);
		uint32_t b =
			is_coarse ? hist_coarse_slot(high) : hist_slot(high, HIST_BITS);

		if (a != i || b != i)
			return false;
	}
	return true;
}

/* True when no value is further than 1/64 from the middle of its bucket. */
static bool middle_is_near(void)
{
	static const uint32_t median = 5000;

	for (uint32_t i = 0; i < HIST_SLOTS; i++) {
		uint64_t low = hist_low(&hist_fine, i),
			 high = hist_high(&hist_fine, i) - 1;
		uint64_t middle;

		memset(fine, 0, sizeof(fine));
		fine[i] = 1;
		hist_quantiles(&hist_fine, fine, UINT64_MAX, &median, 1, &middle);
		if (middle < low || middle > high)
			return false;
		if (middle - low > low / 64 || high - middle > low / 64)
			return false;
	}
	return true;
}

static void test_bounds(void)
{
	ok(buckets_join(&hist_fine), "fine buckets join from 0 to 2^64 - 1");
	ok(buckets_join(&hist_coarse), "coarse buckets join from 0 to 2^64 - 1");
	ok(slots_agree(&hist_fine, false), "fine bounds agree with hist_slot()");
	ok(slots_agree(&hist_coarse, true),
	   "coarse bounds agree with hist_coarse_slot()");
	ok(middle_is_near(), "a fine bucket's middle is within 1/64 of its values");

	is_u64(hist_low(&hist_fine, 31), 31, "values below 32 have their own bucket");
	is_u64(hist_high(&hist_fine, 31), 32, "and it holds no other");
	is_u64(hist_low(&hist_fine, 65), 66, "bucket 65 begins at 66");
	is_u64(hist_high(&hist_fine, 65), 68, "and ends before 68");
	is_u64(hist_low(&hist_coarse, 1), 256,
	       "the second coarse bucket begins at 256 ns");
	is_u64(hist_low(&hist_coarse, HIST_COARSE_SLOTS - 1), 15ULL << 35,
	       "the last coarse bucket begins at 15/16 of 2^39 ns");
	is_u64(hist_low(&hist_fine, HIST_SLOTS + 5), hist_low(&hist_fine, HIST_SLOTS - 1),
	       "a slot behind the end counts as the last");
	is_u64(hist_high(&hist_fine, UINT32_MAX), UINT64_MAX, "also for its upper bound");
}

static void test_log2(void)
{
	bool good = hist_log2(0) == 0;

	for (uint32_t bit = 0; bit < 64; bit++) {
		uint64_t power = 1ULL << bit;

		good = good && hist_log2(power) == bit &&
		       hist_log2(power | (power - 1)) == bit;
	}
	ok(good, "hist_log2 finds the highest bit of each power of two");
}

static void test_quantiles(void)
{
	static const uint32_t ranks[] = {0, 1, 5000, 5001, 9000, 9990, 10000};
	uint64_t out[ARRAY_SIZE(ranks)];
	bool good = true;

	memset(fine, 0, sizeof(fine));
	hist_quantiles(&hist_fine, fine, 0, ranks, ARRAY_SIZE(ranks), out);
	for (size_t i = 0; i < ARRAY_SIZE(ranks); i++)
		good = good && out[i] == UINT64_MAX;
	ok(good, "each quantile of no values is UINT64_MAX");

	for (uint32_t i = 1; i <= 20; i++)
		fine[i]++; /* the values 1 to 20 */
	hist_quantiles(&hist_fine, fine, 20, ranks, ARRAY_SIZE(ranks), out);
	is_u64(out[0], 1, "rank 0 of 1 to 20 is the smallest value");
	is_u64(out[1], 1, "rank 0.0001 of 1 to 20 is the first value");
	is_u64(out[2], 10, "the median of 1 to 20 is the tenth value");
	is_u64(out[3], 11, "just above the median comes the eleventh");
	is_u64(out[4], 18, "p90 of 1 to 20 is the 18th value");
	is_u64(out[5], 20, "p99.9 of 1 to 20 is the last value");
	is_u64(out[6], 20, "p100 of 1 to 20 is the last value");

	memset(fine, 0, sizeof(fine));
	fine[hist_slot(1000, HIST_BITS)] = 3;
	hist_quantiles(&hist_fine, fine, 2000, ranks, 1, out);
	is_u64(out[0], 1000, "a value inside a bucket of 16 comes out as its middle");
	hist_quantiles(&hist_fine, fine, 993, ranks, 1, out);
	is_u64(out[0], 993, "but never above max");

	/* 2^63 values below and one above: rank * total needs more than 64 bits. */
	memset(fine, 0, sizeof(fine));
	fine[3] = 1ULL << 63;
	fine[9] = UINT64_MAX;
	hist_quantiles(&hist_fine, fine, 9, &ranks[1], 2, out);
	is_u64(out[0], 3, "a total above 2^64 does not wrap below the median");
	is_u64(out[1], 9, "nor at it");
}

static void test_coarse(void)
{
	static const uint32_t ranks[] = {5000, 10000};
	char buffer[sizeof(coarse) + 1];
	uint64_t out[2];

	memset(coarse, 0, sizeof(coarse));
	coarse[0] = 1;
	coarse[hist_coarse_slot(1 << 20)] = UINT32_MAX;
	coarse[HIST_COARSE_SLOTS - 1] = UINT32_MAX;
	memcpy(buffer + 1, coarse, sizeof(coarse));
	hist_quantiles(&hist_coarse, buffer + 1, 1ULL << 40, ranks, 2, out);
	is_u64(out[0], (1 << 20) + (1 << 16),
	       "32-bit counters do not wrap, nor need alignment");
	is_u64(out[1], 1ULL << 40, "the open last bucket comes out as max");
}

int main(void)
{
	test_bounds();
	test_log2();
	test_quantiles();
	test_coarse();
	return done_testing();
}
