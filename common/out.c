// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows to lines. TSV and JSON are written at once; tables are collected (out_table.c) until
 * another record type begins, because widths are known only then.
 */
#include "common/out.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <jansson.h>

#include "common/fmt.h"
#include "common/util.h"

#define DEFAULT_TOP 10
#define CELL_MAX 4096 /* a command line, escaped: longer texts are cut */

const char col_all[] = "all";

static const struct {
	const char *unit, *kind;
} kinds[] = {
	[COL_COUNT] = {"-", "integer"},	    [COL_NUMBER] = {"-", "integer"},
	[COL_NS] = {"ns", "integer"},	    [COL_SIGNED] = {"-", "signed"},
	[COL_BYTES] = {"bytes", "integer"}, [COL_PCT] = {"pct", "ratio"},
	[COL_RATIO] = {"-", "ratio"},	    [COL_RATE] = {"per_s", "ratio"},
	[COL_HZ] = {"hz", "integer"},	    [COL_TIME] = {"-", "time"},
	[COL_WORD] = {"-", "word"},	    [COL_NAME] = {"-", "text"},
};

const char *col_unit(const struct column *column)
{
	return kinds[column->kind].unit;
}

const char *col_kind_name(const struct column *column)
{
	return kinds[column->kind].kind;
}

static uint64_t value_u64(const struct column *column, const void *row)
{
	uint64_t value;

	memcpy(&value, (const char *)row + column->offset, sizeof(value));
	return value;
}

static double value_double(const struct column *column, const void *row)
{
	double value;

	memcpy(&value, (const char *)row + column->offset, sizeof(value));
	return value;
}

static const char *value_text(const struct column *column, const void *row)
{
	const char *text;

	memcpy(&text, (const char *)row + column->offset, sizeof(text));
	return text;
}

static void cell_number(char *buf, size_t size, const struct column *column,
			uint64_t value, bool table)
{
	if (value == COL_NA)
		snprintf(buf, size, "-");
	else if (value == COL_ALL)
		snprintf(buf, size, "%s", col_all);
	else if (column->kind == COL_TIME)
		fmt_time(buf, size, value);
	else if (table && column->kind == COL_NS)
		fmt_duration(buf, size, value);
	else if (table && column->kind == COL_BYTES)
		fmt_bytes(buf, size, value);
	else
		fmt_count(buf, size, value);
}

void out_cell(char *buf, size_t size, const struct column *column, const void *row,
	      enum out_format format)
{
	const char *text;
	double ratio;

	switch (column->kind) {
	case COL_PCT:
	case COL_RATE:
	case COL_RATIO:
		ratio = value_double(column, row);
		if (isnan(ratio))
			snprintf(buf, size, "-");
		else
			fmt_ratio(buf, size, ratio, 2);
		return;
	case COL_SIGNED:
		snprintf(buf, size, "%" PRId64, (int64_t)value_u64(column, row));
		return;
	case COL_WORD:
		text = value_text(column, row);
		snprintf(buf, size, "%s", text ? text : "-");
		return;
	case COL_NAME:
		text = value_text(column, row);
		if (!text || text == col_all)
			snprintf(buf, size, "%s", text ? text : "-");
		else
			fmt_escape(buf, size, text);
		return;
	default:
		cell_number(buf, size, column, value_u64(column, row),
			    format == OUT_TABLE);
	}
}

/* Numbers as the TSV has them, so that both formats hold the same. */
static json_t *json_value(const struct column *column, const void *row)
{
	char buf[CELL_MAX];
	const char *text;
	uint64_t value;
	double ratio;

	switch (column->kind) {
	case COL_PCT:
	case COL_RATE:
	case COL_RATIO:
		ratio = value_double(column, row);
		if (isnan(ratio))
			return json_null();
		/* Read from the text, which is rounded exactly; ratio * 100 is not. */
		return json_loads(fmt_ratio(buf, sizeof(buf), ratio, 2), JSON_DECODE_ANY,
				  NULL);
	case COL_SIGNED:
		return json_integer((json_int_t)value_u64(column, row));
	case COL_WORD:
	case COL_NAME:
		text = value_text(column, row);
		return text ? json_string(fmt_utf8(buf, sizeof(buf), text)) : json_null();
	default:
		value = value_u64(column, row);
		if (value == COL_NA)
			return json_null();
		if (value == COL_ALL)
			return json_string(col_all);
		if (column->kind == COL_TIME)
			return json_string(fmt_time(buf, sizeof(buf), value));
		return json_integer((json_int_t)value);
	}
}

static void json_row(struct out *out, const struct record *record, const void *row)
{
	json_t *object = json_object();
	size_t i;

	if (!object) {
		out->error = -ENOMEM;
		return;
	}
	json_object_set_new(object, "type", json_string(record->name));
	for (i = 0; i < record->count; i++)
		json_object_set_new(object, record->columns[i].name,
				    json_value(&record->columns[i], row));
	json_dumpf(object, out->stream, JSON_COMPACT | JSON_REAL_PRECISION(15));
	fputc('\n', out->stream);
	json_decref(object);
}

static void tsv_header(struct out *out, const struct record *record)
{
	size_t i;

	for (i = 0; i < out->seen_count; i++)
		if (out->seen[i] == record)
			return;
	if (out->seen_count < OUT_MAX_RECORDS)
		out->seen[out->seen_count++] = record;
	fprintf(out->stream, "#%s", record->name);
	for (i = 0; i < record->count; i++)
		fprintf(out->stream, "\t%s", record->columns[i].name);
	fputc('\n', out->stream);
}

static void tsv_row(struct out *out, const struct record *record, const void *row)
{
	char buf[CELL_MAX];
	size_t i;

	tsv_header(out, record);
	fputs(record->name, out->stream);
	for (i = 0; i < record->count; i++) {
		out_cell(buf, sizeof(buf), &record->columns[i], row, OUT_TSV);
		fprintf(out->stream, "\t%s", buf);
	}
	fputc('\n', out->stream);
}

/* Whether -n leaves room for this row; starts a new table when its group begins. */
static bool within_top(struct out *out, const struct record *record, const void *row)
{
	const char *group = NULL;
	size_t i;

	if (record->flags & (RECORD_LIST | RECORD_LIVE | RECORD_BARS))
		return true;
	for (i = 0; i < record->count; i++)
		if (record->columns[i].flags & COL_GROUP)
			group = value_text(&record->columns[i], row);
	if (out->limited != record || out->group != group) {
		if (out->format == OUT_TABLE)
			out_table_end(out);
		out->limited = record;
		out->group = group;
		out->group_rows = 0;
		out->group_cut = 0;
	}
	if (out->top && out->group_rows >= out->top) {
		out->group_cut++;
		return false;
	}
	out->group_rows++;
	return true;
}

static void note_error(struct out *out)
{
	if (ferror(out->stream) && !out->error)
		out->error = errno ? -errno : -EIO;
}

void out_row(struct out *out, const struct record *record, const void *row)
{
	if (out->error || !within_top(out, record, row))
		return;
	errno = 0;
	if (out->format == OUT_TABLE)
		out_table_row(out, record, row);
	else if (out->format == OUT_JSON)
		json_row(out, record, row);
	else
		tsv_row(out, record, row);
	note_error(out);
}

int out_open(struct out *out, const char *path, enum out_format format, uint64_t top)
{
	struct winsize window;

	memset(out, 0, sizeof(*out));
	out->stream = stdout;
	if (path) {
		out->stream = fopen(path, "we");
		if (!out->stream)
			return -errno;
		out->owns_stream = true;
	} else if (fcntl(STDOUT_FILENO, F_GETFD) < 0) {
		return -EBADF;
	}
	if (format == OUT_AUTO)
		format = !path && isatty(STDOUT_FILENO) ? OUT_TABLE : OUT_TSV;
	out->format = format;
	out->top = top == COL_NA ? (format == OUT_TABLE ? DEFAULT_TOP : 0) : top;
	out->width = OUT_TABLE_WIDTH;
	if (!ioctl(fileno(out->stream), TIOCGWINSZ, &window) &&
	    window.ws_col >= OUT_TABLE_LEAST)
		out->width = min_of((size_t)window.ws_col, (size_t)OUT_TABLE_WIDTH);
	/* A reader in a pipe gets each row when it is written. */
	setvbuf(out->stream, NULL, _IOLBF, 1 << 16);
	return 0;
}

int out_flush(struct out *out)
{
	if (!out->stream)
		return out->error;
	errno = 0;
	if (out->format == OUT_TABLE && !out->error)
		out_table_end(out);
	out->limited = NULL;
	fflush(out->stream);
	note_error(out);
	return out->error;
}

int out_close(struct out *out)
{
	FILE *stream = out->stream;

	if (!stream)
		return out->error;
	out_flush(out);
	free(out->cells);
	free(out->nonzero);
	free(out->bars);
	out->cells = NULL;
	out->stream = NULL;
	errno = 0;
	if (fclose(stream) && !out->error)
		out->error = errno ? -errno : -EIO;
	return out->error;
}

void out_describe(struct out *out, const struct record *const *records, size_t count)
{
	const struct column *column;
	size_t i, j;

	fputs("#record\tcolumn\tunit\tkind\tmeaning\n", out->stream);
	for (i = 0; i < count; i++)
		for (j = 0; j < records[i]->count; j++) {
			column = &records[i]->columns[j];
			fprintf(out->stream, "%s\t%s\t%s\t%s\t%s\n", records[i]->name,
				column->name, col_unit(column), col_kind_name(column),
				column->help);
		}
	note_error(out);
}

void out_text(struct out *out, const char *text)
{
	errno = 0;
	fputs(text, out->stream);
	note_error(out);
}
