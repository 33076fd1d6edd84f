// SPDX-License-Identifier: GPL-2.0-or-later
/* Words for the user, all on stderr: "NAME: text\n". Data goes through out.h. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>

enum exit_status {
	EXIT_OK = 0,
	EXIT_FAILED = 1,      /* it failed while running, or the target was refused */
	EXIT_USAGE = 2,	      /* wrong options */
	EXIT_UNSUPPORTED = 3, /* cannot run here: privilege, BTF, a missing tracepoint */
};

/* Call once, before the rest; name is kept, not copied. */
void msg_init(const char *name);
void msg_set_verbose(bool verbose);
bool msg_is_verbose(void);

void msg_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void msg_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Only with -v. */
void msg_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the error and returns status, for `return msg_fail(EXIT_FAILED, ...)`. */
int msg_fail(enum exit_status status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The second line of a usage error: where help is to be had. */
void msg_try_help(void);

/* A line that is overwritten by the next one; only when stderr is a terminal. NULL or ""
 * clears it. msg_error and msg_note clear it first. */
void msg_progress(const char *text);
