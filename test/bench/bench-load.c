// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program with nothing in it, to compare with. "bench-load start" loads and attaches it,
 * says "ready" and ends; "hold" stays until its standard input is closed; "cost" does too and
 * prints what a run took on average, by the kernel's statistics (someone has turned them on).
 * "pid1" watches PID 1 until SIGTERM, and prints how many switches to it and from it were seen.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "empty.skel.h"
#include "pid1.skel.h"

static void print_cost(struct empty_bpf *skel)
{
	struct bpf_prog_info info = {};
	uint32_t size = sizeof(info);

	if (!bpf_obj_get_info_by_fd(bpf_program__fd(skel->progs.on_switch), &info,
				    &size) &&
	    info.run_cnt)
		printf("%.2f\n", (double)info.run_time_ns / (double)info.run_cnt);
}

static void wait_for_end(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

static int watch_pid1(void)
{
	struct pid1_bpf *skel;
	sigset_t end;
	int signal;

	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, NULL);
	skel = pid1_bpf__open_and_load();
	if (!skel || pid1_bpf__attach(skel)) {
		fprintf(stderr, "bench-load: cannot load\n");
		return 3;
	}
	fprintf(stderr, "ready\n");
	sigwait(&end, &signal);
	printf("in=%llu out=%llu\n", (unsigned long long)skel->bss->switches_in,
	       (unsigned long long)skel->bss->switches_out);
	pid1_bpf__destroy(skel);
	return 0;
}

int main(int argc, char **argv)
{
	struct empty_bpf *skel;
	const char *what = argc == 2 ? argv[1] : "";

	if (!strcmp(what, "pid1"))
		return watch_pid1();
	if (strcmp(what, "start") && strcmp(what, "hold") && strcmp(what, "cost")) {
		fprintf(stderr, "usage: bench-load start|hold|cost|pid1\n");
		return 2;
	}
	skel = empty_bpf__open_and_load();
	if (!skel || empty_bpf__attach(skel)) {
		fprintf(stderr, "bench-load: cannot load\n");
		return 3;
	}
	fprintf(stderr, "ready\n");
	if (strcmp(what, "start"))
		wait_for_end();
	if (!strcmp(what, "cost"))
		print_cost(skel);
	empty_bpf__destroy(skel);
	return 0;
}
