// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One tool = one descriptor. tool_main() does what all tools do: parse, refuse, start,
 * measure until the end, report, stop.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/bpf.h"
#include "common/col.h"
#include "common/loop.h"
#include "common/msg.h"
#include "common/opt.h"
#include "common/out.h"
#include "common/records.h"
#include "common/target.h"

struct common_conf {
	uint64_t pid;	      /* as the caller sees it; 0 = not given */
	uint64_t duration_ns; /* 0 = until the target exits */
	uint64_t interval_ns;
	uint64_t threshold_ns;
	uint64_t top; /* COL_NA = not given */
	const char *output;
	int format;
	bool follow, verbose, columns, options, help, version;
};

/* Which of the common options a tool takes besides -p -d -n -o -T -J -v. */
enum tool_common {
	TOOL_FOLLOW = 1,
	TOOL_INTERVAL = 2,
	TOOL_THRESHOLD = 4,
	TOOL_NO_KTHREAD = 8, /* a kernel thread has nothing to say here: refused */
};

struct session {
	const struct tool *tool;
	struct common_conf common;
	bool stdout_open; /* by the caller */
	void *conf;	  /* the tool's own options */
	void *state;	  /* whatever the tool's start() puts here */
	struct target target;
	struct out out;
	struct loop loop;
	struct bpf_object_state bpf;
	/* The report being made. */
	uint64_t window_start_ns, window_end_ns; /* CLOCK_MONOTONIC */
	uint64_t run_start_ns;
	const char *method;  /* for the run record; set by start() */
	int ready_fd;	     /* for ready(); -1 = none; set by start() */
	uint64_t progress_s; /* shown last */
	struct end_row end;  /* losses: the tool adds to it while it reports */
};

struct tool {
	const char *name;
	const char *summary;	     /* one sentence without the final dot */
	const char *description;     /* a paragraph for --help, or NULL */
	const char *threshold;	     /* what -t compares, for --help */
	const char *const *examples; /* command, what it does, ..., NULL */
	unsigned int common;
	const struct option_def *options;
	size_t option_count;
	const void *defaults; /* of the configuration, conf_size bytes */
	size_t conf_size;
	const struct record *const *records; /* without the ones all tools have */
	size_t record_count;
	/* Each returns an exit status, EXIT_OK to go on, with its message already printed. */
	int (*check)(struct session *session);
	int (*start)(
		struct session *session); /* load, attach, seed; still not measuring */
	void (*begin)(struct session *session); /* from now on it counts */
	int (*report)(struct session *session, bool final);
	int (*tick)(struct session *session);  /* ten times a second */
	int (*ready)(struct session *session); /* the descriptor of ready_fd has input */
	void (*stop)(struct session *session); /* detached; also after a failed start */
};

/*
 * Runs a tool: its whole main(). Returns the exit status.
 */
int tool_main(const struct tool *tool, int argc, char **argv);

/* For the tools: prints a row that belongs to something that has just happened. */
void session_live_row(struct session *session, const struct record *record,
		      const void *row);

/* CLOCK_REALTIME of a CLOCK_MONOTONIC time, by today's difference of the two. */
uint64_t session_wall_clock(uint64_t monotonic_ns);
