// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <locale.h>
#include <unistd.h>

#include "common/msg.h"
#include "common/opt.h"
#include "common/util.h"
#include "test/unit/tap.h"

#define UNTOUCHED 77
#define YEAR_S (366ULL * 24 * 3600)

struct conf {
	bool flag, other;
	int set, word;
	uint64_t number, any, pid, time, unit, size, much;
	const char *string;
};

static const char *const words[] = {"auto", "some", "none", NULL};

#define AT(member) offsetof(struct conf, member)

static const struct option_def first[] = {
	{"alpha", 'a', OPT_FLAG, NULL, "a flag", AT(flag)},
	{"beta", 'b', OPT_FLAG, NULL, NULL, AT(other)},
	{"red", 'r', OPT_SET, NULL, "a word of three", AT(set), .value = 1},
	{"green", 'g', OPT_SET, NULL, "a word of three", AT(set), .value = 2},
	{"number", 'n', OPT_U64, "N", "from 5 to 1000", AT(number), 5, 1000},
	{"any", 0, OPT_U64, "N", "without a limit", AT(any)},
	{"pid", 'p', OPT_PID, "PID", "a process", AT(pid)},
};

/* In another configuration, so that offsets are taken from their own group's. */
static const struct option_def second[] = {
	{"duration", 'd', OPT_TIME, "TIME", "bare seconds", AT(time)},
	{"threshold", 't', OPT_TIME_UNIT, "TIME", "with a unit", AT(unit)},
	{"size", 's', OPT_SIZE, "SIZE", "from 64 to 1M", AT(size), 64, 1 << 20},
	{"much", 0, OPT_SIZE, "SIZE", "without a limit", AT(much)},
	{"output", 'o', OPT_STRING, "FILE", "a text", AT(string)},
	{"when", 'w', OPT_WORD, "WHEN", "a word", AT(word), .words = words},
	{"alphabet", 0, OPT_FLAG, NULL, "a longer name that begins like another",
	 AT(flag)},
};

static struct conf confs[2];
static const struct option_group groups[] = {
	{first, ARRAY_SIZE(first), &confs[0]},
	{second, ARRAY_SIZE(second), &confs[1]},
};

static char said[1024]; /* what the last call wrote to stderr */

static int parse(const char *const *args)
{
	char path[] = "/tmp/fast-opt.XXXXXX", *argv[16] = {"opt"};
	int saved = dup(STDERR_FILENO), fd = mkstemp(path), argc = 1, result;
	ssize_t length;

	unlink(path);
	for (; *args; args++)
		argv[argc++] = (char *)(uintptr_t)*args;
	dup2(fd, STDERR_FILENO);
	result = opt_parse(argc, argv, groups, ARRAY_SIZE(groups));
	dup2(saved, STDERR_FILENO);
	close(saved);
	length = pread(fd, said, sizeof(said) - 1, 0);
	said[length > 0 ? length : 0] = '\0';
	close(fd);
	return result;
}

static void reset(void)
{
	memset(confs, 0, sizeof(confs));
	for (size_t i = 0; i < 2; i++)
		confs[i].number = confs[i].any = confs[i].time = confs[i].unit =
			confs[i].size = confs[i].much = UNTOUCHED;
	confs[0].set = confs[1].word = UNTOUCHED;
}

/* "opt: TEXT\n" and no other line. */
static bool one_line(void)
{
	const char *end = strchr(said, '\n');

	return end && !end[1] && !strncmp(said, "opt: ", 5) && end > said + 5;
}

static void refused(const char *const *args, const char *part, const char *what)
{
	is_int(parse(args), -1, "%s is refused", what);
	if (!ok(one_line() && strstr(said, part), "in one line with \"%s\"", part)) {
		printf("#   said \"");
		tap_text(said);
		printf("\"\n");
	}
}

struct row {
	const char *name, *text;
	uint64_t value; /* when good */
	bool good;
};

#define GOOD true
#define BAD false

static const struct row rows[] = {
	{"number", "5", 5, GOOD},
	{"number", "1000", 1000, GOOD},
	{"number", "007", 7, GOOD},
	{"number", "4", 0, BAD},
	{"number", "1001", 0, BAD},
	{"number", "0", 0, BAD},
	{"number", "", 0, BAD},
	{"number", " 5", 0, BAD},
	{"number", "5 ", 0, BAD},
	{"number", "5x", 0, BAD},
	{"number", "-5", 0, BAD},
	{"number", "+5", 0, BAD},
	{"number", "5.0", 0, BAD},
	{"number", "1e2", 0, BAD},
	{"number", "0x10", 0, BAD},
	{"number", "99999999999999999999", 0, BAD},
	{"any", "0", 0, GOOD},
	{"any", "18446744073709551613", UINT64_MAX - 2, GOOD},
	{"any", "18446744073709551614", 0, BAD}, /* would mean "all" in a record */
	{"any", "18446744073709551615", 0, BAD},
	{"pid", "1", 1, GOOD},
	{"pid", "4194304", 4194304, GOOD},
	{"pid", "0", 0, BAD},
	{"pid", "4194305", 0, BAD},
	{"pid", "-1", 0, BAD},
	{"pid", "self", 0, BAD},
	{"duration", "10", 10 * NSEC_PER_SEC, GOOD},
	{"duration", "2.5", 2500 * NSEC_PER_MSEC, GOOD},
	{"duration", "1h", 3600 * NSEC_PER_SEC, GOOD},
	{"duration", "1ns", 1, GOOD},
	{"duration", "2147483648", 2147483648 * NSEC_PER_SEC, GOOD},
	{"duration", "3162240000", 100 * YEAR_S *NSEC_PER_SEC, GOOD},
	{"duration", "3162240001", 0, BAD},
	{"duration", "0", 0, BAD},
	{"duration", "2,5", 0, BAD},
	{"duration", "1e9", 0, BAD},
	{"duration", "nan", 0, BAD},
	{"duration", "inf", 0, BAD},
	{"duration", "10q", 0, BAD},
	{"duration", "", 0, BAD},
	{"threshold", "5ms", 5 * NSEC_PER_MSEC, GOOD},
	{"threshold", "1.5us", 1500, GOOD},
	{"threshold", "10", 0, BAD},
	{"threshold", "1.5", 0, BAD},
	{"threshold", "0ms", 0, BAD},
	{"threshold", "3162240001s", 0, BAD},
	{"size", "64", 64, GOOD},
	{"size", "1K", 1024, GOOD},
	{"size", "1M", 1 << 20, GOOD},
	{"size", "63", 0, BAD},
	{"size", "2M", 0, BAD},
	{"size", "1k", 0, BAD},
	{"size", "1.5M", 0, BAD},
	{"size", "", 0, BAD},
	{"much", "8G", 8ULL << 30, GOOD},
	{"much", "17179869184G", 0, BAD},
	{"when", "auto", 0, GOOD},
	{"when", "none", 2, GOOD},
	{"when", "non", 0, BAD},
	{"when", "NONE", 0, BAD},
	{"when", "", 0, BAD},
	{"when", "1", 0, BAD},
};

static const struct option_def *find(const char *name, const struct conf **conf)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		for (size_t j = 0; j < groups[i].count; j++)
			if (!strcmp(groups[i].options[j].name, name)) {
				*conf = groups[i].conf;
				return &groups[i].options[j];
			}
	abort();
}

static uint64_t stored(const struct row *row)
{
	const struct conf *conf;
	const struct option_def *def = find(row->name, &conf);

	if (def->type == OPT_WORD)
		return (uint64_t)conf->word;
	return *(const uint64_t *)((const char *)conf + def->offset);
}

/* One value in each spelling there is: --name text, --name=text, -x text, -xtext. */
static void test_row(const struct row *row)
{
	const struct conf *conf;
	const struct option_def *def = find(row->name, &conf);
	char longest[64], dashed[64], letter[3] = {'-', def->letter}, joined[64];
	uint64_t before = def->type == OPT_PID ? 0 : UNTOUCHED;
	const char *const spellings[][3] = {
		{dashed, row->text}, {longest}, {letter, row->text}, {joined}};

	snprintf(dashed, sizeof(dashed), "--%s", row->name);
	snprintf(longest, sizeof(longest), "--%s=%s", row->name, row->text);
	snprintf(joined, sizeof(joined), "-%c%s", def->letter, row->text);
	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		if (i >= 2 && (!def->letter || (i == 3 && !*row->text)))
			continue;
		reset();
		if (!row->good) {
			char what[80];

			snprintf(what, sizeof(what), "%s '%s' (spelling %zu)", row->name,
				 row->text, i);
			refused(spellings[i], row->name, what);
			is_u64(stored(row), before, "and %s is not stored", what);
			continue;
		}
		is_int(parse(spellings[i]), spellings[i][1] ? 3 : 2,
		       "%s '%s' is taken (spelling %zu)", row->name, row->text, i);
		is_str(said, "", "without a word");
		is_u64(stored(row), row->value, "and stored");
	}
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_flags(void)
{
	reset();
	is_int(parse(ARGS("-a")), 2, "-a is a flag");
	ok(confs[0].flag && !confs[0].other && !confs[1].flag,
	   "and sets its own member only");
	reset();
	is_int(parse(ARGS("-ab", "-n", "5")), 4, "letters can be joined");
	ok(confs[0].flag && confs[0].other, "and both are set");
	reset();
	is_int(parse(ARGS("-abn5")), 2,
	       "the last joined letter may have its argument behind it");
	is_u64(confs[0].number, 5, "which is stored");
	reset();
	is_int(parse(ARGS("-a", "-a")), 3, "a flag may come twice");
	refused(ARGS("--alpha=yes"), "--alpha", "an argument to a flag");

	reset();
	parse(ARGS("-r"));
	is_int(confs[0].set, 1, "a choice is stored");
	parse(ARGS("-r", "-g"));
	is_int(confs[0].set, 2, "the last choice of -r -g wins");
	parse(ARGS("-g", "--red"));
	is_int(confs[0].set, 1, "the last choice of -g --red wins");
	parse(ARGS("-n", "5", "--number=6"));
	is_u64(confs[0].number, 6, "the last number wins");
}

static void test_string(void)
{
	reset();
	parse(ARGS("-o", "a file"));
	is_str(confs[1].string, "a file", "a text is stored");
	parse(ARGS("--output=-"));
	is_str(confs[1].string, "-", "a text may be a dash");
	parse(ARGS("-o", "--"));
	is_str(confs[1].string, "--", "a text may be two dashes");
	parse(ARGS("-o", "x", "-o", "y"));
	is_str(confs[1].string, "y", "the last text wins");
	refused(ARGS("-o", ""), "--output", "an empty text");
	refused(ARGS("--output="), "--output", "an empty text behind =");
}

static void test_end(void)
{
	reset();
	is_int(parse(ARGS("-a", "cmd", "-b")), 2,
	       "the first word that is no option ends them");
	ok(confs[0].flag && !confs[0].other, "so an option behind it is the command's");
	reset();
	is_int(parse(ARGS("-a", "--", "-b")), 3, "-- ends the options");
	ok(confs[0].flag && !confs[0].other, "so what is behind it is no option");
	is_int(parse(ARGS("-a", "--", "--", "-b")), 3, "only the first -- is taken away");
	is_int(parse(ARGS("-", "-b")), 1, "a single dash is no option");
	is_int(parse(ARGS("", "-b")), 1, "an empty word is no option");
	is_int(parse((const char *const[]){NULL}), 1, "no words, no options");
	parse(ARGS("-qab", "x"));
	is_int(parse(ARGS("-n", "5", "--", "-n")), 4,
	       "a call after a failed one begins at the start");
}

static void test_errors(void)
{
	reset();
	refused(ARGS("-p", "1", "-p", "2"), "--pid: given twice", "a second pid");
	reset();
	refused(ARGS("--pid=1", "-p1"), "--pid: given twice", "the same pid again");
	reset();
	refused(ARGS("-q"), "'q'", "an unknown letter");
	refused(ARGS("--quark"), "--quark", "an unknown name");
	refused(ARGS("--number"), "--number", "a name without its argument");
	refused(ARGS("-n"), "'n'", "a letter without its argument");
	refused(ARGS("-a", "-q", "-b", "-z"), "'q'", "the first of two unknown letters");
	refused(ARGS("--when=later"), "auto some none", "a word that is not listed");
	refused(ARGS("-n", "4\n5"), "4?5", "a newline in a value");

	reset();
	is_int(parse(ARGS("--alp")), -1, "an abbreviation of two names is refused");
	ok(one_line(), "in one line");
	is_int(parse(ARGS("--alpha")), 2, "a name that another begins with is none");
	ok(confs[0].flag && !confs[1].flag, "and means itself");
	is_int(parse(ARGS("--dur=3")), 2, "an abbreviation of one name is taken");
	is_u64(confs[1].time, 3 * NSEC_PER_SEC, "with its argument");
	reset();
	refused(ARGS("-a", "-n", "4"), "--number", "an error behind a good option");
	ok(confs[0].flag, "which does not undo that option");
}

static void test_describe(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	opt_describe(stream, groups, ARRAY_SIZE(groups));
	fclose(stream);
	is_str(text,
	       "alpha\ta\t-\tflag\t-\n"
	       "beta\tb\t-\tflag\t-\n"
	       "red\tr\t-\tflag\t-\n"
	       "green\tg\t-\tflag\t-\n"
	       "number\tn\tN\tnumber\t-\n"
	       "any\t-\tN\tnumber\t-\n"
	       "pid\tp\tPID\tpid\t-\n"
	       "duration\td\tTIME\ttime\t-\n"
	       "threshold\tt\tTIME\ttime_unit\t-\n"
	       "size\ts\tSIZE\tsize\t-\n"
	       "much\t-\tSIZE\tsize\t-\n"
	       "output\to\tFILE\tstring\t-\n"
	       "when\tw\tWHEN\tword\tauto some none\n"
	       "alphabet\t-\t-\tflag\t-\n",
	       "opt_describe has a line for each option");
	free(text);
}

static void test_help(void)
{
	static const struct option_def options[] = {
		{"alpha", 'a', OPT_FLAG, NULL, "a flag", 0},
		{"hidden", 'h', OPT_FLAG, NULL, NULL, 0},
		{"number", 0, OPT_U64, "N", "bare", 0},
		{"a-name-too-long-for-it", 0, OPT_U64, "NUMBER", "below", 0},
		{"edge", 'e', OPT_FLAG, NULL,
		 "123456789 123456789 123456789 123456789 123456789 12 next line 6789 "
		 "123456789 123456789 1234567890 3 last1",
		 0},
	};
	static const struct option_group one[] = {{options, ARRAY_SIZE(options), NULL}};
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	opt_help(stream, one, 1);
	fclose(stream);
	is_str(text,
	       "  -a, --alpha              a flag\n"
	       "      --number=N           bare\n"
	       "      --a-name-too-long-for-it=NUMBER\n"
	       "                           below\n"
	       "  -e, --edge               123456789 123456789 123456789 123456789 "
	       "123456789 12\n"
	       "                           next line 6789 123456789 123456789 1234567890 "
	       "3\n"
	       "                           last1\n",
	       "opt_help wraps texts before column 80 and leaves out what has no text");
	free(text);
}

int main(void)
{
	/* With a decimal comma where the machine has such a locale. */
	setlocale(LC_NUMERIC, "de_DE.UTF-8");
	msg_init("opt");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		test_row(&rows[i]);
	test_flags();
	test_string();
	test_end();
	test_errors();
	test_describe();
	test_help();
	return done_testing();
}
