// SPDX-License-Identifier: GPL-2.0-only
/*
 * All subjects at once, for the tools that look at everything. Each tracepoint has one program
 * here, which calls the subjects in turn, so their numbers are those of the single tools.
 */
#include "bpf/find.bpf.h"
#include "bpf/sched.bpf.h"
#include "bpf/sched_iterate.bpf.h"
#include "bpf/sched_queue.bpf.h"

SEC("tp_btf/sched_switch")
int on_switch(unsigned long long *ctx)
{
	sched_on_switch(ctx, true);
	return 0;
}

/* Without bpf_loop(), before 5.17. */
SEC("tp_btf/sched_switch")
int on_switch_bounded(unsigned long long *ctx)
{
	sched_on_switch(ctx, false);
	return 0;
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_migrate, struct task_struct *task, int dest)
{
	if (is_target(task))
		sched_on_migrate(task, dest, true);
	return 0;
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_migrate_bounded, struct task_struct *task, int dest)
{
	if (is_target(task))
		sched_on_migrate(task, dest, false);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	if (is_target(task))
		sched_on_waking(task);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *task)
{
	if (is_target(task))
		sched_on_wakeup(task);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_wakeup_new, struct task_struct *task)
{
	sched_on_wakeup_new(task);
	return 0;
}

SEC("tp_btf/task_newtask")
int BPF_PROG(on_newtask, struct task_struct *task)
{
	sched_on_newtask(task);
	return 0;
}

SEC("iter/task")
int dump_threads(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct sched_record record = {};

	if (!task)
		return 0;
	if (!ctx->meta->seq_num)
		clock_sample();
	culprit_iterate(task);
	if (!is_target(task))
		return 0;
	if (!thread_view(task, &record.thread))
		return 0;
	sched_iterate(task, &record.thread, &record.live);
	bpf_seq_write(ctx->meta->seq, &record, sizeof(record));
	return 0;
}

/* Before measuring, each read on its own. */

SEC("iter/task")
int seed_threads(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	__u32 slot;

	if (!task || !is_target(task) || thread_slot(task))
		return 0;
	slot = slot_take_seed();
	sched_begin_thread(slot, false);
	if (thread_register(task, slot))
		sched_seed(task, slot);
	return 0;
}

SEC("iter/task")
int find_target(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (task)
		target_find(task);
	return 0;
}

SEC("iter/task")
int find_children(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (task)
		target_find_child(task);
	return 0;
}

SEC("raw_tp/sys_enter")
int find_regs(struct bpf_raw_tracepoint_args *ctx)
{
	target_find_regs((void *)ctx->args[0]);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
