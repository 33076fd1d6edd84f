// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every byte of stdout: records as a table, as TSV or as JSON lines. Errors of the stream
 * are kept and returned by out_status(), so that rows can be written without a check each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/col.h"

enum out_format { OUT_AUTO, OUT_TABLE, OUT_TSV, OUT_JSON };

#define OUT_MAX_RECORDS 32
#define OUT_TABLE_WIDTH 100
#define OUT_TABLE_LEAST 40 /* a narrower terminal wraps */

struct out_cell;

struct out {
	FILE *stream;
	enum out_format format;
	size_t width; /* of a table: the terminal's, at most OUT_TABLE_WIDTH */
	uint64_t top; /* rows per table and group; 0 = all */
	bool owns_stream;
	int error; /* first -errno of the stream, 0 = none */
	const struct record *seen[OUT_MAX_RECORDS]; /* TSV headers already written */
	size_t seen_count;
	/* The table being collected. */
	const struct record *record;
	char **cells;
	bool *nonzero; /* by column: some cell is neither zero nor "-" */
	double *bars;
	size_t rows, room;
	/* Rows of one record and group so far, for top. */
	const struct record *limited;
	const char *group;
	uint64_t group_rows, group_cut;
};

/*
 * Opens the output: stdout, or the file at path (created or truncated). OUT_AUTO is a table
 * on a terminal, else TSV. top is COL_NA when the user gave none: then 10 in tables and all
 * rows otherwise. 0 or -errno.
 */
int out_open(struct out *out, const char *path, enum out_format format, uint64_t top);

/* One row; its texts may go away when it returns. */
void out_row(struct out *out, const struct record *record, const void *row);

/* Ends the table being collected and hands everything to the system. 0, or the first
 * error since out_open(): -EPIPE when the reader is gone. */
int out_flush(struct out *out);

/* out_flush(), then closes the stream; for stdout too, so that a full disk is seen. */
int out_close(struct out *out);

/* The record types a tool knows, for --columns: TSV with a header line. */
void out_describe(struct out *out, const struct record *const *records, size_t count);

/* Text for people that is not a record: --help, --version. */
void out_text(struct out *out, const char *text);

/* Within out: appends one cell's text (table or TSV form) to buf. */
void out_cell(char *buf, size_t size, const struct column *column, const void *row,
	      enum out_format format);
void out_table_row(struct out *out, const struct record *record, const void *row);
void out_table_end(struct out *out);
