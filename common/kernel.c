// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the running kernel is made of, read off its BTF before anything is loaded. There are
 * more than 100,000 types: all names that we ask for are found in one pass.
 */
#include "common/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

#include "common/kallsyms.h"
#include "common/util.h"

/*
 * include/linux/preempt.h, HARDIRQ_MASK | NMI_MASK. Where interrupts can be disabled by count
 * (7.3, local_interrupt_disable()), that count has taken their place and they are above it.
 */
#define INTERRUPT_MASK 0x00ff0000U
#define INTERRUPT_MASK_SHIFTED 0x1f000000U

enum wanted_type {
	TASK_STRUCT,
	SCHED_INFO,
	CFS_RQ,
	RQ,
	PCPU_HOT,
	BPF_FUNC_ID,
	TRACE_SCHED_SWITCH,
	VAR_RUNQUEUES,
	VAR_PREEMPT_COUNT,
	VAR_PCPU_HOT,
	VAR_INTERRUPT_DISABLE,
	PERCPU,
	WANTED_TYPES
};

static const struct {
	const char *name;
	int kind;
} wanted[WANTED_TYPES] = {
	[TASK_STRUCT] = {"task_struct", BTF_KIND_STRUCT},
	[SCHED_INFO] = {"sched_info", BTF_KIND_STRUCT},
	[CFS_RQ] = {"cfs_rq", BTF_KIND_STRUCT},
	[RQ] = {"rq", BTF_KIND_STRUCT},
	[PCPU_HOT] = {"pcpu_hot", BTF_KIND_STRUCT},
	[BPF_FUNC_ID] = {"bpf_func_id", BTF_KIND_ENUM},
	[TRACE_SCHED_SWITCH] = {"btf_trace_sched_switch", BTF_KIND_TYPEDEF},
	[VAR_RUNQUEUES] = {"runqueues", BTF_KIND_VAR},
	[VAR_PREEMPT_COUNT] = {"__preempt_count", BTF_KIND_VAR},
	[VAR_PCPU_HOT] = {"pcpu_hot", BTF_KIND_VAR},
	[VAR_INTERRUPT_DISABLE] = {"local_interrupt_disable_state", BTF_KIND_VAR},
	[PERCPU] = {".data..percpu", BTF_KIND_DATASEC},
};

struct found {
	const struct btf *btf;
	uint32_t id[WANTED_TYPES]; /* 0 = the kernel has no such type */
};

static void find_types(struct found *found)
{
	uint32_t i, n = btf__type_cnt(found->btf);
	const struct btf_type *type;
	uint32_t kinds = 0;
	const char *name;
	size_t w;

	for (w = 0; w < WANTED_TYPES; w++)
		kinds |= 1U << wanted[w].kind;
	for (i = 1; i < n; i++) {
		type = btf__type_by_id(found->btf, i);
		if (!(kinds & (1U << btf_kind(type))))
			continue;
		name = btf__name_by_offset(found->btf, type->name_off);
		for (w = 0; w < WANTED_TYPES; w++)
			if (*name == *wanted[w].name &&
			    btf_kind(type) == wanted[w].kind && !found->id[w] &&
			    !strcmp(name, wanted[w].name))
				found->id[w] = i;
	}
}

/* Offset of a per-CPU variable within its section, -1 when BTF does not list it. */
static int64_t percpu_offset(const struct found *found, enum wanted_type var)
{
	const struct btf_var_secinfo *info;
	const struct btf_type *section;
	int i;

	if (!found->id[var] || !found->id[PERCPU])
		return -1;
	section = btf__type_by_id(found->btf, found->id[PERCPU]);
	info = btf_var_secinfos(section);
	for (i = 0; i < btf_vlen(section); i++)
		if (info[i].type == found->id[var])
			return info[i].offset;
	return -1;
}

/* Byte offset of a member, also within anonymous members; -1 when there is none. */
static int64_t member_offset(const struct btf *btf, uint32_t id, const char *name)
{
	const struct btf_type *type = btf__type_by_id(btf, id);
	const struct btf_member *member = btf_members(type);
	int64_t inner;
	const char *own;
	int i;

	for (i = 0; i < btf_vlen(type); i++, member++) {
		own = btf__name_by_offset(btf, member->name_off);
		if (own && !strcmp(own, name))
			return btf_member_bit_offset(type, (uint32_t)i) / 8;
		if ((!own || !*own) &&
		    btf_is_composite(btf__type_by_id(btf, member->type))) {
			inner = member_offset(btf, member->type, name);
			if (inner >= 0)
				return btf_member_bit_offset(type, (uint32_t)i) / 8 +
				       inner;
		}
	}
	return -1;
}

static bool has_member(const struct found *found, enum wanted_type type,
		       const char *member)
{
	return found->id[type] && member_offset(found->btf, found->id[type], member) >= 0;
}

/* BTF made by pahole before 1.18 lists no CPU-local variables, as Debian's of 5.10. */
static int64_t preempt_offset_of_symbols(void)
{
	static const char *const names[] = {"runqueues", "__preempt_count"};
	uint64_t at[ARRAY_SIZE(names)];

	if (kallsyms_find("", names, ARRAY_SIZE(names), at) || !at[0] || !at[1])
		return 0;
	return (int64_t)(at[1] - at[0]);
}

/*
 * The preempt count is __preempt_count, or pcpu_hot.preempt_count from 6.2 to 6.14
 * (64701838bf05). Both CPU-local variables lie at a fixed distance on every CPU.
 */
static int64_t find_preempt_offset(const struct found *found)
{
	int64_t queue = percpu_offset(found, VAR_RUNQUEUES), count, inner;

	if (queue < 0)
		return preempt_offset_of_symbols();
	count = percpu_offset(found, VAR_PREEMPT_COUNT);
	if (count >= 0)
		return count - queue;
	count = percpu_offset(found, VAR_PCPU_HOT);
	if (count < 0 || !found->id[PCPU_HOT])
		return 0;
	inner = member_offset(found->btf, found->id[PCPU_HOT], "preempt_count");
	return inner < 0 ? 0 : count + inner - queue;
}

/* Parameters of a tracepoint as its programs see them, without the leading void *. */
static int tracepoint_arguments(const struct found *found, enum wanted_type tracepoint)
{
	const struct btf_type *type;

	if (!found->id[tracepoint])
		return -1;
	type = btf__type_by_id(found->btf,
			       found->id[tracepoint]); /* typedef to a pointer */
	type = btf__type_by_id(found->btf, type->type);
	if (!btf_is_ptr(type))
		return -1;
	type = btf__type_by_id(found->btf, type->type);
	return btf_is_func_proto(type) ? btf_vlen(type) - 1 : -1;
}

static bool has_helper(const struct found *found, const char *name)
{
	const struct btf_type *type;
	const struct btf_enum *value;
	int i;

	if (!found->id[BPF_FUNC_ID])
		return false;
	type = btf__type_by_id(found->btf, found->id[BPF_FUNC_ID]);
	for (i = 0, value = btf_enum(type); i < btf_vlen(type); i++, value++)
		if (!strcmp(btf__name_by_offset(found->btf, value->name_off), name))
			return true;
	return false;
}

void kernel_assume_recent(struct kernel *kernel)
{
	*kernel = (struct kernel){
		.has_prev_state = true,
		.has_sched_info = true,
		.has_rq_clock = true,
		.has_loop = true,
		.has_task_storage = true,
		.has_task_pt_regs = true,
	};
}

int kernel_probe(struct kernel *kernel)
{
	struct btf *btf = btf__load_vmlinux_btf();
	struct found found = {.btf = btf};

	memset(kernel, 0, sizeof(*kernel));
	if (!btf)
		return -errno;
	find_types(&found);
	kernel->has_prev_state = tracepoint_arguments(&found, TRACE_SCHED_SWITCH) >= 4;
	kernel->has_sched_info = has_member(&found, TASK_STRUCT, "sched_info") &&
				 has_member(&found, SCHED_INFO, "run_delay") &&
				 has_member(&found, SCHED_INFO, "last_queued");
	kernel->has_rq_clock =
		has_member(&found, CFS_RQ, "rq") && has_member(&found, RQ, "clock");
	kernel->has_loop = has_helper(&found, "BPF_FUNC_loop");
	kernel->has_task_storage = has_helper(&found, "BPF_FUNC_task_storage_get");
	kernel->has_task_pt_regs = has_helper(&found, "BPF_FUNC_task_pt_regs");
	kernel->preempt_offset = find_preempt_offset(&found);
	kernel->interrupt_mask =
		found.id[VAR_INTERRUPT_DISABLE] ? INTERRUPT_MASK_SHIFTED : INTERRUPT_MASK;
	btf__free(btf);
	return 0;
}
