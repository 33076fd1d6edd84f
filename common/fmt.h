// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers to text for people and for records. Pure: no locale (a decimal point is
 * always "."), no allocation. Each writes a terminated string into buf (size bytes,
 * FMT_MAX is always enough) and returns buf.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FMT_MAX 48

/* "0", "417 ns", "6.25 us", "1.30 ms", "2.500 s", "2m 05s", "3h 04m": three
 * significant digits below a second, never more than nine characters (from 10,000 hours
 * on the minutes are left out). */
char *fmt_duration(char *buf, size_t size, uint64_t ns);

/* "0 B", "512 B", "4.0 KiB", "590.9 MiB", "1.2 TiB". */
char *fmt_bytes(char *buf, size_t size, uint64_t bytes);

/* Plain digits. */
char *fmt_count(char *buf, size_t size, uint64_t n);

/* A finite ratio with `digits` decimals (0 to 6), rounded half away from zero: "12.34".
 * Zero has no sign; values from 2^64 on are shown as 2^64 - 1. */
char *fmt_ratio(char *buf, size_t size, double value, int digits);

/* RFC 3339 UTC with nanoseconds, "2026-11-29T14:51:33.000000001Z", from
 * CLOCK_REALTIME nanoseconds. */
char *fmt_time(char *buf, size_t size, uint64_t realtime_ns);

/*
 * A name that came from outside, safe for one TSV field or one table cell: tab,
 * newline and backslash become \t \n \\, other control bytes (0x00-0x1f, 0x7f, and
 * U+0080-U+009F) and bytes that are not valid UTF-8 become \xHH. When the result would
 * be exactly "-" or "all", words that have a meaning in a record, its first byte is
 * written as \xHH. Cut at a whole escape or character when size is too small.
 */
char *fmt_escape(char *buf, size_t size, const char *name);

/*
 * The same name for JSON: valid UTF-8 text in which each byte that is not valid UTF-8
 * is replaced by U+FFFD. Control characters are kept (the JSON writer escapes them).
 */
char *fmt_utf8(char *buf, size_t size, const char *name);

/* How many terminal columns the UTF-8 text takes (wcwidth over its characters without
 * needing a locale: combining marks 0, East Asian wide and emoji 2, others 1). */
size_t fmt_width(const char *text);
