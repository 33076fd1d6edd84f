// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/run.h"
#include "workloads/spin.h"

void spin_cpu(uint64_t cpu_ns, uint64_t until_ns)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + cpu_ns;

	do
		spin_once();
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end && !run_stopped() &&
	       clock_ns(CLOCK_MONOTONIC) < until_ns);
}
