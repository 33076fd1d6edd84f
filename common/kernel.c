// SPDX-License-Identifier: GPL-2.0-or-later
/* What the running kernel is made of, read off its BTF once, before anything is loaded. */
#include "common/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

/* Offset of a per-CPU variable within its section, -1 when BTF does not list it. */
static int64_t percpu_offset(const struct btf *btf, const char *name)
{
	const struct btf_var_secinfo *info;
	const struct btf_type *section;
	int32_t var, id;
	int i;

	var = btf__find_by_name_kind(btf, name, BTF_KIND_VAR);
	id = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	if (var < 0 || id < 0)
		return -1;
	section = btf__type_by_id(btf, (uint32_t)id);
	info = btf_var_secinfos(section);
	for (i = 0; i < btf_vlen(section); i++)
		if (info[i].type == (uint32_t)var)
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

static bool has_member(const struct btf *btf, const char *type, const char *member)
{
	int32_t id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);

	return id > 0 && member_offset(btf, (uint32_t)id, member) >= 0;
}

/*
 * The preempt count is __preempt_count, or pcpu_hot.preempt_count from 6.2 to 6.14
 * (64701838bf05). Both CPU-local variables lie at a fixed distance on every CPU.
 */
static int64_t find_preempt_offset(const struct btf *btf)
{
	int64_t queue = percpu_offset(btf, "runqueues"), count, inner;
	int32_t id;

	if (queue < 0)
		return 0;
	count = percpu_offset(btf, "__preempt_count");
	if (count >= 0)
		return count - queue;
	count = percpu_offset(btf, "pcpu_hot");
	id = btf__find_by_name_kind(btf, "pcpu_hot", BTF_KIND_STRUCT);
	if (count < 0 || id < 0)
		return 0;
	inner = member_offset(btf, (uint32_t)id, "preempt_count");
	return inner < 0 ? 0 : count + inner - queue;
}

/* Parameters of a tracepoint as its programs see them, without the leading void *. */
static int tracepoint_arguments(const struct btf *btf, const char *name)
{
	const struct btf_type *type;
	char full[64];
	int32_t id;

	snprintf(full, sizeof(full), "btf_trace_%s", name);
	id = btf__find_by_name_kind(btf, full, BTF_KIND_TYPEDEF);
	if (id < 0)
		return -1;
	type = btf__type_by_id(btf, btf__type_by_id(btf, (uint32_t)id)->type);
	if (!btf_is_ptr(type))
		return -1;
	type = btf__type_by_id(btf, type->type);
	return btf_is_func_proto(type) ? btf_vlen(type) - 1 : -1;
}

static bool has_helper(const struct btf *btf, const char *name)
{
	int32_t id = btf__find_by_name_kind(btf, "bpf_func_id", BTF_KIND_ENUM);
	const struct btf_type *type;
	const struct btf_enum *value;
	int i;

	if (id < 0)
		return false;
	type = btf__type_by_id(btf, (uint32_t)id);
	for (i = 0, value = btf_enum(type); i < btf_vlen(type); i++, value++)
		if (!strcmp(btf__name_by_offset(btf, value->name_off), name))
			return true;
	return false;
}

int kernel_probe(struct kernel *kernel)
{
	struct btf *btf = btf__load_vmlinux_btf();

	memset(kernel, 0, sizeof(*kernel));
	if (!btf)
		return -errno;
	kernel->has_prev_state = tracepoint_arguments(btf, "sched_switch") >= 4;
	kernel->has_sched_info = has_member(btf, "task_struct", "sched_info") &&
				 has_member(btf, "sched_info", "run_delay") &&
				 has_member(btf, "sched_info", "last_queued");
	kernel->has_rq_clock =
		has_member(btf, "cfs_rq", "rq") && has_member(btf, "rq", "clock");
	kernel->has_loop = has_helper(btf, "BPF_FUNC_loop");
	kernel->has_task_storage = has_helper(btf, "BPF_FUNC_task_storage_get");
	kernel->has_task_pt_regs = has_helper(btf, "BPF_FUNC_task_pt_regs");
	kernel->preempt_offset = find_preempt_offset(btf);
	btf__free(btf);
	return 0;
}
