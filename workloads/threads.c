// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that are born and die. Each starts its successor itself just before it ends,
 * so that births need no help of the main thread, and joins its predecessor before.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common/msg.h"
#include "common/parse.h"
#include "common/util.h"

#include "workloads/options.h"
#include "workloads/run.h"
#include "workloads/spin.h"
#include "workloads/workload.h"

#define SPIN_NS (200 * NSEC_PER_USEC)
#define SLEEP_NS (1 * NSEC_PER_MSEC)
#define LIFE_DEFAULT_NS (50 * NSEC_PER_MSEC)

/* On top of PTHREAD_STACK_MIN, which leaves next to nothing for the thread itself. A
 * multiple of any page size. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK_EXTRA (2 * 1024 * 1024)
#else
#define STACK_EXTRA (64 * 1024)
#endif

static uint64_t n_threads = 8;
static uint64_t life_ns; /* 0: not given */
static bool stay, sleepers;

/*
 * One for each thread that is alive, handed on to its successor. There are two stacks:
 * the predecessor may still be on its own. They are not left to libc, which would map
 * and discard pages for each thread: waits for the mmap lock as a thread exits.
 */
struct slot {
	char *stacks;
	uint64_t generation; /* its parity chooses the stack */
	uint64_t born_ns;    /* 0: before the run */
	pthread_t last, previous;
};

static struct slot *slots;
static size_t stack_size;
static _Atomic uint64_t created, ended;
static _Atomic uint64_t run_ns, wait_ns, slices;
static _Atomic uint32_t alive;
static _Atomic int start_error, read_error; /* the first errno of each */

static int read_own_schedstat(char *text, size_t size)
{
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = read(fd, text, size - 1);
	close(fd);
	if (got <= 0)
		return -EIO;
	text[got] = '\0';
	return 0;
}

/*
 * Adds what the kernel knows about this thread. It is the last thing a thread does:
 * what it still runs and waits on its way out is in nobody's sum.
 */
static int add_own_schedstat(void)
{
	uint64_t run, wait, n;
	const char *cursor;
	char text[96];
	int error;

	/* The run time is brought up to date at each tick only, and by this clock. */
	clock_ns(CLOCK_THREAD_CPUTIME_ID);
	/* Thousands that end at once may need more descriptors than there are. */
	while ((error = read_own_schedstat(text, sizeof(text))) == -EMFILE)
		nanosleep(&(struct timespec){.tv_nsec = NSEC_PER_MSEC}, NULL);
	if (error)
		return error;
	cursor = text;
	if (parse_field_u64(&cursor, &run) || parse_field_u64(&cursor, &wait) ||
	    parse_field_u64(&cursor, &n))
		return -EINVAL;
	atomic_fetch_add(&run_ns, run);
	atomic_fetch_add(&wait_ns, wait);
	atomic_fetch_add(&slices, n);
	return 0;
}

static void live(uint64_t deadline)
{
	if (sleepers) {
		run_sleep_until(deadline);
		return;
	}
	while (!run_stopped() && clock_ns(CLOCK_MONOTONIC) < deadline) {
		struct timespec wake;

		spin_cpu(SPIN_NS, deadline);
		wake = timespec_of(
			min_of(clock_ns(CLOCK_MONOTONIC) + SLEEP_NS, deadline));
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
	}
}

static int start_thread(struct slot *slot);

/* The caller ends next; true if another thread has its place. */
static bool hand_over(struct slot *slot)
{
	int error;

	if (slot->generation > 0)
		pthread_join(slot->previous, NULL);
	if (stay || run_stopped())
		return false;
	slot->previous = pthread_self();
	slot->generation++;
	/* Life counts from the birth, also if the CPU comes much later. */
	slot->born_ns = clock_ns(CLOCK_MONOTONIC);
	error = start_thread(slot);
	if (error) {
		atomic_store(&start_error, error);
		run_finish();
	}
	return error == 0;
}

static void *thread_main(void *argument)
{
	struct slot *slot = argument;
	uint64_t born = slot->born_ns;
	bool replaced;
	int error;

	slot->last = pthread_self();
	if (born == 0) {
		run_park();
		born = clock_ns(CLOCK_MONOTONIC);
	}
	live(stay ? run_deadline_ns() : born + life_ns);
	replaced = hand_over(slot);
	error = add_own_schedstat();
	if (error)
		atomic_store(&read_error, -error);
	atomic_fetch_add(&ended, 1);
	/* `alive` counts slots: it is down to 0 when the last of every line is here. */
	if (!replaced && atomic_fetch_sub(&alive, 1) == 1)
		futex_wake_all(&alive);
	return NULL;
}

static int start_thread(struct slot *slot)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes,
			      slot->stacks + slot->generation % 2 * stack_size,
			      stack_size);
	atomic_fetch_add(&created, 1);
	error = pthread_create(&thread, &attributes, thread_main, slot);
	if (error)
		atomic_fetch_sub(&created, 1);
	pthread_attr_destroy(&attributes);
	return error;
}

/* Address space only: a page is there once a thread has used it. */
static int make_slots(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes;
	char *stacks;

	stack_size = ((size_t)PTHREAD_STACK_MIN + STACK_EXTRA + page - 1) / page * page;
	bytes = n_threads * 2 * stack_size;
	stacks = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	slots = calloc(n_threads, sizeof(*slots));
	if (!slots || stacks == MAP_FAILED)
		return msg_fail(EXIT_FAILED,
				"cannot get memory for %" PRIu64 " threads: %s",
				n_threads, strerror(errno));
	/* One huge page would give memory to the stacks of many threads at once. */
	madvise(stacks, bytes, MADV_NOHUGEPAGE);
	for (uint64_t i = 0; i < n_threads; i++)
		slots[i].stacks = stacks + i * 2 * stack_size;
	return 0;
}

static int start_fail(int error, uint64_t n)
{
	return msg_fail(EXIT_FAILED,
			"cannot start thread %" PRIu64 ": %s (one of these limits: "
			"ulimit -u, the sysctls kernel.threads-max and kernel.pid_max, "
			"pids.max of the cgroup, memory)",
			n, strerror(error));
}

static int start_all(void)
{
	int status = make_slots();

	if (status)
		return status;
	atomic_store(&alive, (uint32_t)n_threads);
	for (uint64_t i = 0; i < n_threads; i++) {
		int error = start_thread(&slots[i]);

		if (error)
			return start_fail(error, i + 1);
	}
	/* Cannot fail: there are no processes. */
	run_await_parked((uint32_t)n_threads);
	return 0;
}

static void join_all(void)
{
	uint32_t left;

	while ((left = atomic_load(&alive)) != 0)
		futex_wait(&alive, left, 0);
	for (uint64_t i = 0; i < n_threads; i++)
		pthread_join(slots[i].last, NULL);
}

static int print_truth(void)
{
	struct rusage usage;
	int error = add_own_schedstat(); /* the main thread is one of the process's */

	if (error)
		atomic_store(&read_error, -error);
	if (read_error)
		return msg_fail(EXIT_FAILED,
				"cannot read /proc/thread-self/schedstat: %s",
				strerror(read_error));
	/*
	 * RUSAGE_SELF, not a sum of RUSAGE_THREAD: it also has the switches of ended
	 * threads between their last look and their end. Only the switch away from a
	 * dead thread, one for each, is in neither.
	 */
	getrusage(RUSAGE_SELF, &usage);
	truth("created", created);
	truth("ended", ended);
	truth("wait_ns", wait_ns);
	truth("run_ns", run_ns);
	truth("slices", slices);
	truth("voluntary", (uint64_t)usage.ru_nvcsw);
	truth("involuntary", (uint64_t)usage.ru_nivcsw);
	return 0;
}

static int threads_run(void)
{
	int status;

	if (stay && life_ns)
		return usage_fail("--stay and --life exclude each other");
	if (sleepers && !life_ns)
		stay = true;
	if (!life_ns)
		life_ns = LIFE_DEFAULT_NS;
	status = start_all();
	if (status)
		return status;
	run_begin();
	run_wait();
	join_all();
	if (start_error)
		return start_fail(start_error, created + 1);
	return print_truth();
}

static const struct load_option threads_options[] = {
	{"threads", OPTION_COUNT, 1, 4194304, .number = &n_threads,
	 .help = "number of threads alive at a time (default 8)"},
	{"life", OPTION_DURATION, .max = TIME_MAX_NS, .number = &life_ns,
	 .help = "how long each lives before another takes its place (default 50ms)"},
	{"stay", OPTION_FLAG, .flag = &stay,
	 .help = "the threads live for the whole run"},
	{"sleepers", OPTION_FLAG, .flag = &sleepers,
	 .help = "the threads only sleep, for the whole run unless --life is given"},
	{0},
};

const struct load load_threads = {
	.name = "threads",
	.summary = "threads that spin 200us, sleep 1ms, and are replaced by new ones",
	.options = threads_options,
	.run = threads_run,
};
