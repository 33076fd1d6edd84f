// SPDX-License-Identifier: GPL-2.0-or-later
/* A fixed number of equal workers, threads or processes, for the whole run. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct worker {
	struct crew *crew;
	uint32_t index;
	pthread_t thread;
	pid_t pid;	/* 0 for a thread */
	int nice_error; /* errno of setpriority(2) */
	/* What the load's function reports; shared with the parent. */
	uint64_t count, elapsed_ns;
};

struct crew {
	uint32_t n;
	bool processes;
	bool own_sessions; /* processes only: setsid() in each */
	int nice;	   /* NICE_UNSET or for every worker, not for the main thread */
	void (*work)(struct worker *worker);
	struct worker *workers;
};

/* Number of CPUs this process may run on: the natural size of a crew. */
uint32_t crew_default_size(void);

/* Makes the workers and waits until all have parked; 0, or an exit status after a
 * message, and then no process is left. */
int crew_start(struct crew *crew);

/*
 * After the run was stopped: waits for all. *cpu_ns (may be NULL) is the CPU time of
 * this process and of the worker processes. 0, or an exit status after a message.
 */
int crew_join(struct crew *crew, uint64_t *cpu_ns);

/* Sum of what the workers counted. */
uint64_t crew_count(const struct crew *crew);
