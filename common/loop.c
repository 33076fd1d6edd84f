// SPDX-License-Identifier: GPL-2.0-or-later
/* Timers, signals, the target's end and the ring buffer, all as descriptors. */
#include "common/loop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "common/util.h"

#define TICK_NS (100 * NSEC_PER_MSEC)
#define STATUS_INTERRUPTED 130 /* 128 + SIGINT, as shells report it */

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

/* A handler has no other way to its data. */
static struct {
	int event_fd;
	volatile sig_atomic_t interrupts;
	struct sigaction before[ARRAY_SIZE(ending_signals)];
	struct sigaction before_pipe, before_size, before_child;
	sigset_t mask_before;
} signals = {.event_fd = -1};

static void on_signal(int number)
{
	const uint64_t one = 1;
	int saved = errno;

	if (number == SIGINT && ++signals.interrupts > 1)
		_exit(STATUS_INTERRUPTED);
	if (write(signals.event_fd, &one, sizeof(one)) < 0)
		_exit(STATUS_INTERRUPTED);
	errno = saved;
}

void signal_restore(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ending_signals); i++)
		sigaction(ending_signals[i], &signals.before[i], NULL);
	sigaction(SIGPIPE, &signals.before_pipe, NULL);
	sigaction(SIGXFSZ, &signals.before_size, NULL);
	sigaction(SIGCHLD, &signals.before_child, NULL);
	sigprocmask(SIG_SETMASK, &signals.mask_before, NULL);
}

int loop_init(struct loop *loop)
{
	sigset_t unblocked;
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	size_t i;

	memset(loop, 0, sizeof(*loop));
	loop->duration_fd = loop->interval_fd = loop->tick_fd = -1;
	loop->signal_fd = signals.event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->signal_fd < 0 || loop->epoll_fd < 0)
		return -errno;
	for (i = 0; i < ARRAY_SIZE(ending_signals); i++) {
		sigaction(ending_signals[i], NULL, &signals.before[i]);
		/* As nohup(1) wants it. */
		if (ending_signals[i] != SIGHUP ||
		    signals.before[i].sa_handler != SIG_IGN)
			sigaction(ending_signals[i], &action, NULL);
	}
	/* A reader that goes away and a full file are errors of the write, not signals; a
	 * command's status is wanted, also by those who were started ignoring it. */
	sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN},
		  &signals.before_pipe);
	sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN},
		  &signals.before_size);
	sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL},
		  &signals.before_child);
	sigemptyset(&unblocked);
	for (i = 0; i < ARRAY_SIZE(ending_signals); i++)
		sigaddset(&unblocked, ending_signals[i]);
	sigprocmask(SIG_UNBLOCK, &unblocked, &signals.mask_before);
	return 0;
}

static bool watch(struct loop *loop, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	return !epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static int start_timer(struct loop *loop, uint64_t ns, bool repeat)
{
	struct itimerspec spec = {};
	int fd;

	if (!ns)
		return -1;
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	spec.it_value.tv_sec = (time_t)(ns / NSEC_PER_SEC);
	spec.it_value.tv_nsec = (long)(ns % NSEC_PER_SEC);
	if (repeat)
		spec.it_interval = spec.it_value;
	if (fd < 0 || timerfd_settime(fd, 0, &spec, NULL) || !watch(loop, fd, EPOLLIN)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int drain(int fd)
{
	uint64_t expirations;

	return read(fd, &expirations, sizeof(expirations)) < 0 && errno != EAGAIN;
}

enum loop_reason loop_run(struct loop *loop, const struct loop_ops *ops, void *ctx,
			  uint64_t duration_ns, uint64_t interval_ns, int pidfd,
			  int ready_fd, int output_fd)
{
	struct epoll_event event;
	int fd;

	loop->duration_fd = start_timer(loop, duration_ns, false);
	loop->interval_fd = start_timer(loop, interval_ns, true);
	loop->tick_fd = start_timer(loop, TICK_NS, true);
	watch(loop, loop->signal_fd, EPOLLIN);
	watch(loop, pidfd, EPOLLIN);
	/* No event asked for: a pipe still tells when its reader is gone. */
	watch(loop, output_fd, 0);
	if (ready_fd >= 0)
		watch(loop, ready_fd, EPOLLIN);
	if ((duration_ns && loop->duration_fd < 0) || loop->tick_fd < 0)
		return LOOP_FAILED;
	for (;;) {
		if (epoll_wait(loop->epoll_fd, &event, 1, -1) < 0) {
			if (errno == EINTR)
				continue;
			return LOOP_FAILED;
		}
		fd = event.data.fd;
		if (fd == loop->signal_fd)
			return LOOP_SIGNAL;
		if (fd == loop->duration_fd)
			return LOOP_DURATION;
		if (fd == pidfd)
			return LOOP_EXIT;
		if (fd == output_fd)
			return LOOP_PIPE;
		if ((fd == loop->interval_fd || fd == loop->tick_fd) && drain(fd))
			return LOOP_FAILED;
		if (fd == loop->interval_fd ? ops->interval(ctx)
		    : fd == loop->tick_fd   ? ops->tick(ctx)
					    : ops->ready(ctx))
			return LOOP_FAILED;
	}
}

void loop_close(struct loop *loop)
{
	const int fds[] = {loop->epoll_fd, loop->signal_fd, loop->duration_fd,
			   loop->interval_fd, loop->tick_fd};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] > 0)
			close(fds[i]);
}
