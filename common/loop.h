// SPDX-License-Identifier: GPL-2.0-or-later
/* One epoll for everything a running tool waits for. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum loop_reason { LOOP_DURATION, LOOP_SIGNAL, LOOP_EXIT, LOOP_PIPE, LOOP_FAILED };

struct loop {
	int epoll_fd;
	int signal_fd, duration_fd, interval_fd, tick_fd;
};

struct loop_ops {
	int (*interval)(void *ctx); /* not 0, here and below: LOOP_FAILED */
	int (*tick)(void *ctx);	    /* ten times a second */
	int (*ready)(void *ctx);    /* the extra descriptor has input */
};

/*
 * Catches the signals that end a run, also one that comes before loop_run(). From now on a
 * second SIGINT ends the program at once with status 130, whatever it is doing. 0 or -errno.
 */
int loop_init(struct loop *loop);

/*
 * Waits until the duration is over (0 = never), a signal comes, pidfd says that the process
 * has ended, or the reader of output_fd is gone. ready_fd < 0: no extra descriptor.
 */
enum loop_reason loop_run(struct loop *loop, const struct loop_ops *ops, void *ctx,
			  uint64_t duration_ns, uint64_t interval_ns, int pidfd,
			  int ready_fd, int output_fd);

void loop_close(struct loop *loop);

/* Before execve() in a child: signals as they were when we were started. */
void signal_restore(void);
