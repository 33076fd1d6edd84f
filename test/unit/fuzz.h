// SPDX-License-Identifier: GPL-2.0-or-later
/* What fuzz.c checks, its random input, and its own notion of what valid text is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/fmt.h"

enum invariant {
	PARSE_CODE,
	PARSE_KEEP,
	PARSE_BOUNDS,
	PARSE_SAME,
	ESCAPE_SAFE,
	ESCAPE_FITS,
	ESCAPE_BACK,
	UTF8_VALID,
	UTF8_KEEP,
	WIDTH_BOUNDS,
	NUMBER_FITS,
	RATIO_SAME,
	HIST_BOUNDS,
	PROC_CODE,
	PROC_KEEP,
	PROC_BOUNDS,
	PROC_GONE,
	INVARIANTS,
};

static struct {
	const char *name;
	uint64_t checks, failures;
	char first[128]; /* the input of the first failure, escaped */
} invariants[INVARIANTS] = {
	[PARSE_CODE] = {.name = "parsers return 0, -EINVAL or -ERANGE"},
	[PARSE_KEEP] = {.name = "parsers that refuse write nothing"},
	[PARSE_BOUNDS] = {.name = "what is parsed lies within its bounds"},
	[PARSE_SAME] = {.name = "a parsed number prints as its text"},
	[ESCAPE_SAFE] =
		{.name = "escaped text is UTF-8 without controls, \"-\" or \"all\""},
	[ESCAPE_FITS] = {.name = "escaped and UTF-8 text fit in their buffers"},
	[ESCAPE_BACK] = {.name = "undoing the escapes gives the beginning of the name"},
	[UTF8_VALID] = {.name = "fmt_utf8 gives valid UTF-8"},
	[UTF8_KEEP] = {.name = "fmt_utf8 keeps valid text that fits"},
	[WIDTH_BOUNDS] = {.name = "a text takes no more than two columns to a byte"},
	[NUMBER_FITS] = {.name = "written numbers keep to their length"},
	[RATIO_SAME] = {.name = "fmt_ratio rounds as printf does, halves aside"},
	[HIST_BOUNDS] = {.name = "the bounds of a value's bucket enclose it"},
	[PROC_CODE] = {.name = "readers of /proc return 0 or an error of proc.h"},
	[PROC_KEEP] = {.name = "readers of /proc that refuse write nothing"},
	[PROC_BOUNDS] = {.name = "what is read from /proc lies within its bounds"},
	[PROC_GONE] = {.name = "a process that ends while it is read is gone, not broken"},
};

static const char *input = ""; /* of the running iteration, for the report */

static inline void holds(enum invariant which, bool good)
{
	invariants[which].checks++;
	if (!good && !invariants[which].failures++)
		fmt_escape(invariants[which].first, sizeof(invariants[which].first),
			   input);
}

static uint64_t random_state; /* any value but 0, where xorshift would stay */

/* xorshift64 with the shifts 13, 7, 17. */
static inline uint64_t random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static inline size_t random_below(size_t n)
{
	return (size_t)(random_u64() >> 16) % n;
}

/* Of each magnitude equally often. */
static inline uint64_t random_magnitude(void)
{
	return random_u64() >> random_below(64);
}

static inline size_t random_bytes(char *buf, size_t max)
{
	static const char likely[] = "0123456789.,+-eExnumshKMG ():/\\\t\n";
	static const char utf8[] =
		"\xc2\xc3\xe0\xe2\xed\xef\xf0\xf4\x80\x8f\x90\x9f\xa0\xbf";
	size_t len = random_below(max), kind = random_below(4);

	for (size_t i = 0; i < len; i++) {
		if (kind == 0)
			buf[i] = (char)random_u64();
		else if (kind == 1 && random_below(4))
			buf[i] = utf8[random_below(sizeof(utf8) - 1)];
		else
			buf[i] = likely[random_below(sizeof(likely) - 1)];
	}
	return len;
}

static inline size_t mutate(char *buf, size_t len, size_t max)
{
	for (size_t n = random_below(4); n && len; n--) {
		size_t at = random_below(len), kind = random_below(5);
		size_t count = 1 + random_below(len - at);

		if (kind == 0) {
			buf[at] ^= (char)(1 << random_below(8));
		} else if (kind == 1) {
			buf[at] = "0123456789 -\n:,)("[random_below(17)];
		} else if (kind == 2) {
			len = at;
		} else if (kind == 3) {
			memmove(buf + at, buf + at + count, len - at - count);
			len -= count;
		} else if (len + count <= max) {
			memmove(buf + at + count, buf + at, len - at);
			len += count;
		}
	}
	return len;
}

/* One of the examples, mutated, or with one chance in four something random. */
static inline size_t make_input(char *buf, size_t max, const char *const *examples,
				size_t n)
{
	const char *example = examples[random_below(n)];
	size_t len = strlen(example);

	if (!random_below(4))
		return random_bytes(buf, random_below(2) ? 16 : 128);
	memcpy(buf, example, len);
	return mutate(buf, len, max);
}

/* Not the way fmt.c does it: by the permitted ranges of the second byte (Unicode, table
 * of well-formed sequences). */
static inline bool is_utf8(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p) {
		unsigned char first = *p++, low = 0x80, high = 0xbf;
		int more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;

		if ((first >= 0x80 && first < 0xc2) || first > 0xf4)
			return false;
		if (first == 0xe0)
			low = 0xa0;
		if (first == 0xed)
			high = 0x9f;
		if (first == 0xf0)
			low = 0x90;
		if (first == 0xf4)
			high = 0x8f;
		for (; more; more--, p++, low = 0x80, high = 0xbf)
			if (*p < low || *p > high)
				return false;
	}
	return true;
}

static inline bool has_control(const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p < 0x20 || *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0))
			return true;
	return false;
}

/* True when text is name, or its beginning, with escapes. */
static inline bool unescapes_to(const char *text, const char *name)
{
	unsigned int byte;

	for (; *text; text++, name++) {
		byte = (unsigned char)*text;
		if (*text == '\\' && text[1] == 'x') {
			if (sscanf(text + 2, "%2x", &byte) != 1)
				return false;
			text += 3;
		} else if (*text == '\\') {
			text++;
			byte = *text == 't' ? '\t' : *text == 'n' ? '\n' : '\\';
		}
		if (byte != (unsigned char)*name)
			return false;
	}
	return true;
}
