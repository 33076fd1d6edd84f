// SPDX-License-Identifier: GPL-2.0-or-later
/* Two workers that wake each other in turn. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "common/msg.h"

#include "workloads/crew.h"
#include "workloads/run.h"
#include "workloads/spin.h"
#include "workloads/workload.h"

static uint64_t max_rounds; /* 0: no bound */
static bool processes;

/* [0] to read from, [1] to write to. */
static int to_pong[2], to_ping[2];

static bool send_byte(int fd)
{
	return write(fd, "x", 1) == 1;
}

/* A pipe that is at its end is no error: the other side is done. */
static bool receive_byte(int fd)
{
	char byte;

	return read(fd, &byte, 1) == 1;
}

static void ping(struct worker *worker)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), rounds = 0;

	while (!run_stopped() && (max_rounds == 0 || rounds < max_rounds)) {
		if (!send_byte(to_pong[1]) || !receive_byte(to_ping[0]))
			break;
		rounds++;
	}
	worker->elapsed_ns = clock_ns(CLOCK_MONOTONIC) - begin;
	worker->count = rounds;
	close(to_pong[1]);
	run_finish();
}

static void pong(void)
{
	while (receive_byte(to_pong[0]) && send_byte(to_ping[1]))
		continue;
}

static void play(struct worker *worker)
{
	/* A process has copies of the other's ends, which would keep the pipes open. */
	if (processes) {
		close(worker->index == 0 ? to_pong[0] : to_pong[1]);
		close(worker->index == 0 ? to_ping[1] : to_ping[0]);
	}
	if (worker->index == 0)
		ping(worker);
	else
		pong();
}

static void close_pipes(void)
{
	close(to_pong[0]);
	close(to_pong[1]);
	close(to_ping[0]);
	close(to_ping[1]);
}

static int pingpong_run(void)
{
	struct crew crew = {
		.n = 2,
		.processes = processes,
		.nice = NICE_UNSET,
		.work = play,
	};
	const struct worker *pinger;
	int status;

	if (pipe(to_pong) != 0 || pipe(to_ping) != 0)
		return msg_fail(EXIT_FAILED, "cannot make a pipe: %s", strerror(errno));
	status = crew_start(&crew);
	if (status)
		return status;
	if (processes)
		close_pipes();
	run_begin();
	run_wait();
	status = crew_join(&crew, NULL);
	if (status)
		return status;
	pinger = &crew.workers[0];
	truth("rounds", pinger->count);
	truth("per_round_ns", pinger->count ? pinger->elapsed_ns / pinger->count : 0);
	return 0;
}

static const struct load_option pingpong_options[] = {
	{"rounds", OPTION_COUNT, 1, UINT64_MAX, .number = &max_rounds,
	 .help = "end after N rounds, there and back (default: only after --duration)"},
	{"processes", OPTION_FLAG, .flag = &processes,
	 .help = "two processes instead of two threads"},
	{0},
};

const struct load load_pingpong = {
	.name = "pingpong",
	.summary = "two threads that pass a byte to and fro over two pipes",
	.options = pingpong_options,
	.run = pingpong_run,
};
