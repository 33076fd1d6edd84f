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

/* Threads that may be born and live, and keep their numbers until a tick. For a process that runs already
 * most are handed out at the first tick only, so as not to hold up the start. */
#define RESERVE 8192
#define RESERVE_MANY \
	24576 /* for a command and for processes with children: nobody knows */
#define RESERVE_AT_ONCE 1024
#define RESERVE_LOW 2048 /* of them below first_spare */
#define WITHOUT_STORAGE \
	1024 /* threads for which there was no memory, on kernels that have it */
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

int slots_size_array(struct slots *slots, const char *map)
{
	return bpf_map__set_max_entries(bpf_map_named(slots->bpf, map), slots->count);
}

int slots_size(struct slots *slots, uint64_t threads, bool follow, bool many)
{
	static const char *const maps[] = {"thread_table", "free_slots", "spare_slots",
					   "ended_slots"};
	size_t i;
	int err = 0;

	bpf_want(slots->bpf, "find_target", in_pid_namespace());
	bpf_want(slots->bpf, "find_children", follow);
	slots->config->follow = follow;
	slots->seeds = (uint32_t)min_of(threads + threads / 4 + 64, (uint64_t)MAX_SLOTS);
	slots->many = many || follow;
	slots->count = 1 + slots->seeds + (slots->many ? RESERVE_MANY : RESERVE);
	slots->first_spare = 1 + slots->seeds + RESERVE_LOW;
	for (i = 0; i < ARRAY_SIZE(maps) && !err; i++)
		err = slots_size_array(slots, maps[i]);
	if (!err)
		err = bpf_map__set_max_entries(
			bpf_map_named(slots->bpf, "thread_slots_by_task"),
			slots->config->use_storage ? WITHOUT_STORAGE : slots->count);
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

static int put_back(struct slots *slots, uint32_t slot)
{
	int fd = slot < slots->first_spare ? slots->free_fd : slots->spare_fd;

	return bpf_map_update_elem(fd, NULL, &slot, 0) ? -errno : 0;
}

/* Hands out more of the slots that were never used. */
static int hand_out(struct slots *slots, uint32_t count)
{
	int err = 0;

	while (!err && count-- && slots->fresh < slots->count)
		err = put_back(slots, slots->fresh++);
	return err;
}

int slots_prepare(struct slots *slots, uint32_t pid)
{
	uint32_t one = 1, tgid;
	int status, err;

	slots->table_fd = bpf_map__fd(bpf_map_named(slots->bpf, "thread_table"));
	slots->free_fd = bpf_map__fd(bpf_map_named(slots->bpf, "free_slots"));
	slots->spare_fd = bpf_map__fd(bpf_map_named(slots->bpf, "spare_slots"));
	slots->ended_fd = bpf_map__fd(bpf_map_named(slots->bpf, "ended_slots"));
	msg_debug("threads are found by %s",
		  slots->config->use_storage ? "task storage" : "a hash by task");
	slots->shared->seed_slot = 1;
	slots->shared->seed_end = 1 + slots->seeds;
	slots->fresh = 1 + slots->seeds;
	err = hand_out(slots, slots->many ? slots->count : RESERVE_AT_ONCE);
	if (err)
		return msg_fail(EXIT_FAILED, "cannot fill a map: %s", strerror(-err));
	status = find_target(slots, pid);
	if (status || !slots->config->follow)
		return status;
	tgid = slots->shared->tgid;
	slots->shared->filter[tgid % TARGET_FILTER] = 1;
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
		return -ENOTSUP;
	/* Room that the threads of the start did not take is for later ones. */
	while (!err && slots->shared->seed_end > slots->shared->seed_slot) {
		slots->shared->seed_end--;
		err = put_back(slots, slots->shared->seed_end);
	}
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

void slots_epoch_read(struct slots *slots, uint32_t epoch)
{
	__atomic_store_n(&slots->shared->read_epoch, epoch, __ATOMIC_SEQ_CST);
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

	int err;

	err = hand_out(slots, slots->count);
	if (err)
		return err;
	while (!bpf_map_lookup_and_delete_elem(slots->ended_fd, NULL, &slot)) {
		if (bpf_map_lookup_elem(slots->table_fd, &slot, &entry))
			return -errno;
		each(slot, &entry, ctx);
		if (bpf_map_update_elem(slots->table_fd, &slot, &unused, 0))
			return -errno;
		err = put_back(slots, slot);
		if (err)
			return err;
	}
	return errno == ENOENT ? 0 : -errno;
}
