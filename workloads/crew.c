// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/msg.h"

#include "workloads/crew.h"
#include "workloads/run.h"
#include "workloads/spin.h"
#include "workloads/workload.h"

/* The crew whose processes are watched; a load has one. */
static const struct crew *watched;

uint32_t crew_default_size(void)
{
	cpu_set_t set;

	/* Fails where the kernel has more CPUs than the set. */
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	return (uint32_t)CPU_COUNT(&set);
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	const struct crew *crew = worker->crew;

	/* On Linux, who = 0 is the calling thread, not its whole process. */
	if (crew->nice != NICE_UNSET && setpriority(PRIO_PROCESS, 0, crew->nice) != 0)
		worker->nice_error = errno;
	run_park();
	crew->work(worker);
	return NULL;
}

static int start_process(struct worker *worker)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid > 0) {
		worker->pid = pid;
		return 0;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent may have died before the kernel knew of that wish. */
	if (getppid() != run_main_pid())
		_exit(EXIT_FAILED);
	if (worker->crew->own_sessions)
		setsid();
	work(worker);
	_exit(EXIT_OK);
}

/* For a start that failed. Threads end with the process, which exits next. */
static void kill_processes(const struct crew *crew)
{
	for (uint32_t i = 0; i < crew->n; i++) {
		pid_t pid = crew->workers[i].pid;

		if (pid == 0)
			continue;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

static bool any_process_ended(void)
{
	for (uint32_t i = 0; i < watched->n; i++) {
		siginfo_t info = {0};

		/* WNOWAIT: crew_join() reaps. */
		if (waitid(P_PID, (id_t)watched->workers[i].pid, &info,
			   WEXITED | WNOHANG | WNOWAIT) == 0 &&
		    info.si_pid)
			return true;
	}
	return false;
}

static int await_workers(struct crew *crew)
{
	if (run_await_parked(crew->n) != 0)
		return msg_fail(EXIT_FAILED, "a worker process died while it started");
	for (uint32_t i = 0; i < crew->n; i++)
		if (crew->workers[i].nice_error)
			return msg_fail(EXIT_FAILED, "cannot set the nice value %d: %s",
					crew->nice,
					strerror(crew->workers[i].nice_error));
	return 0;
}

int crew_start(struct crew *crew)
{
	int status;

	crew->workers = shared_alloc(crew->n * sizeof(*crew->workers));
	if (!crew->workers)
		return msg_fail(EXIT_FAILED, "cannot get memory: %s", strerror(errno));
	for (uint32_t i = 0; i < crew->n; i++) {
		struct worker *worker = &crew->workers[i];
		int error;

		worker->crew = crew;
		worker->index = i;
		if (crew->processes)
			error = -start_process(worker);
		else
			error = pthread_create(&worker->thread, NULL, work, worker);
		if (error) {
			msg_error("cannot start worker %" PRIu32 " of %" PRIu32 ": %s",
				  i + 1, crew->n, strerror(error));
			kill_processes(crew);
			return EXIT_FAILED;
		}
	}
	if (crew->processes) {
		watched = crew;
		run_set_child_check(any_process_ended);
	}
	status = await_workers(crew);
	if (status)
		kill_processes(crew);
	return status;
}

/*
 * A zombie still has its CPU clock, with the nanoseconds of its exit, which neither the
 * process itself nor the microseconds of getrusage(2) could give. So: look, then reap.
 */
static int join_process(const struct worker *worker, uint64_t *cpu_ns)
{
	siginfo_t info = {0};
	clockid_t clock;

	while (waitid(P_PID, (id_t)worker->pid, &info, WEXITED | WNOWAIT) != 0)
		if (errno != EINTR)
			return msg_fail(EXIT_FAILED, "cannot wait for process %d: %s",
					(int)worker->pid, strerror(errno));
	if (clock_getcpuclockid(worker->pid, &clock) == 0)
		*cpu_ns += clock_ns(clock);
	waitpid(worker->pid, NULL, 0);
	if (info.si_code != CLD_EXITED)
		return msg_fail(EXIT_FAILED, "worker process %d was killed by signal %d",
				(int)worker->pid, info.si_status);
	return info.si_status == 0 ? EXIT_OK : EXIT_FAILED;
}

int crew_join(struct crew *crew, uint64_t *cpu_ns)
{
	uint64_t children_ns = 0;
	int status = EXIT_OK;

	for (uint32_t i = 0; i < crew->n; i++) {
		struct worker *worker = &crew->workers[i];
		int failed = 0;

		if (crew->processes)
			failed = join_process(worker, &children_ns);
		else
			pthread_join(worker->thread, NULL);
		if (failed)
			status = failed;
	}
	if (cpu_ns)
		*cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + children_ns;
	return status;
}

uint64_t crew_count(const struct crew *crew)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < crew->n; i++)
		sum += crew->workers[i].count;
	return sum;
}
