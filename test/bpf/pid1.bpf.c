// SPDX-License-Identifier: GPL-2.0-only
/* Counts the switches to and from threads of PID 1: not every kernel lets programs see both. */
#include <vmlinux.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

__u64 switches_in, switches_out;

SEC("tp_btf/sched_switch")
int BPF_PROG(on_pid1_switch, bool preempt, struct task_struct *prev,
	     struct task_struct *next)
{
	if (prev->tgid == 1)
		__sync_fetch_and_add(&switches_out, 1);
	if (next->tgid == 1)
		__sync_fetch_and_add(&switches_in, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
