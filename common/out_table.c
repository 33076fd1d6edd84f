// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables: rows are kept as texts until the table ends, then columns get the width they need.
 * A table wider than 100 columns is broken into blocks that repeat the key columns.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fmt.h"
#include "common/out.h"
#include "common/util.h"

#define TABLE_CELL 512
#define BAR_WIDTH 40
#define GAP 2
/* Within "2026-11-29T14:51:33.000000001Z": the time of day in ms. */
#define CLOCK_AT 11
#define CLOCK_LENGTH 12

static bool is_text(const struct column *column)
{
	return column->kind == COL_WORD || column->kind == COL_NAME ||
	       column->kind == COL_TIME;
}

static bool is_zero(const char *text)
{
	return !strcmp(text, "0") || !strcmp(text, "0.00") || !strcmp(text, "0 B") ||
	       !strcmp(text, "-");
}

static void pad(struct out *out, size_t columns)
{
	while (columns--)
		fputc(' ', out->stream);
}

static void put_cell(struct out *out, const char *text, size_t width, bool left,
		     bool last)
{
	size_t used = fmt_width(text), fill = used < width ? width - used : 0;

	if (!left)
		pad(out, fill);
	fputs(text, out->stream);
	if (left && !last)
		pad(out, fill);
	if (!last)
		pad(out, GAP);
}

/* "name value, name value": for records of one row. */
static void list_row(struct out *out, const struct record *record, const void *row)
{
	char buf[TABLE_CELL];
	const struct column *column;
	size_t i, at = 0, need;

	at = fprintf(out->stream, "%s:", record->title ? record->title : record->name);
	for (i = 0; i < record->count; i++) {
		column = &record->columns[i];
		if (column->flags & COL_NO_TABLE)
			continue;
		out_cell(buf, sizeof(buf), column, row, OUT_TABLE);
		if ((column->flags & COL_OPTIONAL) && is_zero(buf))
			continue;
		need = strlen(column->heading ? column->heading : column->name) +
		       fmt_width(buf) + 3;
		if (at + need > out->width) {
			fputs("\n ", out->stream);
			at = 1;
		}
		at += fprintf(out->stream, "  %s ",
			      column->heading ? column->heading : column->name);
		fputs(buf, out->stream);
		at += fmt_width(buf);
	}
	fputc('\n', out->stream);
}

/* Live rows cannot wait for the others: fixed widths, the header once. */
static size_t live_width(const struct column *column)
{
	switch (column->kind) {
	case COL_TIME:
		return CLOCK_LENGTH;
	case COL_NAME:
		return 15;
	case COL_WORD:
		return 9;
	default:
		return 8;
	}
}

static void live_row(struct out *out, const struct record *record, const void *row)
{
	const struct column *column;
	char buf[TABLE_CELL];
	bool header = true;
	size_t i, last = 0;

	for (i = 0; i < out->seen_count; i++)
		if (out->seen[i] == record)
			header = false;
	if (header && out->seen_count < OUT_MAX_RECORDS)
		out->seen[out->seen_count++] = record;
	for (i = 0; i < record->count; i++)
		if (!(record->columns[i].flags & COL_NO_TABLE))
			last = i;
	for (i = 0; header && i < record->count; i++) {
		column = &record->columns[i];
		if (!(column->flags & COL_NO_TABLE))
			put_cell(out, column->heading ? column->heading : column->name,
				 live_width(column), is_text(column), i == last);
	}
	if (header)
		fputc('\n', out->stream);
	for (i = 0; i < record->count; i++) {
		column = &record->columns[i];
		if (column->flags & COL_NO_TABLE)
			continue;
		out_cell(buf, sizeof(buf), column, row, OUT_TABLE);
		if (column->kind == COL_TIME && strlen(buf) > CLOCK_AT + CLOCK_LENGTH) {
			memmove(buf, buf + CLOCK_AT, CLOCK_LENGTH);
			buf[CLOCK_LENGTH] = 0;
		}
		put_cell(out, buf, live_width(column), is_text(column), i == last);
	}
	fputc('\n', out->stream);
}

static bool grow(struct out *out, const struct record *record)
{
	size_t room = out->room ? out->room * 2 : 64;
	char **cells;
	double *bars;

	if (out->rows < out->room)
		return true;
	cells = realloc(out->cells, room * record->count * sizeof(*cells));
	if (cells)
		out->cells = cells;
	bars = realloc(out->bars, room * sizeof(*bars));
	if (bars)
		out->bars = bars;
	if (!cells || !bars) {
		out->error = -ENOMEM;
		return false;
	}
	out->room = room;
	return true;
}

void out_table_row(struct out *out, const struct record *record, const void *row)
{
	const struct column *column;
	char buf[TABLE_CELL];
	uint64_t value = 0;
	size_t i;

	if (record->flags & (RECORD_LIST | RECORD_LIVE)) {
		out_table_end(out);
		if (record->flags & RECORD_LIST)
			list_row(out, record, row);
		else
			live_row(out, record, row);
		return;
	}
	if (out->record != record) {
		out_table_end(out);
		out->record = record;
		out->nonzero = calloc(record->count, sizeof(*out->nonzero));
	}
	if (!out->nonzero)
		out->error = -ENOMEM;
	if (!out->nonzero || !grow(out, record))
		return;
	for (i = 0; i < record->count; i++) {
		column = &record->columns[i];
		out_cell(buf, sizeof(buf), column, row, OUT_TABLE);
		out->cells[out->rows * record->count + i] = strdup(buf);
		if (!out->cells[out->rows * record->count + i])
			out->error = -ENOMEM;
		if (!is_zero(buf))
			out->nonzero[i] = true;
	}
	memcpy(&value, (const char *)row + record->columns[record->count - 1].offset,
	       sizeof(value));
	out->bars[out->rows++] = record->flags & RECORD_BARS ? (double)value : 0;
}

static bool is_shown(const struct out *out, size_t i)
{
	const struct column *column = &out->record->columns[i];

	if (column->flags & (COL_NO_TABLE | COL_GROUP))
		return false;
	return out->nonzero[i] || !(column->flags & COL_OPTIONAL);
}

static size_t column_width(const struct out *out, size_t i)
{
	const struct column *column = &out->record->columns[i];
	size_t row, width = strlen(column->heading ? column->heading : column->name);

	for (row = 0; row < out->rows; row++)
		width = max_of(width,
			       fmt_width(out->cells[row * out->record->count + i]));
	return width;
}

static void bar(struct out *out, double value, double most)
{
	size_t length = most > 0 ? (size_t)(value / most * BAR_WIDTH + 0.5) : 0;

	fputs("  |", out->stream);
	while (length--)
		fputc('*', out->stream);
}

/* One block: the columns marked in show, a header and all rows. */
static void print_block(struct out *out, const bool *show, const size_t *widths)
{
	const struct record *record = out->record;
	size_t i, row, last = 0;
	double most = 0;

	for (i = 0; i < record->count; i++)
		if (show[i])
			last = i;
	for (row = 0; row < out->rows; row++)
		most = max_of(most, out->bars[row]);
	for (i = 0; i < record->count; i++)
		if (show[i])
			put_cell(out,
				 record->columns[i].heading ? record->columns[i].heading
							    : record->columns[i].name,
				 widths[i], is_text(&record->columns[i]), i == last);
	fputc('\n', out->stream);
	for (row = 0; row < out->rows; row++) {
		for (i = 0; i < record->count; i++)
			if (show[i])
				put_cell(out, out->cells[row * record->count + i],
					 widths[i], is_text(&record->columns[i]),
					 i == last);
		if (record->flags & RECORD_BARS)
			bar(out, out->bars[row], most);
		fputc('\n', out->stream);
	}
}

static void print_blocks(struct out *out)
{
	const struct record *record = out->record;
	size_t widths[64], i, used, keys = 0, start = 0;
	bool show[64];

	for (i = 0; i < record->count; i++) {
		widths[i] = column_width(out, i);
		if (is_shown(out, i) && record->columns[i].flags & COL_KEY)
			keys += widths[i] + GAP;
	}
	while (start < record->count) {
		memset(show, 0, sizeof(show));
		used = keys;
		for (i = 0; i < record->count; i++)
			show[i] = is_shown(out, i) && record->columns[i].flags & COL_KEY;
		for (i = start; i < record->count; i++) {
			if (show[i] || !is_shown(out, i))
				continue;
			if (used > keys && used + widths[i] > out->width)
				break;
			show[i] = true;
			used += widths[i] + GAP;
		}
		if (used > keys || !start)
			print_block(out, show, widths);
		start = i;
	}
}

void out_table_end(struct out *out)
{
	bool limited = out->limited == out->record; /* then group is this record's */
	size_t i;

	if (!out->record)
		return;
	fputc('\n', out->stream);
	if (out->record->title && limited && out->group)
		fprintf(out->stream, "%s, by %s\n", out->record->title, out->group);
	else if (out->record->title)
		fprintf(out->stream, "%s\n", out->record->title);
	print_blocks(out);
	if (limited && out->group_cut)
		fprintf(out->stream, "(%llu more; all with -n 0)\n",
			(unsigned long long)out->group_cut);
	for (i = 0; i < out->rows * out->record->count; i++)
		free(out->cells[i]);
	free(out->nonzero);
	out->nonzero = NULL;
	/* The next record may have more columns: room counts rows of this one. */
	free(out->cells);
	out->cells = NULL;
	free(out->bars);
	out->bars = NULL;
	out->room = 0;
	out->rows = 0;
	out->record = NULL;
}
