// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One thread that wants to run at known times. It is the main thread, so that the
 * process has one task only, and its pid is also its thread id.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <time.h>

#include "common/util.h"

#include "workloads/run.h"
#include "workloads/spin.h"
#include "workloads/workload.h"

static uint64_t period_ns = NSEC_PER_MSEC;
static uint64_t busy_ns; /* 0: none */

/* What the thread sleeps until; the signal handler sets it to zero. */
static struct timespec wake;

/*
 * A signal that comes just before the sleep must not be slept over. The kernel reads
 * `wake` when the sleep begins, so that one that is zero by then ends it at once.
 */
static void on_signal(int number)
{
	(void)number;
	run_stop();
	wake = (struct timespec){0};
}

static void take_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	action.sa_mask = set;
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void sleep_until(uint64_t deadline)
{
	/* Again after EINTR: SIGSTOP and SIGCONT also cause it. */
	do {
		wake = timespec_of(deadline);
		atomic_signal_fence(memory_order_seq_cst);
		if (run_stopped())
			return;
	} while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL) != 0);
}

static int target_run(void)
{
	uint64_t periods = 0, missed = 0, late_max = 0, late_total = 0, next, end;

	/* The default slack of 50 us would make every wakeup late by itself. */
	prctl(PR_SET_TIMERSLACK, 1);
	run_begin();
	end = run_deadline_ns();
	take_signals();
	next = clock_ns(CLOCK_MONOTONIC) + period_ns;
	while (next < end) {
		uint64_t late;

		sleep_until(next);
		if (run_stopped())
			break;
		late = clock_ns(CLOCK_MONOTONIC) - next;
		periods++;
		late_total += late;
		late_max = max_of(late_max, late);
		if (busy_ns)
			spin_cpu(busy_ns, end);
		/* Periods that are over already are left out, not caught up. */
		late = clock_ns(CLOCK_MONOTONIC) - next;
		missed += late / period_ns;
		next += (late / period_ns + 1) * period_ns;
	}
	sleep_until(end);
	if (!run_stopped())
		run_stop();
	truth("periods", periods);
	truth("missed", missed);
	truth("late_max_ns", late_max);
	truth("late_total_ns", late_total);
	return 0;
}

static const struct load_option target_options[] = {
	{"period", OPTION_DURATION, .max = TIME_MAX_NS, .number = &period_ns,
	 .help = "time from one wakeup to the next (default 1ms)"},
	{"busy", OPTION_DURATION, .max = TIME_MAX_NS, .number = &busy_ns,
	 .help = "CPU time to spin in each period (default: none)"},
	{0},
};

const struct load load_target = {
	.name = "target",
	.summary = "one thread that wakes once per period and tells how late it was",
	.options = target_options,
	.run = target_run,
};
