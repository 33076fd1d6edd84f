// SPDX-License-Identifier: GPL-2.0-only
/* The histogram's bucket index as BPF computes it, for a batch of values. */
#include <vmlinux.h>

#include <bpf/bpf_helpers.h>

#include "bpf/hist.h"

#define BATCH 1000

__u64 values[BATCH];
__u32 fine[BATCH];
__u32 coarse[BATCH];

SEC("raw_tp/sys_enter")
int compute_slots(void *ctx)
{
	__u32 i;

	for (i = 0; i < BATCH; i++) {
		fine[i] = hist_slot(values[i], HIST_BITS);
		coarse[i] = hist_coarse_slot(values[i]);
	}
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
