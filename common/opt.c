// SPDX-License-Identifier: GPL-2.0-or-later
/* getopt_long() underneath, tables on top. */
#include "common/opt.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common/msg.h"
#include "common/parse.h"
#include "common/util.h"

#define MAX_OPTIONS 64
#define LONG_BASE 256 /* getopt values of options: this plus their position */
#define HELP_COLUMN 27
#define HELP_WIDTH 79
#define TIME_MAX_NS (100ULL * 366 * 24 * 3600 * NSEC_PER_SEC)

struct found {
	const struct option_def *def;
	void *conf;
};

static size_t collect(const struct option_group *groups, size_t count, struct found *all)
{
	size_t i, j, n = 0;

	for (i = 0; i < count; i++)
		for (j = 0; j < groups[i].count && n < MAX_OPTIONS; j++) {
			all[n].def = &groups[i].options[j];
			all[n++].conf = groups[i].conf;
		}
	return n;
}

static const char *reason(const struct option_def *def, int err)
{
	if (def->type == OPT_TIME_UNIT && err == -EINVAL)
		return "a time needs a number and a unit (ns us ms s m h), like 10ms";
	if (def->type == OPT_TIME && err == -EINVAL)
		return "a time is a number with a unit (ns us ms s m h), or seconds";
	if (def->type == OPT_TIME || def->type == OPT_TIME_UNIT)
		return "the time must be above zero and below 100 years";
	if (def->type == OPT_PID)
		return "a process id is a whole number from 1 to 4194304";
	if (def->type == OPT_SIZE && err == -EINVAL)
		return "a size is a whole number, with K, M or G for powers of 1024";
	if (err == -EINVAL)
		return "a whole number is needed";
	return "the number is out of range";
}

static int store_number(const struct option_def *def, const char *text, uint64_t *out)
{
	uint64_t max = def->max ? def->max : UINT64_MAX - 2;

	switch (def->type) {
	case OPT_PID: /* PID_MAX_LIMIT of include/linux/threads.h */
		return parse_u64(text, 1, 4194304, out);
	case OPT_TIME:
		return parse_duration(text, false, TIME_MAX_NS, out);
	case OPT_TIME_UNIT:
		return parse_duration(text, true, TIME_MAX_NS, out);
	case OPT_SIZE:
		return parse_size(text, def->min, max, out);
	default:
		return parse_u64(text, def->min, max, out);
	}
}

/* All of them, parted by blanks; good until the next call. */
static const char *word_list(const struct option_def *def)
{
	static char list[256];
	size_t i, at = 0;

	for (i = 0; def->words[i] && at < sizeof(list); i++)
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", i ? " " : "",
				       def->words[i]);
	return list;
}

static int store(const struct found *found, const char *text)
{
	const struct option_def *def = found->def;
	char *where = (char *)found->conf + def->offset;
	size_t words = 0;
	int err;

	switch (def->type) {
	case OPT_FLAG:
		*(bool *)where = true;
		return 0;
	case OPT_SET:
		*(int *)where = def->value;
		return 0;
	case OPT_STRING:
		if (!*text)
			return msg_fail(-1, "--%s: the argument is empty", def->name);
		*(const char **)where = text;
		return 0;
	case OPT_PID:
		if (*(uint64_t *)where)
			return msg_fail(-1, "--%s: given twice", def->name);
		break;
	case OPT_WORD:
		while (def->words[words])
			words++;
		err = parse_word(text, def->words, words);
		if (err < 0)
			return msg_fail(-1, "--%s: '%s' is not one of: %s", def->name,
					text, word_list(def));
		*(int *)where = err;
		return 0;
	default:
		break;
	}
	err = store_number(def, text, (uint64_t *)where);
	if (err)
		return msg_fail(-1, "--%s: '%s': %s", def->name, text, reason(def, err));
	return 0;
}

int opt_parse(int argc, char **argv, const struct option_group *groups, size_t count)
{
	struct option longs[MAX_OPTIONS + 1] = {};
	char shorts[2 * MAX_OPTIONS + 2] = "+";
	struct found all[MAX_OPTIONS];
	size_t i, n = collect(groups, count, all), at = 1;
	int c;

	for (i = 0; i < n; i++) {
		longs[i].name = all[i].def->name;
		longs[i].has_arg = all[i].def->arg ? required_argument : no_argument;
		longs[i].val = LONG_BASE + (int)i;
		if (!all[i].def->letter)
			continue;
		shorts[at++] = all[i].def->letter;
		if (all[i].def->arg)
			shorts[at++] = ':';
	}
	optind = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (c == '?')
			return -1;
		for (i = 0; i < n; i++)
			if (c == LONG_BASE + (int)i ||
			    (all[i].def->letter && c == all[i].def->letter))
				break;
		if (i == n || store(&all[i], optarg))
			return -1;
	}
	return optind;
}

static void wrapped(FILE *stream, const char *text, int at)
{
	size_t word;

	for (;;) {
		text += strspn(text, " ");
		word = strcspn(text, " ");
		if (!word)
			break;
		if (at + 1 + (int)word > HELP_WIDTH) {
			fprintf(stream, "\n%*s", HELP_COLUMN, "");
			at = HELP_COLUMN;
		} else if (at > HELP_COLUMN) {
			fputc(' ', stream);
			at++;
		}
		fprintf(stream, "%.*s", (int)word, text);
		at += (int)word;
		text += word;
	}
	fputc('\n', stream);
}

void opt_help(FILE *stream, const struct option_group *groups, size_t count)
{
	struct found all[MAX_OPTIONS];
	const struct option_def *def;
	size_t i, n = collect(groups, count, all);
	char left[64];
	int length;

	for (i = 0; i < n; i++) {
		def = all[i].def;
		if (!def->help)
			continue;
		if (def->letter)
			length = snprintf(left, sizeof(left), "  -%c, --%s", def->letter,
					  def->name);
		else
			length = snprintf(left, sizeof(left), "      --%s", def->name);
		if (def->arg)
			length += snprintf(left + length, sizeof(left) - (size_t)length,
					   "=%s", def->arg);
		if (length + 2 > HELP_COLUMN)
			fprintf(stream, "%s\n%*s", left, HELP_COLUMN, "");
		else
			fprintf(stream, "%-*s", HELP_COLUMN, left);
		wrapped(stream, def->help, HELP_COLUMN);
	}
}

void opt_describe(FILE *stream, const struct option_group *groups, size_t count)
{
	static const char *const types[] = {
		[OPT_FLAG] = "flag",  [OPT_SET] = "flag",
		[OPT_U64] = "number", [OPT_PID] = "pid",
		[OPT_TIME] = "time",  [OPT_TIME_UNIT] = "time_unit",
		[OPT_SIZE] = "size",  [OPT_STRING] = "string",
		[OPT_WORD] = "word",
	};
	struct found all[MAX_OPTIONS];
	size_t i, n = collect(groups, count, all);

	for (i = 0; i < n; i++)
		fprintf(stream, "%s\t%c\t%s\t%s\t%s\n", all[i].def->name,
			all[i].def->letter ? all[i].def->letter : '-',
			all[i].def->arg ? all[i].def->arg : "-", types[all[i].def->type],
			all[i].def->type == OPT_WORD ? word_list(all[i].def) : "-");
}
