// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Common options are one table; a tool's descriptor says which of them it takes. The layout
 * of --help is the one that help2man reads.
 */
#include "config.h"

#include "common/usage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/util.h"

#define MAX_RECORDS 24

enum { ALWAYS = 0 };

static const char *const formats[] = {"auto", "table", "tsv", "json", NULL};

#define CONF(member) offsetof(struct common_conf, member)

static const struct {
	unsigned int needs;
	struct option_def def;
} common_options[] = {
	{ALWAYS,
	 {"pid", 'p', OPT_PID, "PID", "measure the running process PID, all its threads",
	  CONF(pid)}},
	{TOOL_FOLLOW,
	 {"follow", 'f', OPT_FLAG, NULL,
	  "also measure the children it forks, and with -p those it already has",
	  CONF(follow)}},
	{ALWAYS,
	 {"duration", 'd', OPT_TIME, "TIME",
	  "stop after TIME (default: when the target exits, or Ctrl-C)",
	  CONF(duration_ns)}},
	{TOOL_INTERVAL,
	 {"interval", 'i', OPT_TIME, "TIME",
	  "report every TIME, each report for its own interval", CONF(interval_ns)}},
	{TOOL_THRESHOLD,
	 {"threshold", 't', OPT_TIME_UNIT, "TIME", NULL, CONF(threshold_ns)}},
	{ALWAYS,
	 {"top", 'n', OPT_U64, "N",
	  "rows per table, 0 for all (default: 10 in tables, else all)", CONF(top)}},
	{ALWAYS,
	 {"output", 'o', OPT_STRING, "FILE", "write records to FILE instead of stdout",
	  CONF(output)}},
	{ALWAYS,
	 {"tsv", 'T', OPT_SET, NULL,
	  "tab-separated records (default when not a terminal)", CONF(format),
	  .value = OUT_TSV}},
	{ALWAYS,
	 {"json", 'J', OPT_SET, NULL, "one JSON object per record and line", CONF(format),
	  .value = OUT_JSON}},
	{ALWAYS,
	 {"format", 0, OPT_WORD, "FORMAT", "table, tsv or json; the last one given wins",
	  CONF(format), .words = formats}},
	{ALWAYS,
	 {"verbose", 'v', OPT_FLAG, NULL,
	  "libbpf's log, the hooks attached, what measuring cost", CONF(verbose)}},
	{ALWAYS,
	 {"columns", 0, OPT_FLAG, NULL,
	  "list every record type and column with its meaning, and exit", CONF(columns)}},
	{ALWAYS, {"help", 'h', OPT_FLAG, NULL, "display this help and exit", CONF(help)}},
	{ALWAYS,
	 {"version", 'V', OPT_FLAG, NULL, "display the version and exit", CONF(version)}},
	{ALWAYS, /* for completion and tests */
	 {"describe-options", 0, OPT_FLAG, NULL, NULL, CONF(options)}},
};

/* The tool's own options stand between the measuring and the output ones. */
static size_t common_group(const struct tool *tool, struct option_def *defs)
{
	size_t i, n = 0;

	for (i = 0; i < ARRAY_SIZE(common_options); i++) {
		if (common_options[i].needs & ~tool->common)
			continue;
		defs[n] = common_options[i].def;
		if (common_options[i].needs == TOOL_THRESHOLD)
			defs[n].help = tool->threshold;
		n++;
	}
	return n;
}

static void print_help(FILE *stream, const struct tool *tool,
		       const struct option_group *groups, size_t count)
{
	const char *const *example;

	fprintf(stream,
		"Usage: %s [OPTION]... -p PID\n"
		"  or:  %s [OPTION]... [--] COMMAND [ARG]...\n"
		"%s.\n",
		tool->name, tool->name, tool->summary);
	if (tool->description)
		fprintf(stream, "\n%s\n", tool->description);
	fprintf(stream, "\nOptions:\n");
	opt_help(stream, groups, count);
	fprintf(stream,
		"\nTIME is a number with a unit out of ns us ms s m h; -d and -i also take a bare\n"
		"number of seconds. Records go to stdout, messages to stderr; a COMMAND shares\n"
		"stdout with the records unless -o is given.\n"
		"\nExit status: 0 done, 1 failed, 2 wrong usage, 3 cannot run on this system;\n"
		"a COMMAND's own status when it ended by itself.\n");
	fprintf(stream, "\nExamples:\n");
	for (example = tool->examples; *example; example += 2)
		fprintf(stream, "  %-37s %s\n", example[0], example[1]);
	fprintf(stream, "\nReport bugs to <%s>.\n", PACKAGE_BUGREPORT);
}

static void print_columns(struct session *session)
{
	const struct record *all[MAX_RECORDS] = {&record_run};
	const struct tool *tool = session->tool;
	size_t i, n = 1;

	for (i = 0; i < tool->record_count && n < MAX_RECORDS - 4; i++)
		all[n++] = tool->records[i];
	all[n++] = &record_hist;
	all[n++] = &record_check;
	all[n++] = &record_cost;
	all[n++] = &record_end;
	out_describe(&session->out, all, n);
}

static struct usage_result print_and_exit(struct session *session,
					  const struct option_group *groups, size_t count)
{
	struct usage_result result = {.done = true};
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	int err;

	if (!stream) {
		result.status = msg_fail(EXIT_FAILED, "out of memory");
		return result;
	}
	if (session->common.help) {
		print_help(stream, session->tool, groups, count);
	} else if (session->common.version) {
		fprintf(stream,
			"%s (%s) %s\n"
			"License GPL-2.0-or-later <https://www.gnu.org/licenses/old-licenses/gpl-2.0.html>.\n"
			"There is NO WARRANTY, to the extent permitted by law.\n",
			session->tool->name, PACKAGE_NAME, PACKAGE_VERSION);
	} else if (session->common.columns) {
		print_columns(session);
	} else {
		opt_describe(stream, groups, count);
	}
	fclose(stream);
	out_text(&session->out, text ? text : "");
	free(text);
	err = out_close(&session->out);
	if (err && err != -EPIPE)
		result.status = msg_fail(EXIT_FAILED, "write error: %s", strerror(-err));
	return result;
}

struct usage_result usage_parse(struct session *session, int argc, char **argv)
{
	const struct tool *tool = session->tool;
	struct option_def defs[ARRAY_SIZE(common_options)];
	struct common_conf *conf = &session->common;
	struct option_group groups[] = {
		{defs, common_group(tool, defs), conf},
		{tool->options, tool->option_count, session->conf},
	};
	struct usage_result result = {.done = true, .status = EXIT_USAGE};
	int at, err;

	conf->top = COL_NA;
	at = opt_parse(argc, argv, groups, ARRAY_SIZE(groups));
	if (at < 0) {
		msg_try_help();
		return result;
	}
	if (conf->help || conf->version || conf->columns || conf->options) {
		err = session->stdout_open
			      ? out_open(&session->out, NULL, OUT_TSV, COL_NA)
			      : -EBADF;
		if (!err)
			return print_and_exit(session, groups, ARRAY_SIZE(groups));
		result.status = msg_fail(EXIT_FAILED, "write error: %s", strerror(-err));
		return result;
	}
	if (conf->pid && at < argc)
		msg_error("a process or a command can be measured, not both ('%s')",
			  argv[at]);
	else if (conf->interval_ns && conf->interval_ns < NSEC_PER_MSEC)
		msg_error("--interval: a report takes time: at least 1ms");
	else if (!conf->pid && at >= argc)
		msg_error("nothing to measure: give -p PID or a COMMAND");
	else
		result.done = false;
	if (result.done)
		msg_try_help();
	else if (at < argc)
		result.command = &argv[at];
	return result;
}
