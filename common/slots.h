// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * User space's side of bpf/target.bpf.h: finds the target, seeds its threads, moves from
 * one epoch to the next, walks the thread slots and recycles those of ended threads.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bpf/target.h"
#include "common/bpf.h"

struct slots {
	struct bpf_object_state *bpf;
	struct target_config *config; /* the object's .rodata, before load */
	struct target_shared *shared; /* its .bss, after load */
	uint32_t count;		      /* slots in all, slot 0 included */
	uint32_t seeds;	      /* the first ones: for threads that exist at the start */
	bool many;	      /* more of them, and all at once */
	uint32_t first_spare; /* slots from here on are used last */
	uint32_t fresh;	      /* the lowest one that was never handed out */
	int table_fd, free_fd, spare_fd, ended_fd;
};

/*
 * Before load: sizes the thread maps for the threads that live now and for 8,192 more (24,576 if
 * many) that may live at once.
 */
int slots_size(struct slots *slots, uint64_t threads, bool follow, bool many);

/* A subject's array of per-thread numbers gets the same size. */
int slots_size_array(struct slots *slots, const char *map);

/*
 * After load, before attaching: fills the free list and finds the target, which the caller's
 * PID namespace knows as pid. EXIT_OK, or an exit status with its message.
 */
int slots_prepare(struct slots *slots, uint32_t pid);

/* After attaching: gives slots to the threads (and, following, children) that exist.
 * 0 or -errno; -ENOTSUP when task storage cannot be created on this kernel. */
int slots_seed(struct slots *slots);

/* The current epoch ends, the next one begins (closed: the run is over). Returns the one
 * that ended, when all program runs that may have used it are over. */
uint32_t slots_next_epoch(struct slots *slots, bool closed);

/* Everything of that epoch has been read: slots of threads that ended in it may be reused. */
void slots_epoch_read(struct slots *slots, uint32_t epoch);

/* Calls each() for every slot in use. 0 or -errno. */
int slots_walk(struct slots *slots,
	       void (*each)(uint32_t slot, const struct thread_slot *entry, void *ctx),
	       void *ctx);

/* The same for threads that ended since the last call, whose slots are then free again. */
int slots_recycle(struct slots *slots,
		  void (*each)(uint32_t slot, const struct thread_slot *entry, void *ctx),
		  void *ctx);
