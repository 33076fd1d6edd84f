// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "common/out.h"
#include "common/util.h"
#include "test/unit/tap.h"

static char path[PATH_MAX]; /* the file that each output goes to */

/* What is in the file, good until the next call. */
static const char *content(void)
{
	static char text[1 << 20];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	return text;
}

static void begin(struct out *out, enum out_format format, uint64_t top)
{
	if (out_open(out, path, format, top))
		abort();
}

static const char *finished(struct out *out)
{
	int err = out_close(out);

	if (err)
		printf("# out_close: %d\n", err);
	return err ? "" : content();
}

/* How often part is in text. */
static int count_of(const char *text, const char *part)
{
	int n = 0;

	for (text = strstr(text, part); text; text = strstr(text + 1, part))
		n++;
	return n;
}

/* The same for a word between blanks. */
static int count_words(const char *text, const char *word)
{
	size_t length = strlen(word);
	int n = 0;

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		n += (at == text || at[-1] <= ' ') && at[length] <= ' ';
	return n;
}

struct full {
	const char *scope;
	uint64_t count, number, ns;
	int64_t balance;
	uint64_t bytes;
	double pct, rate;
	uint64_t hz, time;
	const char *word, *name;
};

#define FULL(member, kind, flags) \
	COLUMN(struct full, member, #member, NULL, kind, flags, "help of " #member)

static const struct column full_columns[] = {
	FULL(scope, COL_WORD, COL_KEY),
	FULL(count, COL_COUNT, 0),
	FULL(number, COL_NUMBER, 0),
	FULL(ns, COL_NS, 0),
	FULL(balance, COL_SIGNED, 0),
	FULL(bytes, COL_BYTES, 0),
	FULL(pct, COL_PCT, 0),
	FULL(rate, COL_RATE, 0),
	FULL(hz, COL_HZ, 0),
	FULL(time, COL_TIME, COL_NO_TABLE),
	FULL(word, COL_WORD, COL_NO_TABLE),
	FULL(name, COL_NAME, 0),
};

static const struct record full = {
	.name = "full", .columns = full_columns, .count = ARRAY_SIZE(full_columns)};

static const struct full full_rows[] = {
	{"a", 0, 1, 1500000, -7, 2048, 12.345, 0.5, 2000000000, 1, "w", "a name"},
	{"b", 1ULL << 62, 4194304, 1ULL << 63 >> 1, INT64_MIN, 1, 0, 1e6, 0,
	 1700000000123456789, NULL, NULL},
	{"c", COL_NA, COL_ALL, COL_NA, -1, COL_NA, NAN, NAN, COL_NA, COL_NA, "-",
	 col_all},
	{"d", COL_ALL, COL_NA, COL_ALL, INT64_MAX, COL_ALL, -0.001, -12.5, COL_ALL,
	 COL_ALL, NULL, "t\tn\nb\\e\x1b q\""},
	{NULL, 0, 0, 0, 0, 0, 99.995, 100, 0, 0, "x", "-"},
	{"f", 0, 0, 0, 0, 0, 0, 0, 0, 0, "x", "all"},
	{"g", 0, 0, 0, 0, 0, 0, 0, 0, 0, "x", "caf\xc3\xa9 \xff"},
	{"h", 0, 0, 0, 0, 0, 0, 0, 0, 0, "x", ""},
};

static const char full_tsv[] =
	"#full\tscope\tcount\tnumber\tns\tbalance\tbytes\tpct\trate\thz\ttime\tword\tname\n"
	"full\ta\t0\t1\t1500000\t-7\t2048\t12.35\t0.50\t2000000000\t"
	"1970-01-01T00:00:00.000000001Z\tw\ta name\n"
	"full\tb\t4611686018427387904\t4194304\t4611686018427387904\t-9223372036854775808\t"
	"1\t0.00\t1000000.00\t0\t2023-11-14T22:13:20.123456789Z\t-\t-\n"
	"full\tc\t-\tall\t-\t-1\t-\t-\t-\t-\t-\t-\tall\n"
	"full\td\tall\t-\tall\t9223372036854775807\tall\t0.00\t-12.50\tall\tall\t-\t"
	"t\\tn\\nb\\\\e\\x1b q\"\n"
	"full\t-\t0\t0\t0\t0\t0\t100.00\t100.00\t0\t1970-01-01T00:00:00.000000000Z\tx\t\\x2d\n"
	"full\tf\t0\t0\t0\t0\t0\t0.00\t0.00\t0\t1970-01-01T00:00:00.000000000Z\tx\t\\x61ll\n"
	"full\tg\t0\t0\t0\t0\t0\t0.00\t0.00\t0\t1970-01-01T00:00:00.000000000Z\tx\t"
	"caf\xc3\xa9 \\xff\n"
	"full\th\t0\t0\t0\t0\t0\t0.00\t0.00\t0\t1970-01-01T00:00:00.000000000Z\tx\t\n";

static const char *const json_names[] = {
	"a name",
	NULL,
	"all",
	"t\tn\nb\\e\x1b q\"",
	"-",
	"all",
	"caf\xc3\xa9 \xef\xbf\xbd",
	"",
};

static void write_full(enum out_format format, struct out *out)
{
	begin(out, format, COL_NA);
	for (size_t i = 0; i < ARRAY_SIZE(full_rows); i++)
		out_row(out, &full, &full_rows[i]);
}

static void test_tsv(void)
{
	struct out out;

	write_full(OUT_TSV, &out);
	is_str(finished(&out), full_tsv, "TSV has one header, plain digits and escapes");
}

/* The TSV field that the JSON value stands for. */
static const char *as_tsv(const json_t *value, char *buf, size_t size)
{
	if (json_is_null(value))
		snprintf(buf, size, "-");
	else if (json_is_integer(value))
		snprintf(buf, size, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		snprintf(buf, size, "%.2f", json_real_value(value) + 0.0);
	else
		snprintf(buf, size, "%s", json_string_value(value));
	return buf;
}

static void compare_json(json_t *object, char *tsv, size_t row)
{
	char *field = strsep(&tsv, "\t"), buf[256];

	is_str(json_string_value(json_object_get(object, "type")), field,
	       "row %zu has its record as type", row);
	is_u64(json_object_size(object), ARRAY_SIZE(full_columns) + 1,
	       "and a member for each column");
	for (size_t i = 0; i + 1 < ARRAY_SIZE(full_columns); i++) {
		json_t *value = json_object_get(object, full_columns[i].name);

		field = strsep(&tsv, "\t");
		/* A number that is none is null, never the text. */
		if (!strcmp(field, "-") && full_columns[i].kind != COL_WORD)
			ok(json_is_null(value), "%s of row %zu is null",
			   full_columns[i].name, row);
		is_str(as_tsv(value, buf, sizeof(buf)), field,
		       "%s of row %zu is what the TSV has", full_columns[i].name, row);
	}
	if (json_names[row])
		is_str(json_string_value(json_object_get(object, "name")),
		       json_names[row], "the name of row %zu is not escaped twice", row);
	else
		ok(json_is_null(json_object_get(object, "name")), "no name is null");
}

static void test_json(void)
{
	static const char start[] = "{\"type\":\"full\",\"scope\":\"a\",\"count\":0,";
	char tsv[sizeof(full_tsv)], *rest = tsv, *json, *lines, *line;
	json_error_t error;
	struct out out;
	size_t rows = 0;

	memcpy(tsv, full_tsv, sizeof(tsv));
	strsep(&rest, "\n");
	write_full(OUT_JSON, &out);
	json = lines = strdup(finished(&out));
	while ((line = strsep(&lines, "\n")) && *line && rows < ARRAY_SIZE(full_rows)) {
		json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, &error);

		if (ok(object, "line %zu is an object", rows))
			compare_json(object, strsep(&rest, "\n"), rows);
		json_decref(object);
		rows++;
	}
	is_u64(rows, ARRAY_SIZE(full_rows), "there is a line for each row");
	ok(!strncmp(json, start, strlen(start)),
	   "members are in the order of the columns");
	free(json);
}

/* Halves are where two ways of rounding part. */
static void test_rounding(void)
{
	static const struct column column[] = {FULL(pct, COL_PCT, 0)};
	static const struct record record = {.name = "r", .columns = column, .count = 1};
	unsigned int differing = 0, seed = 1;
	struct out out;

	for (int i = 0; i < 3000; i++) {
		struct full row = {.pct = i < 2000 ? i * 0.005 : rand_r(&seed) / 1e6};
		char tsv[64], shown[64];
		json_t *object;

		out_cell(tsv, sizeof(tsv), &column[0], &row, OUT_TSV);
		begin(&out, OUT_JSON, COL_NA);
		out_row(&out, &record, &row);
		object = json_loads(finished(&out), 0, NULL);
		as_tsv(json_object_get(object, "pct"), shown, sizeof(shown));
		if (strcmp(tsv, shown) && !differing++)
			printf("# %.17g: TSV %s, JSON %s\n", row.pct, tsv, shown);
		json_decref(object);
	}
	is_u64(differing, 0, "3000 ratios are the same in TSV and JSON");
}

struct item {
	const char *group, *name;
	uint64_t count, extra, bytes;
	double pct;
};

static const struct column item_columns[] = {
	COLUMN(struct item, group, "group", NULL, COL_WORD, COL_KEY | COL_GROUP, "g"),
	COLUMN(struct item, name, "name", NULL, COL_NAME, COL_KEY, "n"),
	COLUMN(struct item, count, "count", "events", COL_COUNT, 0, "c"),
	COLUMN(struct item, extra, "extra", NULL, COL_NS, COL_OPTIONAL, "x"),
	COLUMN(struct item, bytes, "bytes", NULL, COL_BYTES, COL_OPTIONAL, "b"),
	COLUMN(struct item, pct, "pct", NULL, COL_PCT, COL_OPTIONAL, "p"),
};

static const struct record item = {.name = "item",
				   .title = "the items",
				   .columns = item_columns,
				   .count = ARRAY_SIZE(item_columns)};

static const struct column bar_columns[] = {
	COLUMN(struct item, name, "name", NULL, COL_NAME, 0, "n"),
	COLUMN(struct item, count, "count", NULL, COL_COUNT, 0, "c"),
};

static const struct record bars = {.name = "bars",
				   .title = "the bars",
				   .flags = RECORD_BARS,
				   .columns = bar_columns,
				   .count = ARRAY_SIZE(bar_columns)};

static void items(struct out *out, const char *group, int n)
{
	char name[16];

	for (int i = 0; i < n; i++) {
		struct item row = {group, name, (uint64_t)i + 1, 0, 0, 0};

		snprintf(name, sizeof(name), "%s%d", group, i);
		out_row(out, &item, &row);
		memset(name, '?', sizeof(name) - 1); /* a row's texts may go away */
	}
}

static void test_table(void)
{
	struct out out;

	begin(&out, OUT_TABLE, COL_NA);
	items(&out, "x", 2);
	is_str(content(), "", "a table waits for its end");
	out_row(&out, &item, &(struct item){"x", "wide name", 12345, 0, 0, 0});
	is_str(finished(&out),
	       "\nthe items, by x\n"
	       "name       events\n"
	       "x0              1\n"
	       "x1              2\n"
	       "wide name   12345\n",
	       "a table is as wide as its texts; texts are left, numbers right");

	begin(&out, OUT_TABLE, COL_NA);
	out_row(&out, &item, &(struct item){"x", "\xe5\xad\x97", 1, 2500, 0, 0});
	out_row(&out, &item, &(struct item){"x", "y", 2, COL_NA, 3072, 0.004});
	is_str(finished(&out),
	       "\nthe items, by x\n"
	       "name  events    extra    bytes\n"
	       "\xe5\xad\x97         1  2.50 us      0 B\n"
	       "y          2        -  3.0 KiB\n",
	       "an optional column is there when one row has something in it");
	begin(&out, OUT_TSV, COL_NA);
	out_row(&out, &item, &(struct item){"x", "y", 1, 0, 0, 0});
	is_str(finished(&out),
	       "#item\tgroup\tname\tcount\textra\tbytes\tpct\nitem\tx\ty\t1\t0\t0\t0.00\n",
	       "TSV has the optional columns always");
	begin(&out, OUT_TABLE, COL_NA);
	is_str(finished(&out), "", "a table without rows is not there");
}

static void test_groups(void)
{
	struct out out;
	const char *text;

	begin(&out, OUT_TABLE, 2);
	items(&out, "a", 3);
	items(&out, "b", 2);
	items(&out, "c", 6);
	is_str(finished(&out),
	       "\nthe items, by a\nname  events\na0         1\na1         2\n"
	       "(1 more; all with -n 0)\n"
	       "\nthe items, by b\nname  events\nb0         1\nb1         2\n"
	       "\nthe items, by c\nname  events\nc0         1\nc1         2\n"
	       "(4 more; all with -n 0)\n",
	       "-n 2 is two rows of each group, and says what is missing");

	begin(&out, OUT_TSV, 2);
	items(&out, "a", 3);
	items(&out, "b", 3);
	text = finished(&out);
	is_int(count_of(text, "\nitem\t"), 4, "-n 2 is two rows of each group in TSV");
	ok(strstr(text, "\tb1\t") && !strstr(text, "\tb2\t"), "the first two");
	begin(&out, OUT_JSON, 1);
	items(&out, "a", 3);
	items(&out, "b", 3);
	is_int(count_of(finished(&out), "\"item\""), 2,
	       "-n 1 is a row of each group in JSON");

	begin(&out, OUT_TABLE, COL_NA);
	items(&out, "a", 12);
	ok(strstr(finished(&out), "(2 more;"), "without -n a table has ten rows");
	begin(&out, OUT_TABLE, 0);
	items(&out, "a", 200);
	is_int(count_of(finished(&out), "\n"), 203, "-n 0 is all rows of a table");
	begin(&out, OUT_TSV, COL_NA);
	items(&out, "a", 200);
	is_int(count_of(finished(&out), "\n"), 201, "without -n TSV has all rows");

	begin(&out, OUT_TSV, 1);
	items(&out, "a", 2);
	out_flush(&out);
	items(&out, "a", 2);
	text = finished(&out);
	is_int(count_of(text, "item\t"), 3, "-n counts anew after a flush");
	is_int(count_of(text, "#"), 1, "but the header is not repeated");
}

static void test_bars(void)
{
	struct out out;

	begin(&out, OUT_TABLE, 1);
	items(&out, "a", 1);
	out_row(&out, &bars, &(struct item){.name = "x", .count = 1});
	out_row(&out, &bars, &(struct item){.name = "y", .count = 4});
	out_row(&out, &bars, &(struct item){.name = "z", .count = 0});
	is_str(finished(&out),
	       "\nthe items, by a\nname  events\na0         1\n"
	       "\nthe bars\nname  count\n"
	       "x         1  |**********\n"
	       "y         4  |****************************************\n"
	       "z         0  |\n",
	       "bars are in proportion, not cut by -n, and in no group");
}

static const struct column live_columns[] = {
	COLUMN(struct item, name, "name", "who", COL_NAME, 0, "n"),
	COLUMN(struct item, count, "count", NULL, COL_COUNT, 0, "c"),
	COLUMN(struct item, group, "group", NULL, COL_WORD, 0, "g"),
	COLUMN(struct item, bytes, "bytes", NULL, COL_BYTES, COL_NO_TABLE, "b"),
};

static const struct record live = {.name = "live",
				   .flags = RECORD_LIVE,
				   .columns = live_columns,
				   .count = ARRAY_SIZE(live_columns)};

static void test_live(void)
{
	static const char first[] = "who                 count  group\n"
				    "one                     1  x\n"
				    "one                     1  x\n";
	struct out out;

	begin(&out, OUT_TABLE, 1);
	out_row(&out, &live, &(struct item){.name = "one", .count = 1, .group = "x"});
	out_row(&out, &live, &(struct item){.name = "one", .count = 1, .group = "x"});
	is_str(content(), first, "a live row is there at once, below its header");
	items(&out, "a", 1);
	out_row(&out, &live, &(struct item){.name = "two", .count = 2, .group = "y"});
	is_str(finished(&out) + strlen(first),
	       "\nthe items, by a\nname  events\na0         1\n"
	       "two                     2  y\n",
	       "its header comes once, its rows are not cut, and it ends a table");

	begin(&out, OUT_TSV, 1);
	out_row(&out, &live, &(struct item){.name = "one", .count = 1, .group = "x"});
	ok(strstr(content(), "live\tone\t1\tx\t0\n"), "a TSV row is there at once");
	finished(&out);
}

static void test_list(void)
{
	static const struct record list = {.name = "list",
					   .title = "about",
					   .flags = RECORD_LIST,
					   .columns = item_columns,
					   .count = ARRAY_SIZE(item_columns)};
	char name[96];
	const char *text;
	struct out out;

	begin(&out, OUT_TABLE, 1);
	out_row(&out, &list, &(struct item){"g", "n", 1, 0, 0, 0});
	out_row(&out, &list, &(struct item){"h", "m", 2, 5, 6, 7});
	is_str(finished(&out),
	       "about:  group g  name n  events 1\n"
	       "about:  group h  name m  events 2  extra 5 ns  bytes 6 B  pct 7.00\n",
	       "a list has names and values, optional ones when not zero");
	memset(name, 'n', sizeof(name));
	name[68] = '\0';
	begin(&out, OUT_TABLE, 1);
	out_row(&out, &list, &(struct item){"g", name, 1, 0, 0, 0});
	text = finished(&out);
	is_int((int)strcspn(text, "\n"), 100, "a line of a list may have 100 columns");
	name[68] = 'n';
	name[69] = '\0';
	begin(&out, OUT_TABLE, 1);
	out_row(&out, &list, &(struct item){"g", name, 1, 0, 0, 0});
	ok(strstr(finished(&out), "n\n   events 1\n"), "with 101 it is broken");
}

#define WIDE 30

struct wide {
	const char *name;
	uint64_t values[WIDE];
};

/* Lines of at most 100 columns, each column once, the key in each block. */
static void test_wide(void)
{
	struct column columns[WIDE + 1] = {
		COLUMN(struct wide, name, "key", NULL, COL_NAME, COL_KEY, "k")};
	const struct record record = {
		.name = "wide", .columns = columns, .count = ARRAY_SIZE(columns)};
	struct wide row = {.name = "k"};
	char names[WIDE][16], *text, *rest, *line;
	bool fits = true, trailing = false;
	size_t longest = 0, once = 0;
	struct out out;

	for (size_t i = 0; i < WIDE; i++) {
		snprintf(names[i], sizeof(names[i]), "c%zu%.*s", i, (int)(i % 7),
			 "______");
		columns[i + 1] = (struct column){
			.name = names[i],
			.kind = COL_COUNT,
			.offset = offsetof(struct wide, values) + i * sizeof(uint64_t),
		};
		row.values[i] = i % 3 ? i : 1000000 * i;
	}
	begin(&out, OUT_TABLE, 0);
	out_row(&out, &record, &row);
	out_row(&out, &record, &row);
	text = rest = strdup(finished(&out));
	for (size_t i = 0; i < WIDE; i++)
		once += count_words(text, names[i]) == 1;
	while ((line = strsep(&rest, "\n"))) {
		size_t length = strlen(line);

		longest = max_of(longest, length);
		fits = fits && length <= OUT_TABLE_WIDTH;
		trailing = trailing || (length && line[length - 1] == ' ');
	}
	free(text);
	ok(fits, "no line of a wide table has more than 100 columns (%zu)", longest);
	ok(longest > 85, "and its blocks use that room (%zu)", longest);
	ok(!trailing, "no line of it ends in a blank");
	is_u64(once, WIDE, "each column is in one of the blocks");
	is_int(count_of(content(), "key "), count_of(content(), "\nk  ") / 2,
	       "each block begins with the key column");
	ok(count_of(content(), "key ") >= 3, "there are several");
}

/* A key of 3 columns, a gap of 2 and a text: how many lines the table has. */
static int table_lines(int length)
{
	static const struct column columns[] = {
		COLUMN(struct item, group, "key", NULL, COL_NAME, COL_KEY, "k"),
		COLUMN(struct item, count, "c", NULL, COL_COUNT, 0, "c"),
		COLUMN(struct item, name, "v", NULL, COL_NAME, 0, "v"),
	};
	static const struct record record = {
		.name = "edge", .columns = columns, .count = ARRAY_SIZE(columns)};
	char text[128] = "";
	struct out out;

	memset(text, 'x', (size_t)length);
	begin(&out, OUT_TABLE, 0);
	out_row(&out, &record, &(struct item){.group = "k", .name = text});
	return count_of(finished(&out), "\n");
}

static void test_edge(void)
{
	is_int(table_lines(92), 3, "100 columns are one block");
	is_int(table_lines(93), 5, "101 columns are two");
}

static void test_order(void)
{
	struct out out;
	const char *text;

	begin(&out, OUT_TSV, COL_NA);
	items(&out, "a", 1);
	out_row(&out, &live, &(struct item){.name = "one"});
	items(&out, "a", 1);
	text = finished(&out);
	is_int(count_of(text, "#item\t"), 1, "a header is written once");
	is_int(count_of(text, "#live\t"), 1, "for each record");
	ok(!strncmp(text, "#item\t", 6) && strstr(text, "\n#live\t"),
	   "before its first row");

	begin(&out, OUT_AUTO, COL_NA);
	items(&out, "a", 1);
	ok(!strncmp(finished(&out), "#item\t", 6),
	   "a file gets TSV when no format is given");
}

static void test_describe(void)
{
	const struct record *const records[] = {&bars, &live};
	struct out out;

	begin(&out, OUT_TSV, COL_NA);
	out_describe(&out, records, 2);
	is_str(finished(&out),
	       "#record\tcolumn\tunit\tkind\tmeaning\n"
	       "bars\tname\t-\ttext\tn\n"
	       "bars\tcount\t-\tinteger\tc\n"
	       "live\tname\t-\ttext\tn\n"
	       "live\tcount\t-\tinteger\tc\n"
	       "live\tgroup\t-\tword\tg\n"
	       "live\tbytes\tbytes\tinteger\tb\n",
	       "out_describe has a line for each column");
}

static void test_full_disk(void)
{
	static const enum out_format formats[] = {OUT_TABLE, OUT_TSV, OUT_JSON};
	struct out out;

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		is_int(out_open(&out, "/dev/full", formats[i], COL_NA), 0,
		       "a full disk can be opened (%zu)", i);
		items(&out, "a", 3);
		is_int(out_flush(&out), -ENOSPC, "out_flush tells of it");
		items(&out, "a", 3);
		is_int(out_flush(&out), -ENOSPC, "and again after more rows");
		is_int(out_close(&out), -ENOSPC, "and so does out_close");
		is_int(out_close(&out), -ENOSPC, "also a second time");
	}
	out_open(&out, "/dev/full", OUT_TSV, COL_NA);
	out_text(&out, "one line\nand a second one\n");
	is_int(out_close(&out), -ENOSPC, "out_close tells why out_text failed");
	out_open(&out, "/dev/full", OUT_TABLE, COL_NA);
	items(&out, "a", 3);
	is_int(out_close(&out), -ENOSPC, "out_close alone tells of a table that failed");
	is_int(out_open(&out, "/no/such/folder/file", OUT_TSV, COL_NA), -ENOENT,
	       "a file that cannot be made is an error of out_open");
	is_int(out_close(&out), 0, "after which there is nothing to close");
}

static void test_pipe(void)
{
	char name[64];
	struct out out;
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	if (pipe(fds))
		abort();
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fds[1]);
	is_int(out_open(&out, name, OUT_TSV, COL_NA), 0, "a pipe can be opened");
	items(&out, "a", 1);
	is_int(out_flush(&out), 0, "and written while there is a reader");
	close(fds[0]);
	close(fds[1]);
	items(&out, "a", 1);
	is_int(out_flush(&out), -EPIPE, "without a reader it is -EPIPE");
	is_int(out_close(&out), -EPIPE, "also when it is closed");
}

#define NOT_OPENED 100

/* The error of a child with fd as its stdout, less NOT_OPENED when it is out_open()'s. */
static int child(int fd, const char *to)
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct out out;
		int err;

		if (fd >= 0)
			dup2(fd, STDOUT_FILENO);
		else
			close(STDOUT_FILENO);
		err = out_open(&out, to, OUT_AUTO, COL_NA);
		if (err)
			_exit(NOT_OPENED - err);
		items(&out, "a", 1);
		_exit(-out_close(&out));
	}
	waitpid(pid, &status, 0);
	return -WEXITSTATUS(status);
}

static void test_stdout(void)
{
	int fd = open(path, O_RDWR | O_TRUNC | O_CLOEXEC), terminal, full_fd;
	char text[512];
	ssize_t length;

	is_int(child(fd, NULL), 0, "stdout can be a file");
	ok(!strncmp(content(), "#item\t", 6), "and then gets TSV");
	close(fd);
	terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	grantpt(terminal);
	unlockpt(terminal);
	fd = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
	is_int(child(fd, NULL), 0, "stdout can be a terminal");
	length = read(terminal, text, sizeof(text) - 1);
	text[length > 0 ? length : 0] = '\0';
	ok(strstr(text, "the items, by a\r\n"), "and then gets a table");
	is_int(child(fd, path), 0, "a file can be written beside a terminal");
	ok(!strncmp(content(), "#item\t", 6), "and gets TSV also then");
	close(fd);
	close(terminal);
	full_fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	is_int(child(full_fd, NULL), -ENOSPC, "a full disk is seen behind stdout");
	close(full_fd);
	is_int(child(-1, NULL), -EBADF - NOT_OPENED,
	       "a closed stdout is an error of out_open");
}

int main(void)
{
	const char *dir = getenv("TMPDIR");

	snprintf(path, sizeof(path), "%s/fast-out.XXXXXX", dir && *dir ? dir : "/tmp");
	close(mkstemp(path));
	test_tsv();
	test_json();
	test_rounding();
	test_table();
	test_groups();
	test_bars();
	test_live();
	test_list();
	test_wide();
	test_edge();
	test_order();
	test_describe();
	test_full_disk();
	test_pipe();
	test_stdout();
	unlink(path);
	return done_testing();
}
