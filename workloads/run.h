// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The course of a run, the same for every load: workers are made and park at a gate,
 * the process prints pid=, opens the gate (and --duration begins), waits for its end or
 * for SIGTERM or SIGINT, and the load prints its truth.
 *
 * All signals that matter are blocked in every thread and every worker process. Only
 * the main thread takes them, in run_wait().
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct run_config {
	uint64_t duration_ns;
	uint64_t cpu; /* RUN_ANY_CPU, or the one to pin everything to */
	const char *name;
	bool wait;
};

#define RUN_ANY_CPU UINT64_MAX

/*
 * Main thread, before any worker. Name and CPU are inherited by all threads and
 * processes that follow. Returns 0, or an exit status after a message.
 */
int run_init(const struct run_config *config);

/* Worker: says that it exists, and returns when the gate opens. */
void run_park(void);
/* Main thread: until n workers have parked; -ECHILD when a process died before. */
int run_await_parked(uint32_t n);

/*
 * How to know that a worker process has ended. SIGCHLD alone does not tell: the program
 * may have been exec'ed by a process that had other children. NULL: there are none.
 */
void run_set_child_check(bool (*any_ended)(void));

/* Prints pid=, stops the process if --wait was given, starts the time, opens the gate. */
void run_begin(void);
/* Main thread: until the duration is over, a signal comes, a worker calls run_finish()
 * or a worker process ends; then stops the run. */
void run_wait(void);

/* Stops the run at once. Safe in a signal handler. */
void run_stop(void);
bool run_stopped(void);
/* Any thread or worker process: makes run_wait() return. */
void run_finish(void);

/* When the run is over, CLOCK_MONOTONIC; valid once the gate is open. */
uint64_t run_deadline_ns(void);
uint64_t run_elapsed_ns(void);
pid_t run_main_pid(void);

/* Sleeps until then (CLOCK_MONOTONIC) or until the run is stopped. */
void run_sleep_until(uint64_t deadline_ns);

/* Waits while *word is value, at most until deadline_ns (0: no bound); may wake early. */
void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t deadline_ns);
void futex_wake_all(_Atomic uint32_t *word);

/* Zeroed memory that fork() shares; never freed. NULL when there is none. */
void *shared_alloc(size_t bytes);

/* One line "key=value" of what the load knows about itself. */
void truth(const char *key, uint64_t value);
