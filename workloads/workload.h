// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a load is made of. A new load is one new file that defines
 * `const struct load load_NAME`, and one new line in LOADS below.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* In the order in which --help lists them. */
#define LOADS(X)    \
	X(target)   \
	X(hog)      \
	X(threads)  \
	X(pingpong) \
	X(yield)

enum option_kind {
	OPTION_FLAG,	 /* no value */
	OPTION_COUNT,	 /* =N, min to max */
	OPTION_DURATION, /* =TIME, in ns, at most max */
	OPTION_SIZE,	 /* =SIZE, in bytes, min to max */
	OPTION_NICE,	 /* =N, -20 to 19 */
	OPTION_COMM,	 /* =TEXT, 1 to 15 bytes, the kernel's bound for a name */
};

struct load_option {
	const char *name; /* without the dashes; NULL ends a list */
	enum option_kind kind;
	uint64_t min, max;
	union { /* what the option sets; it holds the default before */
		bool *flag;
		uint64_t *number;
		int *nice;
		const char **text;
	};
	const char *help;
};

struct load {
	const char *name;
	const char *const *aliases; /* ends with NULL; may be NULL */
	const char *summary;
	const struct load_option *options; /* may be NULL */
	/* Sets up, runs and prints the truth (run.h); returns an exit status. */
	int (*run)(void);
};

#define LOAD_DECLARE(name) extern const struct load load_##name;
LOADS(LOAD_DECLARE)
#undef LOAD_DECLARE

/* The longest time any option takes: a year, far from the end of 64 bits of ns. */
#define TIME_MAX_NS (365ULL * 24 * 3600 * 1000000000)
/* One more than the largest nice value: not given. */
#define NICE_UNSET 20
