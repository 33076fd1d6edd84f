// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The course of a run, the same for all tools. Usage is checked before the environment and
 * that before the target, so each mistake gets the message that helps.
 */
#include "config.h"

#include "common/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/fmt.h"
#include "common/proc.h"
#include "common/usage.h"
#include "common/util.h"

#define PROGRESS_AFTER_NS (2 * NSEC_PER_SEC)

static uint64_t clock_now(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

uint64_t session_wall_clock(uint64_t monotonic_ns)
{
	return clock_now(CLOCK_REALTIME) - (clock_now(CLOCK_MONOTONIC) - monotonic_ns);
}

void session_live_row(struct session *session, const struct record *record,
		      const void *row)
{
	msg_progress(NULL);
	out_row(&session->out, record, row);
}

static void report_run(struct session *session)
{
	struct utsname system;
	struct run_row row = {
		.tool = session->tool->name,
		.version = PACKAGE_VERSION,
		.pid = (uint64_t)session->target.pid,
		.comm = session->target.comm,
		.cmdline = *session->target.cmdline ? session->target.cmdline : NULL,
		.threads = session->target.threads,
		.start_time = session_wall_clock(session->run_start_ns),
		.method = session->method,
	};
	uint32_t cpus = 0;

	uname(&system);
	row.kernel = system.release;
	row.cpus = proc_online_cpus("", &cpus) ? COL_NA : cpus;
	out_row(&session->out, &record_run, &row);
}

static int report(struct session *session, const char *reason, bool final)
{
	struct end_row *end = &session->end;
	int status;

	msg_progress(NULL);
	memset(end, 0, sizeof(*end));
	session->window_end_ns = clock_now(CLOCK_MONOTONIC);
	status = session->tool->report(session, final);
	if (status)
		return status;
	if (final && session->common.verbose)
		bpf_report_cost(&session->bpf, &session->out);
	end->start_time = session_wall_clock(session->window_start_ns);
	end->duration_ns = session->window_end_ns - session->window_start_ns;
	end->reason = reason;
	out_row(&session->out, &record_end, end);
	if (end->lost_events)
		msg_note("%" PRIu64 " events were lost: the figures are too low by them",
			 end->lost_events);
	session->window_start_ns = session->window_end_ns;
	out_flush(&session->out);
	return EXIT_OK;
}

static int on_interval(void *ctx)
{
	struct session *session = ctx;

	return report(session, "interval", false) || session->out.error;
}

static void show_progress(struct session *session)
{
	uint64_t duration_ns = session->common.duration_ns;
	uint64_t passed_ns = clock_now(CLOCK_MONOTONIC) - session->run_start_ns;
	char text[160], passed[FMT_MAX], whole[FMT_MAX];
	uint64_t passed_s;

	passed_s = passed_ns / NSEC_PER_SEC;
	if (passed_s == session->progress_s ||
	    (duration_ns && duration_ns < PROGRESS_AFTER_NS))
		return;
	session->progress_s = passed_s;
	fmt_count(passed, sizeof(passed), passed_s);
	if (duration_ns)
		snprintf(text, sizeof(text), "%s s of %s, Ctrl-C reports now", passed,
			 fmt_duration(whole, sizeof(whole), duration_ns));
	else
		snprintf(text, sizeof(text), "%s s, Ctrl-C ends and reports", passed);
	msg_progress(text);
}

static int on_tick(void *ctx)
{
	struct session *session = ctx;

	show_progress(session);
	return session->tool->tick ? session->tool->tick(session) : 0;
}

static int on_ready(void *ctx)
{
	struct session *session = ctx;

	if (session->tool->ready(session))
		return -1;
	return session->out.error;
}

static enum loop_reason measure(struct session *session)
{
	static const struct loop_ops ops = {on_interval, on_tick, on_ready};

	return loop_run(&session->loop, &ops, session, session->common.duration_ns,
			session->common.interval_ns, session->target.pidfd,
			session->ready_fd, fileno(session->out.stream));
}

static const char *reason_word(enum loop_reason reason)
{
	return reason == LOOP_DURATION ? "duration"
	       : reason == LOOP_EXIT   ? "exit"
				       : "signal";
}

/* The status of a run that measured to its end. */
static int finish(struct session *session, enum loop_reason reason)
{
	int status = EXIT_OK;

	if (reason != LOOP_PIPE && session->out.error != -EPIPE)
		status = reason == LOOP_FAILED
				 ? EXIT_FAILED
				 : report(session, reason_word(reason), true);
	if (reason == LOOP_EXIT) {
		target_reap(&session->target);
		if (!status)
			status = target_status(&session->target);
	}
	return status;
}

static int begin(struct session *session)
{
	char comm[FMT_MAX * 4];
	int status;

	session->tool->begin(session);
	session->run_start_ns = session->window_start_ns = clock_now(CLOCK_MONOTONIC);
	status = target_release(&session->target);
	if (status)
		return status;
	report_run(session);
	out_flush(&session->out);
	msg_note("measuring %d (%s)", session->target.pid,
		 fmt_escape(comm, sizeof(comm), session->target.comm));
	return EXIT_OK;
}

/* Standard descriptors that are closed would be handed out to what we open. */
static bool fill_standard_descriptors(void)
{
	bool stdout_open = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	return stdout_open;
}

static int open_output(struct session *session)
{
	const struct common_conf *conf = &session->common;
	int err = -EBADF;

	if (session->stdout_open || conf->output)
		err = out_open(&session->out, conf->output, (enum out_format)conf->format,
			       conf->top);
	if (err)
		return msg_fail(EXIT_FAILED, "cannot write to '%s': %s",
				conf->output ? conf->output : "standard output",
				strerror(-err));
	return EXIT_OK;
}

static int run(struct session *session, char **command)
{
	int status;

	if (command)
		status = target_spawn(&session->target, command);
	else
		status = target_attach(&session->target, (pid_t)session->common.pid,
				       session->tool->common & TOOL_NO_KTHREAD);
	/* A file is not emptied for a target that does not exist. */
	if (!status)
		status = open_output(session);
	if (!status)
		status = session->tool->start(session);
	if (!status)
		status = begin(session);
	if (!status)
		status = finish(session, measure(session));
	/* The skeleton, which the tool frees, still holds the object. */
	bpf_close(&session->bpf);
	if (session->tool->stop)
		session->tool->stop(session);
	target_close(&session->target);
	return status;
}

static int close_output(struct session *session, int status)
{
	int err = out_close(&session->out);

	if (err == -EPIPE || !err)
		return status;
	return msg_fail(EXIT_FAILED, "write error: %s", strerror(-err));
}

int tool_main(const struct tool *tool, int argc, char **argv)
{
	struct session session = {.tool = tool, .ready_fd = -1, .bpf.stats_fd = -1};
	struct usage_result usage;
	int status;

	session.stdout_open = fill_standard_descriptors();
	msg_init(tool->name);
	session.target.pidfd = session.target.go_fd = session.target.status_fd = -1;
	session.conf = malloc(max_of(tool->conf_size, (size_t)1));
	if (!session.conf || argc < 1)
		return msg_fail(EXIT_FAILED, "out of memory");
	if (tool->conf_size)
		memcpy(session.conf, tool->defaults, tool->conf_size);
	argv[0] = (char *)(uintptr_t)tool->name; /* getopt_long() speaks in this name */
	usage = usage_parse(&session, argc, argv);
	status = usage.status;
	if (usage.done)
		goto out;
	msg_set_verbose(session.common.verbose);
	status = tool->check ? tool->check(&session) : EXIT_OK;
	if (status)
		goto out;
	bpf_log_init();
	status = bpf_check_environment();
	if (!status && loop_init(&session.loop))
		status = msg_fail(EXIT_FAILED, "cannot set up the event loop: %s",
				  strerror(errno));
	if (!status)
		status = run(&session, usage.command);
	status = close_output(&session, status);
	loop_close(&session.loop);
out:
	free(session.conf);
	return status;
}
