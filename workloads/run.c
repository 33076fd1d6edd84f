// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/msg.h"

#include "workloads/run.h"
#include "workloads/spin.h"

enum phase { PHASE_PARKED, PHASE_RUNNING, PHASE_STOPPED };

/* Shared with worker processes. */
struct run {
	_Atomic uint32_t phase;
	_Atomic uint32_t parked,
		parked_target; /* workers at the gate; how many to await */
	_Atomic uint64_t begin_ns, end_ns;
};

static struct run *run;
static struct run_config config;
static pid_t main_pid;
static bool (*any_child_ended)(void);

/* FUTEX_WAIT_BITSET takes an absolute time, of CLOCK_MONOTONIC. */
void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t deadline_ns)
{
	struct timespec deadline = timespec_of(deadline_ns);

	syscall(SYS_futex, word, FUTEX_WAIT_BITSET, value, deadline_ns ? &deadline : NULL,
		NULL, FUTEX_BITSET_MATCH_ANY);
}

void futex_wake_all(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void *shared_alloc(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static void run_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGCHLD);
	sigaddset(set, SIGUSR1); /* run_finish() */
}

static int pin(uint64_t cpu)
{
	cpu_set_t set;

	if (cpu >= CPU_SETSIZE)
		return -EINVAL;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0 ? 0 : -errno;
}

int run_init(const struct run_config *wanted)
{
	sigset_t set;

	config = *wanted;
	main_pid = getpid();
	run = shared_alloc(sizeof(*run));
	if (!run)
		return msg_fail(EXIT_FAILED, "cannot get memory: %s", strerror(errno));
	run_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* An inherited SIG_IGN would reap the workers before they are looked at. */
	signal(SIGCHLD, SIG_DFL);
	/* A pipe that lost its reader shall be an error, not a death without a word. */
	signal(SIGPIPE, SIG_IGN);
	if (config.name)
		prctl(PR_SET_NAME, config.name);
	if (config.cpu == RUN_ANY_CPU)
		return 0;
	int error = pin(config.cpu);

	if (error)
		return msg_fail(EXIT_FAILED, "cannot run on CPU %" PRIu64 ": %s",
				config.cpu, strerror(-error));
	return 0;
}

void run_park(void)
{
	if (atomic_fetch_add(&run->parked, 1) + 1 == atomic_load(&run->parked_target))
		futex_wake_all(&run->parked);
	while (atomic_load(&run->phase) == PHASE_PARKED)
		futex_wait(&run->phase, PHASE_PARKED, 0);
}

void run_set_child_check(bool (*any_ended)(void))
{
	any_child_ended = any_ended;
}

static bool child_ended(void)
{
	return any_child_ended && any_child_ended();
}

int run_await_parked(uint32_t n)
{
	uint32_t parked;

	atomic_store(&run->parked_target, n);
	while ((parked = atomic_load(&run->parked)) < n) {
		/* Short, so that a process killed before it parked is noticed. */
		futex_wait(&run->parked, parked,
			   clock_ns(CLOCK_MONOTONIC) + 100 * NSEC_PER_MSEC);
		if (child_ended())
			return -ECHILD;
	}
	return 0;
}

void run_begin(void)
{
	printf("pid=%d\n", (int)main_pid);
	fflush(stdout);
	if (config.wait)
		raise(SIGSTOP);
	atomic_store(&run->begin_ns, clock_ns(CLOCK_MONOTONIC));
	atomic_store(&run->phase, PHASE_RUNNING);
	futex_wake_all(&run->phase);
}

void run_wait(void)
{
	uint64_t deadline = run_deadline_ns();
	sigset_t set;

	run_signals(&set);
	for (;;) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
		struct timespec rest = timespec_of(now < deadline ? deadline - now : 0);
		int signal_number = sigtimedwait(&set, NULL, &rest);

		/* EINTR is a SIGSTOP and SIGCONT meanwhile. */
		if (signal_number < 0 && errno == EINTR)
			continue;
		/* Also comes for a worker that was stopped or continued. */
		if (signal_number == SIGCHLD && !child_ended())
			continue;
		break;
	}
	run_stop();
}

void run_stop(void)
{
	int saved = errno;

	atomic_store(&run->end_ns, clock_ns(CLOCK_MONOTONIC));
	atomic_store(&run->phase, PHASE_STOPPED);
	futex_wake_all(&run->phase);
	errno = saved;
}

bool run_stopped(void)
{
	return atomic_load_explicit(&run->phase, memory_order_relaxed) == PHASE_STOPPED;
}

void run_finish(void)
{
	kill(main_pid, SIGUSR1);
}

uint64_t run_deadline_ns(void)
{
	return atomic_load(&run->begin_ns) + config.duration_ns;
}

uint64_t run_elapsed_ns(void)
{
	return atomic_load(&run->end_ns) - atomic_load(&run->begin_ns);
}

pid_t run_main_pid(void)
{
	return main_pid;
}

void run_sleep_until(uint64_t deadline_ns)
{
	while (!run_stopped() && clock_ns(CLOCK_MONOTONIC) < deadline_ns)
		futex_wait(&run->phase, PHASE_RUNNING, deadline_ns);
}

void truth(const char *key, uint64_t value)
{
	printf("%s=%" PRIu64 "\n", key, value);
}
