// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes all the CPU it is given. */
#include <stddef.h>

#include "workloads/crew.h"
#include "workloads/run.h"
#include "workloads/spin.h"
#include "workloads/workload.h"

static uint64_t workers; /* 0: one per CPU */
static bool processes;
static int nice_value = NICE_UNSET;

static void spin(struct worker *worker)
{
	uint64_t loops = 0;

	/* A local count: the workers' counters share cache lines. */
	for (; !run_stopped(); loops++)
		spin_once();
	worker->count = loops;
}

static int hog_run(void)
{
	struct crew crew = {
		.n = workers ? (uint32_t)workers : crew_default_size(),
		.processes = processes,
		/*
		 * With autogroup, each session gets an equal share of the CPU whatever
		 * the nice values of its tasks, which count only inside of it.
		 */
		.own_sessions = processes && nice_value == NICE_UNSET,
		.nice = nice_value,
		.work = spin,
	};
	uint64_t cpu_ns;
	int status = crew_start(&crew);

	if (status)
		return status;
	run_begin();
	run_wait();
	status = crew_join(&crew, &cpu_ns);
	if (status)
		return status;
	truth("loops", crew_count(&crew));
	truth("cpu_ns", cpu_ns);
	return 0;
}

static const struct load_option hog_options[] = {
	{"workers", OPTION_COUNT, 1, 10000, .number = &workers,
	 .help = "number of workers (default: one per usable CPU)"},
	{"processes", OPTION_FLAG, .flag = &processes,
	 .help = "workers are processes, each in a session of its own, not threads"},
	{"nice", OPTION_NICE, .nice = &nice_value,
	 .help = "nice value of the workers, -20 to 19; all stay in one session"},
	{0},
};

static const char *const hog_aliases[] = {"cpu-hog", NULL};

const struct load load_hog = {
	.name = "hog",
	.aliases = hog_aliases,
	.summary = "workers that spin in user space",
	.options = hog_options,
	.run = hog_run,
};
