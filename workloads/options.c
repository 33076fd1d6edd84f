// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/msg.h"
#include "common/parse.h"
#include "common/util.h"

#include "workloads/options.h"

static const struct {
	const char *placeholder;
	const char *what; /* for "'x' is not WHAT" */
} kinds[] = {
	[OPTION_FLAG] = {NULL, NULL},
	[OPTION_COUNT] = {"N", "a number"},
	[OPTION_DURATION] = {"TIME", "a time such as 10, 1.5s or 200us"},
	[OPTION_SIZE] = {"SIZE", "a size such as 4096, 64K or 1G"},
	[OPTION_NICE] = {"N", "a nice value"},
	[OPTION_COMM] = {"TEXT", "a name"},
};

const char *option_placeholder(enum option_kind kind)
{
	return kinds[kind].placeholder;
}

int usage_fail(const char *format, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	msg_error("%s", text);
	fputs("Try 'fast-workload --help' for more information.\n", stderr);
	return EXIT_USAGE;
}

static int parse_nice(const char *text, int *out)
{
	bool negative = text[0] == '-';
	uint64_t n;
	/* The parser takes no sign; the bounds are those of setpriority(2). */
	int error = parse_u64(text + negative, 0, negative ? 20 : 19, &n);

	if (error)
		return error;
	*out = negative ? -(int)n : (int)n;
	return 0;
}

static int parse_comm(const char *text, const char **out)
{
	size_t length = strlen(text);

	if (length == 0 || length >= COMM_LEN)
		return -ERANGE;
	*out = text;
	return 0;
}

static int parse_value(const struct load_option *option, const char *value)
{
	switch (option->kind) {
	case OPTION_COUNT:
		return parse_u64(value, option->min, option->max, option->number);
	case OPTION_DURATION:
		return parse_duration(value, false, option->max, option->number);
	case OPTION_SIZE:
		return parse_size(value, option->min, option->max, option->number);
	case OPTION_NICE:
		return parse_nice(value, option->nice);
	case OPTION_COMM:
		return parse_comm(value, option->text);
	case OPTION_FLAG:
		break;
	}
	return -EINVAL;
}

static int range_fail(const struct load_option *option, const char *value)
{
	const char *name = option->name;

	switch (option->kind) {
	case OPTION_COUNT:
	case OPTION_SIZE:
		return usage_fail("--%s: '%s' is not in the range %" PRIu64
				  " to %" PRIu64,
				  name, value, option->min, option->max);
	case OPTION_NICE:
		return usage_fail("--%s: '%s' is not in the range -20 to 19", name,
				  value);
	case OPTION_COMM:
		return usage_fail("--%s: '%s' does not have 1 to %d bytes", name, value,
				  COMM_LEN - 1);
	default:
		return usage_fail("--%s: '%s' is zero or too long", name, value);
	}
}

static int set_option(const struct load_option *option, const char *value)
{
	int error = parse_value(option, value);

	if (error == -ERANGE)
		return range_fail(option, value);
	if (error)
		return usage_fail("--%s: '%s' is not %s", option->name, value,
				  kinds[option->kind].what);
	return 0;
}

/* Whole names only: an abbreviation would change its meaning with a new option. */
static const struct load_option *find(const struct load_option *const *lists, size_t n,
				      const char *name, size_t length)
{
	for (size_t i = 0; i < n; i++) {
		const struct load_option *option = lists[i];

		for (; option && option->name; option++)
			if (strlen(option->name) == length &&
			    memcmp(option->name, name, length) == 0)
				return option;
	}
	return NULL;
}

int options_parse(char **argv, const struct load_option *const *lists, size_t n)
{
	for (; *argv; argv++) {
		const char *name = *argv + 2, *value = strchr(*argv, '=');
		const struct load_option *option;
		int length, status;

		if ((*argv)[0] != '-')
			return usage_fail("unexpected argument '%s'", *argv);
		length = value ? (int)(value - *argv) : (int)strlen(*argv);
		option = length > 2 && (*argv)[1] == '-'
				 ? find(lists, n, name, length - 2)
				 : NULL;
		if (!option)
			return usage_fail("unknown option '%.*s'", length, *argv);
		if (option->kind == OPTION_FLAG) {
			if (value)
				return usage_fail("--%s takes no value", option->name);
			*option->flag = true;
			continue;
		}
		/* Both --name=VALUE and --name VALUE. */
		value = value ? value + 1 : *++argv;
		if (!value)
			return usage_fail("--%s needs a value", option->name);
		status = set_option(option, value);
		if (status)
			return status;
	}
	return 0;
}
