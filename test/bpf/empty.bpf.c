// SPDX-License-Identifier: GPL-2.0-only
/* The least that any program on sched_switch costs: what the bench subtracts. */
#include <vmlinux.h>

#include <bpf/bpf_helpers.h>

SEC("tp_btf/sched_switch")
int on_switch(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
