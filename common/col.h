// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records as data: a record type is a name and its columns; a row is a plain struct. From
 * this description come the table, the TSV, the JSON, --columns and the man page.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Values with a meaning of their own in any unsigned column. Ratios use NAN, texts NULL. */
#define COL_NA UINT64_MAX	 /* not available: "-", null */
#define COL_ALL (UINT64_MAX - 1) /* the row sums over this column: "all" */
extern const char col_all[];	 /* the same for a COL_NAME */

enum col_kind {
	COL_COUNT, /* uint64_t, a number of things */
	COL_NUMBER, /* uint64_t, a number that names something (pid, CPU); never abbreviated */
	COL_NS,	    /* uint64_t */
	COL_SIGNED, /* int64_t, same unit as its record says */
	COL_BYTES,  /* uint64_t */
	COL_PCT,    /* double, per cent, two decimals */
	COL_RATE,   /* double, per second, two decimals */
	COL_RATIO,  /* double, two decimals; the name says of what */
	COL_HZ,	    /* uint64_t */
	COL_TIME,   /* uint64_t, CLOCK_REALTIME in ns */
	COL_WORD,   /* const char *, one of our own words */
	COL_NAME,   /* const char *, text from outside: escaped */
};

enum col_flags {
	COL_KEY = 1, /* says what the row is about: comes first when a table is broken */
	COL_OPTIONAL = 2, /* left out of a table when it is zero in all its rows */
	COL_NO_TABLE = 4, /* only in TSV and JSON */
	COL_GROUP = 8,	  /* a COL_WORD: a table for each value; -n counts within it */
};

struct column {
	const char *name;
	const char *heading; /* in tables; NULL = name */
	enum col_kind kind;
	unsigned int flags;
	size_t offset; /* into the row */
	const char *help;
};

enum record_flags {
	RECORD_LIST = 1, /* table format shows name and value pairs, not columns */
	RECORD_LIVE = 2, /* printed row by row as things happen */
	RECORD_BARS = 4, /* a bar for its last column */
};

struct record {
	const char *name;
	const char *title; /* heading of its table; NULL = none */
	const char *help;
	unsigned int flags;
	const struct column *columns;
	size_t count;
};

/* Ends with a comma-free initialiser, for use in arrays. */
#define COLUMN(type, member, name_, heading_, kind_, flags_, help_)                   \
	{                                                                             \
		.name = (name_), .heading = (heading_), .kind = (kind_),              \
		.flags = (flags_), .offset = offsetof(type, member), .help = (help_), \
	}

/* "ns", "bytes", "pct" ...; "-" for counts and texts. */
const char *col_unit(const struct column *column);
/* "integer", "signed", "ratio", "time", "word", "text". */
const char *col_kind_name(const struct column *column);
