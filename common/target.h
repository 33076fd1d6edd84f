// SPDX-License-Identifier: GPL-2.0-or-later
/* The process that is measured: an existing one, or a command started for it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct target {
	pid_t pid; /* as our PID namespace numbers it */
	int pidfd; /* holds the process: its number is not mistaken for a later one's */
	char comm[64], cmdline[1024];
	uint64_t threads; /* when it was opened, or released */
	bool is_kthread;
	bool is_command;
	int go_fd, status_fd; /* to the waiting child; -1 once it runs */
	bool reaped;
	int wait_status; /* of waitpid(2), when reaped */
};

/*
 * Takes hold of a running process. Refusals (no such process, a thread's id, nothing but dead
 * threads) are said on stderr; EXIT_OK or EXIT_FAILED. no_kthread refuses kernel threads.
 */
int target_attach(struct target *target, pid_t pid, bool no_kthread);

/*
 * Forks a child that waits before it executes argv. The caller must end it with
 * target_close() also when it is never released.
 */
int target_spawn(struct target *target, char *const *argv);

/*
 * Lets the child execute and waits until it has: EXIT_OK, or the shell's statuses for a
 * command that cannot be run (127 not found, 126 not executable) with a message printed.
 */
int target_release(struct target *target);

/* Reads name, arguments and number of threads again. */
void target_refresh(struct target *target);

/* Collects a command's status if it has ended. */
void target_reap(struct target *target);

/* Ends a command that still runs (SIGTERM, then up to a second's wait) and lets go. */
void target_close(struct target *target);

/* The exit status that stands for the command's: its own, or 128 + the signal. */
int target_status(const struct target *target);
