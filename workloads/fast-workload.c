// SPDX-License-Identifier: GPL-2.0-or-later
/* Known loads that tell the truth about themselves. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/msg.h"
#include "common/util.h"

#include "workloads/options.h"
#include "workloads/run.h"
#include "workloads/workload.h"

#define LOAD_ADDRESS(name) &load_##name,
static const struct load *const loads[] = {LOADS(LOAD_ADDRESS)};

static struct run_config config = {
	.duration_ns = 10 * NSEC_PER_SEC,
	.cpu = RUN_ANY_CPU,
};
static bool help, version, describe;

static const struct load_option common_options[] = {
	{"duration", OPTION_DURATION, .max = TIME_MAX_NS, .number = &config.duration_ns,
	 .help = "end after TIME (default 10s); without a unit it means seconds"},
	{"cpu", OPTION_COUNT, 0, 1023, .number = &config.cpu,
	 .help = "run on CPU N only, with all threads and processes"},
	{"name", OPTION_COMM, .text = &config.name,
	 .help = "name (comm) of the process and its threads, at most 15 bytes"},
	{"wait", OPTION_FLAG, .flag = &config.wait,
	 .help = "stop after printing pid=; load and duration start on SIGCONT"},
	{"help", OPTION_FLAG, .flag = &help, .help = "print this help and exit"},
	{"version", OPTION_FLAG, .flag = &version, .help = "print the version and exit"},
	{"describe-loads", OPTION_FLAG, .flag = &describe}, /* for programs */
	{0},
};

/* Columns of the help text. */
#define TEXT_COLUMN 20
#define LAST_COLUMN 79

/* "  TERM  text", the text wrapped at blanks. */
static void print_item(const char *term, const char *text)
{
	int column = printf("  %s", term);

	/* Two blanks at least: to help2man, one would be part of the term. */
	column += printf("%*s", max_of(TEXT_COLUMN - column, 2), "");
	while (*text) {
		int length = (int)strcspn(text, " ");

		if (column > TEXT_COLUMN && column + 1 + length > LAST_COLUMN)
			column = printf("\n%*s", TEXT_COLUMN, "") - 1;
		else if (column > TEXT_COLUMN)
			column += printf(" ");
		column += printf("%.*s", length, text);
		text += length;
		text += strspn(text, " ");
	}
	puts("");
}

static void print_options(const struct load_option *option)
{
	for (; option && option->name; option++) {
		const char *placeholder = option_placeholder(option->kind);
		char term[64];

		if (!option->help)
			continue;
		snprintf(term, sizeof(term), "--%s%s%s", option->name,
			 placeholder ? "=" : "", placeholder ? placeholder : "");
		print_item(term, option->help);
	}
}

static void print_load(const struct load *load)
{
	const char *const *alias = load->aliases;
	char term[64];
	size_t length = (size_t)snprintf(term, sizeof(term), "%s", load->name);

	for (; alias && *alias && length < sizeof(term); alias++)
		length += (size_t)snprintf(term + length, sizeof(term) - length, ", %s",
					   *alias);
	print_item(term, load->summary);
}

static void print_help(void)
{
	puts("Usage: fast-workload LOAD [OPTION]...\n"
	     "Run a known load and print what it did, to try performance tools on.\n"
	     "\n"
	     "The first line is pid=PID, printed when all threads and processes\n"
	     "exist. At the end, also on SIGTERM or SIGINT, follow lines KEY=VALUE,\n"
	     "the last of them elapsed_ns.\n"
	     "\n"
	     "Loads:");
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
		print_load(loads[i]);
	puts("\nOptions:");
	print_options(common_options);
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		if (!loads[i]->options)
			continue;
		printf("\nOptions of %s:\n", loads[i]->name);
		print_options(loads[i]->options);
	}
	puts("\nExamples:\n"
	     "  fast-workload hog --workers=4 --duration=30\n"
	     "         Four threads compete for the CPUs for half a minute.\n"
	     "  fast-workload target --period=10ms --cpu=0\n"
	     "         How late does a periodic thread run on CPU 0?\n"
	     "  fast-workload threads --threads=100 --life=5ms --wait\n"
	     "         Short-lived threads, once a tool is attached: kill -CONT PID.");
}

/* LOAD or -, then name and argument of each option, as for the other tools. */
static void describe_options(const char *load, const struct load_option *option)
{
	for (; option && option->name; option++)
		if (option->help)
			printf("%s\t%s\t%s\n", load, option->name,
			       option->kind == OPTION_FLAG
				       ? "-"
				       : option_placeholder(option->kind));
}

static void describe_all(void)
{
	describe_options("-", common_options);
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		printf("%s\n", loads[i]->name);
		describe_options(loads[i]->name, loads[i]->options);
	}
}

static const struct load *find_load(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		const char *const *alias = loads[i]->aliases;

		if (strcmp(loads[i]->name, name) == 0)
			return loads[i];
		for (; alias && *alias; alias++)
			if (strcmp(*alias, name) == 0)
				return loads[i];
	}
	return NULL;
}

/* Everything went through stdio: a full disk shows at the latest here. */
static int close_output(int status)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		return msg_fail(EXIT_FAILED, "cannot write the output: %s",
				strerror(errno));
	return status;
}

static int print_about(void)
{
	if (help)
		print_help();
	else if (describe)
		describe_all();
	else
		puts("fast-workload (fast-tools) " PACKAGE_VERSION);
	return close_output(EXIT_OK);
}

int main(int argc, char **argv)
{
	const struct load_option *lists[] = {common_options, NULL};
	const struct load *load = NULL;
	int status;

	msg_init("fast-workload");
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 2)
		return usage_fail("which load?");
	if (argv[1][0] != '-') {
		load = find_load(argv[1]);
		if (!load)
			return usage_fail("there is no load '%s'", argv[1]);
		lists[1] = load->options;
	}
	status = options_parse(argv + (load ? 2 : 1), lists, ARRAY_SIZE(lists));
	if (status)
		return status;
	if (help || version || describe)
		return print_about();
	if (!load)
		return usage_fail("the load has to come first");
	status = run_init(&config);
	if (status)
		return status;
	status = load->run();
	if (status)
		return status;
	truth("elapsed_ns", run_elapsed_ns());
	return close_output(EXIT_OK);
}
