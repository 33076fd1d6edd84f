// SPDX-License-Identifier: GPL-2.0-or-later
/* The bucket index is one source for BPF and C: the two must agree on a million values. */
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/hist.h"
#include "test/unit/tap.h"

#include "hist_slots.skel.h"

#define BATCH 1000
#define BATCHES 1000

static uint64_t state = 88172645463325252ULL;

/* Spread evenly over the powers of two, with their neighbours. */
static uint64_t next_value(unsigned int n)
{
	static const uint64_t edges[] = {0,  1,	 31,	     32,	33,
					 63, 64, 1ULL << 63, UINT64_MAX};

	if (n < sizeof(edges) / sizeof(edges[0]))
		return edges[n];
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	if (n % 4 == 0)
		return (1ULL << (state % 64)) + state % 3 - 1;
	return state >> (state % 64);
}

static unsigned int compare(struct hist_slots_bpf *skel, unsigned int *fine_wrong,
			    unsigned int *coarse_wrong)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	unsigned int i, batch, n = 0;

	for (batch = 0; batch < BATCHES; batch++) {
		for (i = 0; i < BATCH; i++)
			skel->bss->values[i] = next_value(n + i);
		if (bpf_prog_test_run_opts(bpf_program__fd(skel->progs.compute_slots),
					   &opts))
			break;
		for (i = 0; i < BATCH; i++, n++) {
			if (skel->bss->fine[i] !=
			    hist_slot(skel->bss->values[i], HIST_BITS))
				(*fine_wrong)++;
			if (skel->bss->coarse[i] !=
			    hist_coarse_slot(skel->bss->values[i]))
				(*coarse_wrong)++;
		}
	}
	return n;
}

int main(void)
{
	unsigned int fine_wrong = 0, coarse_wrong = 0, n;
	struct hist_slots_bpf *skel = hist_slots_bpf__open_and_load();

	if (!skel && geteuid()) {
		printf("1..0 # SKIP loading BPF programs needs root\n");
		return 0;
	}
	if (!ok(skel != NULL, "the BPF side of the histogram loads"))
		return done_testing();
	n = compare(skel, &fine_wrong, &coarse_wrong);
	is_u64(n, BATCH * BATCHES, "BPF computed the bucket of a million values");
	is_u64(fine_wrong, 0, "BPF and C agree on each fine bucket");
	is_u64(coarse_wrong, 0, "BPF and C agree on each coarse bucket");
	hist_slots_bpf__destroy(skel);
	return done_testing();
}
