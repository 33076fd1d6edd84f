// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads that offer the CPU to each other all the time. */
#include <sched.h>
#include <stddef.h>

#include "workloads/crew.h"
#include "workloads/run.h"
#include "workloads/workload.h"

static uint64_t workers; /* 0: one per CPU */

static void yield_loop(struct worker *worker)
{
	uint64_t yields = 0;

	for (; !run_stopped(); yields++)
		sched_yield();
	worker->count = yields;
}

static int yield_run(void)
{
	struct crew crew = {
		.n = workers ? (uint32_t)workers : crew_default_size(),
		.nice = NICE_UNSET,
		.work = yield_loop,
	};
	int status = crew_start(&crew);

	if (status)
		return status;
	run_begin();
	run_wait();
	status = crew_join(&crew, NULL);
	if (status)
		return status;
	truth("yields", crew_count(&crew));
	return 0;
}

static const struct load_option yield_options[] = {
	{"workers", OPTION_COUNT, 1, 10000, .number = &workers,
	 .help = "number of threads (default: one per usable CPU)"},
	{0},
};

const struct load load_yield = {
	.name = "yield",
	.summary = "threads that call sched_yield(2) in a loop",
	.options = yield_options,
	.run = yield_run,
};
