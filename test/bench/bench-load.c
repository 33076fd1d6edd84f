// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program with nothing in it, to compare with. "bench-load start" loads and attaches it,
 * says "ready" and ends; "hold" stays until its standard input is closed; "cost" does too and
 * prints what a run took on average, by the kernel's statistics (someone has turned them on).
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "empty.skel.h"

static void print_cost(struct empty_bpf *skel)
{
	struct bpf_prog_info info = {};
	uint32_t size = sizeof(info);

	if (!bpf_obj_get_info_by_fd(bpf_program__fd(skel->progs.on_switch), &info, &size) &&
	    info.run_cnt)
		printf("%.2f\n", (double)info.run_time_ns / (double)info.run_cnt);
}

int main(int argc, char **argv)
{
	struct empty_bpf *skel;
	const char *what = argc == 2 ? argv[1] : "";
	char byte;

	if (strcmp(what, "start") && strcmp(what, "hold") && strcmp(what, "cost")) {
		fprintf(stderr, "usage: bench-load start|hold|cost\n");
		return 2;
	}
	skel = empty_bpf__open_and_load();
	if (!skel || empty_bpf__attach(skel)) {
		fprintf(stderr, "bench-load: cannot load\n");
		return 3;
	}
	fprintf(stderr, "ready\n");
	while (strcmp(what, "start") && read(STDIN_FILENO, &byte, 1) > 0)
		;
	if (!strcmp(what, "cost"))
		print_cost(skel);
	empty_bpf__destroy(skel);
	return 0;
}
