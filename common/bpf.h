// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BPF objects: what the running kernel offers, loading and attaching with errors that say
 * what to do, iterators, what the programs cost.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "common/kernel.h"
#include "common/out.h"

struct bpf_object_state {
	struct bpf_object_skeleton *skeleton; /* owned; NULL when nothing is open */
	int stats_fd;			      /* -1 unless statistics are on */
};

/* Call first: routes libbpf's messages to msg_debug() and to the last-error buffer. */
void bpf_log_init(void);

/*
 * Whether this process may load tracing programs and the kernel has BTF: EXIT_OK, or
 * EXIT_UNSUPPORTED with a message that says what is missing and what to do.
 */
int bpf_check_environment(void);

/* The program of that name is loaded (and attached) only when wanted. */
void bpf_want(struct bpf_object_state *bpf, const char *program, bool wanted);

/* Loaded, but attached only by hand. */
void bpf_no_autoattach(struct bpf_object_state *bpf, const char *program);

struct bpf_map *bpf_map_named(struct bpf_object_state *bpf, const char *name);

/* 0 or -errno; nothing is printed, bpf_load_error() has the words. */
int bpf_load(struct bpf_object_state *bpf);

/* Prints why loading or attaching failed with err, and returns EXIT_UNSUPPORTED. */
int bpf_load_error(int err);

/* Attaches what bpf_want() left on; EXIT_OK or EXIT_UNSUPPORTED with its message. */
int bpf_attach(struct bpf_object_state *bpf);

/*
 * Runs an iterator program once. each() gets every record of size bytes that it wrote (may
 * be NULL). 0 or -errno.
 */
int bpf_iterate(struct bpf_object_state *bpf, const char *program, size_t size,
		void (*each)(const void *record, void *ctx), void *ctx);

/* Before attaching: the kernel then keeps run times. Failure is only a debug message. */
void bpf_enable_cost(struct bpf_object_state *bpf);

/* One cost row for each program that ran. */
void bpf_report_cost(struct bpf_object_state *bpf, struct out *out);

/* Bytes of kernel memory that the maps take, from their fdinfo. */
uint64_t bpf_map_memory(struct bpf_object_state *bpf);

/* Detaches and unloads, for another try with another object. */
void bpf_unload(struct bpf_object_state *bpf);

/* The same, and the statistics are off; may be called twice. */
void bpf_close(struct bpf_object_state *bpf);

/*
 * Returns when every program run that was in progress at the call has ended, so that it has
 * seen what was written to the shared variables before.
 */
void bpf_wait_for_runs(void);
