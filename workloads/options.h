// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of fast-workload, after the name of the load. */
#pragma once

#include <stddef.h>

#include "workloads/workload.h"

/*
 * Sets the values of the options in argv, each looked up in the lists (n of them, NULL
 * for an empty one). Returns 0, or EXIT_USAGE after a message.
 */
int options_parse(char **argv, const struct load_option *const *lists, size_t n);

/* "TIME", "N" and so on, or NULL for a flag. */
const char *option_placeholder(enum option_kind kind);

/* Prints the error and where to find help; returns EXIT_USAGE. */
int usage_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
