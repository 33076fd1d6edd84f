// SPDX-License-Identifier: GPL-2.0-or-later
/* Slots 1 to reserve are given to new threads by the kernel side, the others to those that
 * exist at the start. */
#include "common/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "common/msg.h"
#include "common/util.h"

#define RESERVE 2048
#define RESERVE_FOLLOW 8192
#define MAX_SLOTS (1U << 20)
#define MAX_FOLLOWED 16384
#define WALK_BATCH 1024
#define CLOCK_NAPS 3
#define PID_NS_INIT_INODE 0xEFFFFFFCU /* PROC_PID_INIT_INO, include/linux/proc_ns.h */

/* When /proc does not tell we may be in one: asking the kernel side is always right. */
static bool in_pid_namespace(void)
{
	struct stat ns;

	return stat("/proc/self/ns/pid", &ns) || (uint32_t)ns.st_ino != PID_NS_INIT_INODE;
}

static uint32_t reserve(const struct slots *slots)
{
	return slots->config->follow ? RESERVE_FOLLOW : RESERVE;
}

int slots_size_array(struct slots *slots, const char *map)
{
	return bpf_map__set_max_entries(bpf_map_named(slots->bpf, map), slots->count);
}

int slots_size(struct slots *slots, uint64_t threads, bool follow)
{
	static const char *const maps[] = {"thread_table", "free_slots", "ended_slots"};
	size_t i;
	int err = 0;

	bpf_want(slots->bpf, "find_target", in_pid_namespace());
	bpf_want(slots->bpf, "find_children", follow);
	slots->config->follow = follow;
	slots->count = (uint32_t)min_of(reserve(slots) + 1 + threads * 2 + 64,
					(uint64_t)MAX_SLOTS);
	for (i = 0; i < ARRAY_SIZE(maps) && !err; i++)
		err = slots_size_array(slots, maps[i]);
	if (!err && !slots->config->use_storage)
		err = slots_size_array(slots, "thread_slots_by_tid");
	if (!err && follow)
		err = bpf_map__set_max_entries(bpf_map_named(slots->bpf, "targets"),
					       MAX_FOLLOWED);
	if (!err)
		err = bpf_map__set_autocreate(bpf_map_named(slots->bpf, "thread_slots"),
					      slots->config->use_storage);
	return err;
}

static int find_target(struct slots *slots, uint32_t pid)
{
	int err;

	slots->shared->self_tgid = (uint32_t)getpid();
	slots->shared->tgid = pid;
	if (!in_pid_namespace())
		return EXIT_OK;
	slots->shared->tgid = 0;
	slots->shared->find_ns_tgid = pid;
	err = bpf_iterate(slots->bpf, "find_target", 0, NULL, NULL);
	if (err)
		return msg_fail(EXIT_UNSUPPORTED, "cannot list tasks: %s",
				strerror(-err));
	if (!slots->shared->tgid)
		return msg_fail(EXIT_FAILED,
				"process %u is not in this PID namespace, or has ended",
				pid);
	return EXIT_OK;
}

int slots_prepare(struct slots *slots, uint32_t pid)
{
	uint32_t slot, one = 1, tgid;
	int status;

	slots->table_fd = bpf_map__fd(bpf_map_named(slots->bpf, "thread_table"));
	slots->free_fd = bpf_map__fd(bpf_map_named(slots->bpf, "free_slots"));
	slots->ended_fd = bpf_map__fd(bpf_map_named(slots->bpf, "ended_slots"));
	for (slot = 1; slot <= reserve(slots); slot++)
		if (bpf_map_update_elem(slots->free_fd, NULL, &slot, 0))
			return msg_fail(EXIT_FAILED, "cannot fill a map: %s",
					strerror(errno));
	slots->shared->seed_slot = slot;
	status = find_target(slots, pid);
	if (status || !slots->config->follow)
		return status;
	tgid = slots->shared->tgid;
	slots->shared->filter[tgid / 64 % TARGET_FILTER_WORDS] |= 1ULL << (tgid % 64);
	bpf_map_update_elem(bpf_map__fd(bpf_map_named(slots->bpf, "targets")), &tgid,
			    &one, 0);
	return EXIT_OK;
}

int slots_seed(struct slots *slots)
{
	int err = 0;

	while (slots->config->follow) {
		slots->shared->found_children = 0;
		err = bpf_iterate(slots->bpf, "find_children", 0, NULL, NULL);
		if (err || !slots->shared->found_children)
			break;
	}
	if (!err)
		err = bpf_iterate(slots->bpf, "seed_threads", 0, NULL, NULL);
	if (!err && slots->shared->storage_failed)
		err = -ENOTSUP;
	return err;
}

uint32_t slots_next_epoch(struct slots *slots, bool closed)
{
	uint32_t old = slots->shared->epoch,
		 next = (old + 1) | (closed ? EPOCH_CLOSED : 0);
	const struct timespec nap = {.tv_nsec = 50 * 1000};
	int i;

	__atomic_store_n(&slots->shared->epoch, next, __ATOMIC_SEQ_CST);
	if (!old)
		return old;
	bpf_wait_for_runs();
	slots->shared->clock_known = 0;
	for (i = 0; i < CLOCK_NAPS; i++)
		nanosleep(&nap, NULL); /* brings our run queue's clock up to date */
	return old;
}

int slots_walk(struct slots *slots,
	       void (*each)(uint32_t slot, const struct thread_slot *entry, void *ctx),
	       void *ctx)
{
	struct thread_slot *entries = calloc(WALK_BATCH, sizeof(*entries));
	uint32_t *keys = calloc(WALK_BATCH, sizeof(*keys));
	uint32_t i, in = 0, out = 0, n;
	bool first = true;
	int err = entries && keys ? 0 : -ENOMEM;

	while (!err) {
		n = WALK_BATCH;
		if (bpf_map_lookup_batch(slots->table_fd, first ? NULL : &in, &out, keys,
					 entries, &n, NULL))
			err = errno == ENOENT ? 1 : -errno;
		for (i = 0; i < n && err >= 0; i++)
			if (entries[i].in_use)
				each(keys[i], &entries[i], ctx);
		in = out;
		first = false;
	}
	free(entries);
	free(keys);
	return err < 0 ? err : 0;
}

int slots_recycle(struct slots *slots,
		  void (*each)(uint32_t slot, const struct thread_slot *entry, void *ctx),
		  void *ctx)
{
	static const struct thread_slot unused;
	struct thread_slot entry;
	uint32_t slot;

	while (!bpf_map_lookup_and_delete_elem(slots->ended_fd, NULL, &slot)) {
		if (bpf_map_lookup_elem(slots->table_fd, &slot, &entry))
			return -errno;
		each(slot, &entry, ctx);
		if (bpf_map_update_elem(slots->table_fd, &slot, &unused, 0))
			return -errno;
		/* Seed slots join the free ones, so the queue must have room for all. */
		if (bpf_map_update_elem(slots->free_fd, NULL, &slot, 0))
			return -errno;
	}
	return errno == ENOENT ? 0 : -errno;
}
