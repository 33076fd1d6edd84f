// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options as data: one table entry is parser, range check, --help line, man page entry and
 * shell completion.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum opt_type {
	OPT_FLAG,      /* bool */
	OPT_SET,       /* int := value; the last one given wins */
	OPT_U64,       /* uint64_t within min..max */
	OPT_PID,       /* uint64_t, a process id */
	OPT_TIME,      /* uint64_t ns; a bare number means seconds */
	OPT_TIME_UNIT, /* uint64_t ns; the unit must be given */
	OPT_SIZE,      /* uint64_t bytes */
	OPT_STRING,    /* const char *, not empty */
	OPT_WORD,      /* int := index in words */
};

struct option_def {
	const char *name; /* long name */
	char letter;	  /* 0 = none */
	enum opt_type type;
	const char *arg; /* its argument's name in --help; NULL = takes none */
	const char *help;
	size_t offset;		  /* into the configuration it belongs to */
	uint64_t min, max;	  /* OPT_U64, OPT_SIZE; max 0 = no limit */
	const char *const *words; /* OPT_WORD, NULL-terminated */
	int value;		  /* OPT_SET */
};

/* A table and the configuration its offsets are relative to. */
struct option_group {
	const struct option_def *options;
	size_t count;
	void *conf;
};

/*
 * Parses argv up to the first word that is not an option, whose index is returned. On an
 * error one line is on stderr and the result is -1. Groups must not share names.
 */
int opt_parse(int argc, char **argv, const struct option_group *groups, size_t count);

/* The "  -x, --name=ARG   text" lines, wrapped at 80 columns. */
void opt_help(FILE *stream, const struct option_group *groups, size_t count);

/* The same as TSV: name, letter, argument, type, words; "-" where there is none. For
 * completion and tests. */
void opt_describe(FILE *stream, const struct option_group *groups, size_t count);
