// SPDX-License-Identifier: GPL-2.0-or-later
/* Clocks, and work for the CPU that does nothing else. */
#pragma once

#include <stdint.h>
#include <time.h>

#include "common/util.h"

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = {0};

	/* Cannot fail for the three clocks that are used here. */
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

static inline struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / NSEC_PER_SEC),
				 .tv_nsec = (long)(ns % NSEC_PER_SEC)};
}

/* About a microsecond in user space, no memory, no system call. */
static inline void spin_once(void)
{
	uint64_t x = 88172645463325252ULL;

	for (int i = 0; i < 300; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		/* Keeps the compiler from working the result out itself. */
		__asm__ volatile("" : "+r"(x));
	}
}

/*
 * Until this thread has used cpu_ns more of CPU time, but not beyond until_ns of
 * CLOCK_MONOTONIC, nor after the run was stopped.
 */
void spin_cpu(uint64_t cpu_ns, uint64_t until_ns);
