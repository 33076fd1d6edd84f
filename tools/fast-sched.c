// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fast-sched: how long the threads of a process were runnable without running.
 *
 * From sched_switch (and sched_migrate_task, task_newtask): each wait as the kernel itself
 * books it in sched_info. It cannot see the time between the wake-up call and the moment the
 * thread is put into a queue, and it does not know which hypervisor took the CPU away.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fmt.h"
#include "common/tool.h"
#include "common/util.h"
#include "tools/sched.h"
#include "tools/sched_rows.h"

#include "sched.skel.h"

struct sched_conf {
	int method; /* 0 auto, then enum sched_method + 1 */
	bool no_culprits;
};

static const struct sched_conf defaults;

static const char *const methods[] = {"auto", "sched_info", "wakeup", NULL};

static const struct option_def options[] = {
	{"method", 0, OPT_WORD, "METHOD",
	 "auto, sched_info (the kernel's own accounting) or wakeup (our time stamps)",
	 offsetof(struct sched_conf, method), .words = methods},
	{"no-culprits", 0, OPT_FLAG, NULL,
	 "do not find out who ran instead; costs other processes least",
	 offsetof(struct sched_conf, no_culprits)},
};

static const struct record *const records[] = {
	&sched_record_slow,
	&sched_record_latency,
	&sched_record_over,
	&sched_record_culprit,
};

struct sched_state {
	struct sched_bpf *skel;
	struct sched_reader reader;
	struct ring_buffer *events;
	unsigned int burst; /* slow rows in this turn of the loop */
};

#define MOST_ROWS 1000

static int on_slow(void *ctx, void *data, size_t size)
{
	const struct sched_slow *slow = data;
	struct session *session = ctx;
	struct sched_state *state = session->state;
	struct sched_slow_row row;

	(void)size;
	state->burst++;
	sched_fill_slow(&row, slow, session_wall_clock(slow->at_ns));
	session_live_row(session, &sched_record_slow, &row);
	/* The loop must come round also when they come faster than they can be written. */
	return state->burst < MOST_ROWS ? 0 : -EAGAIN;
}

static int sched_open(struct session *session, enum sched_attempt attempt)
{
	const struct sched_conf *conf = session->conf;
	struct sched_state *state = session->state;
	const struct sched_options wanted = {
		.method = conf->method - 1,
		.culprits = !conf->no_culprits,
		.follow = session->common.follow,
		.is_command = session->target.is_command,
		.intervals = session->common.interval_ns,
		.threshold_ns = session->common.threshold_ns,
	};
	struct sched_object object = {.bpf = &session->bpf};

	state->skel = sched_bpf__open();
	if (!state->skel)
		return bpf_load_error(-errno);
	session->bpf.skeleton = state->skel->skeleton;
	object.config = &state->skel->rodata->sched_config;
	object.target_config = &state->skel->rodata->target_config;
	return sched_reader_open(&state->reader, &object, &wanted, attempt,
				 (uint32_t)session->target.pid, session->target.threads);
}

/* Attaches and seeds; *err is what the next attempt may mend. */
static int sched_attach(struct session *session, int *err)
{
	struct sched_state *state = session->state;
	int status;

	status = sched_reader_prepare(&state->reader, &state->skel->bss->target_shared,
				      &state->skel->bss->sched_shared,
				      (uint32_t)session->target.pid);
	if (!status)
		status = bpf_attach(&session->bpf);
	if (status)
		return status;
	*err = sched_reader_seed(&state->reader);
	if (*err && *err != -ENOTSUP)
		return msg_fail(EXIT_FAILED, "cannot list the threads: %s",
				strerror(-*err));
	return EXIT_OK;
}

static int sched_load(struct session *session)
{
	struct sched_state *state = session->state;
	int attempt, status = EXIT_OK, err = -ENOTSUP;

	for (attempt = SCHED_ASSUME; attempt < SCHED_ATTEMPTS && !status && err;
	     attempt++) {
		if (attempt > SCHED_ASSUME) {
			sched_reader_close(&state->reader);
			bpf_unload(&session->bpf);
			free(state->skel);
		}
		status = sched_open(session, (enum sched_attempt)attempt);
		if (status)
			break;
		err = bpf_load(&session->bpf);
		if (!err)
			status = sched_attach(session, &err);
	}
	return status || !err ? status : bpf_load_error(err);
}

static int sched_start(struct session *session)
{
	struct sched_state *state = calloc(1, sizeof(*state));
	char memory[FMT_MAX];
	int status;

	session->state = state;
	if (!state)
		return msg_fail(EXIT_FAILED, "out of memory");
	if (session->common.verbose)
		bpf_enable_cost(&session->bpf);
	status = sched_load(session);
	if (status)
		return status;
	session->method = sched_reader_method(&state->reader);
	msg_debug("maps take %s of kernel memory",
		  fmt_bytes(memory, sizeof(memory), bpf_map_memory(&session->bpf)));
	if (!session->common.threshold_ns)
		return EXIT_OK;
	state->events = ring_buffer__new(state->reader.events_fd, on_slow, session, NULL);
	if (!state->events)
		return msg_fail(EXIT_FAILED, "cannot map the ring buffer: %s",
				strerror(errno));
	session->ready_fd = ring_buffer__epoll_fd(state->events);
	return EXIT_OK;
}

static void sched_begin(struct session *session)
{
	struct sched_state *state = session->state;

	sched_reader_begin(&state->reader);
}

static int sched_ready(struct session *session)
{
	struct sched_state *state = session->state;
	int err;

	state->burst = 0;
	err = ring_buffer__consume(state->events);
	if (err < 0 && err != -EAGAIN)
		return msg_fail(-1, "cannot read the slow events: %s", strerror(-err));
	return 0;
}

/* What is in the ring when nothing more comes in. */
static int sched_last_events(struct session *session)
{
	struct sched_state *state = session->state;
	int status;

	do
		status = sched_ready(session);
	while (!status && state->burst >= MOST_ROWS && !session->out.error);
	return status;
}

static int sched_tick(struct session *session)
{
	struct sched_state *state = session->state;

	int err = sched_reader_tick(&state->reader);

	return err ? msg_fail(-1, "cannot read the maps: %s", strerror(-err)) : 0;
}

static int sched_report(struct session *session, bool final)
{
	struct sched_state *state = session->state;
	const struct sched_report *report = sched_reader_report(&state->reader, final);

	if (!report)
		return msg_fail(EXIT_FAILED, "cannot read the maps: %s", strerror(errno));
	if (state->events && (final ? sched_last_events(session) : sched_ready(session)))
		return EXIT_FAILED;
	sched_print_report(&session->out, report, &state->reader, &session->target);
	session->end.lost_events += report->lost_events;
	session->end.full_maps += report->full_maps;
	session->end.unseen_events += report->sum.totals.unseen_events;
	session->end.unseen_ns += report->sum.totals.unseen_ns;
	return EXIT_OK;
}

static void sched_stop(struct session *session)
{
	struct sched_state *state = session->state;

	if (!state)
		return;
	ring_buffer__free(state->events);
	sched_reader_close(&state->reader);
	free(state->skel);
	free(state);
}

static const char *const examples[] = {
	"fast-sched -p 1234 -d 10",
	"ten seconds of process 1234",
	"fast-sched -p 1234 -t 5ms",
	"also each wait of 5 ms or longer, live",
	"fast-sched -f -d 1m -- make -j4",
	"a command and all its children",
	"fast-sched -p 1234 -i 1 -T",
	"a report a second, tab-separated",
	NULL,
};

const struct tool fast_sched = {
	.name = "fast-sched",
	.summary = "Show how long a process waits for a CPU, and who runs instead",
	.threshold =
		"print each wait of TIME or longer when it ends; needs a unit, like 5ms",
	.examples = examples,
	.common = TOOL_FOLLOW | TOOL_INTERVAL | TOOL_THRESHOLD,
	.options = options,
	.option_count = ARRAY_SIZE(options),
	.defaults = &defaults,
	.conf_size = sizeof(defaults),
	.records = records,
	.record_count = ARRAY_SIZE(records),
	.start = sched_start,
	.begin = sched_begin,
	.ready = sched_ready,
	.tick = sched_tick,
	.report = sched_report,
	.stop = sched_stop,
};
