// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program with nothing in it, to compare with. "bench-load start" loads and attaches it,
 * prints how long that took since the process began, and ends; "bench-load hold" stays until
 * its standard input is closed.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "empty.skel.h"

int main(int argc, char **argv)
{
	struct empty_bpf *skel;
	char byte;

	if (argc != 2 || (strcmp(argv[1], "start") && strcmp(argv[1], "hold"))) {
		fprintf(stderr, "usage: bench-load start|hold\n");
		return 2;
	}
	skel = empty_bpf__open_and_load();
	if (!skel || empty_bpf__attach(skel)) {
		fprintf(stderr, "bench-load: cannot load\n");
		return 3;
	}
	fprintf(stderr, "ready\n");
	if (!strcmp(argv[1], "hold"))
		while (read(STDIN_FILENO, &byte, 1) > 0)
			;
	empty_bpf__destroy(skel);
	return 0;
}
