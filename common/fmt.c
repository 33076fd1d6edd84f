// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/fmt.h"
#include "common/util.h"

/* value / unit to the nearest integer, halves up; 128 bits, as value may pass 2^64. */
static uint64_t round_div(unsigned __int128 value, uint64_t unit)
{
	return (uint64_t)((value + unit / 2) / unit);
}

/*
 * Three significant digits of ns in the unit. Which form to take is decided on the
 * rounded number, so 9.996 becomes "10.0", not "10.00".
 */
static char *three_digits(char *buf, size_t size, uint64_t ns, uint64_t unit,
			  const char *name)
{
	uint64_t hundredths = round_div((unsigned __int128)ns * 100, unit);
	uint64_t tenths = round_div((unsigned __int128)ns * 10, unit);

	if (hundredths < 1000)
		snprintf(buf, size, "%" PRIu64 ".%02" PRIu64 " %s", hundredths / 100,
			 hundredths % 100, name);
	else if (tenths < 1000)
		snprintf(buf, size, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10,
			 tenths % 10, name);
	else
		snprintf(buf, size, "%" PRIu64 " %s", round_div(ns, unit), name);
	return buf;
}

/* From a second on; each step rounds first and then looks whether that still fits. */
static char *long_duration(char *buf, size_t size, uint64_t ns)
{
	uint64_t n = round_div(ns, NSEC_PER_MSEC);

	if (n < 60 * 1000) {
		snprintf(buf, size, "%" PRIu64 ".%03" PRIu64 " s", n / 1000, n % 1000);
		return buf;
	}
	n = round_div(ns, NSEC_PER_SEC);
	if (n < 3600) {
		snprintf(buf, size, "%" PRIu64 "m %02" PRIu64 "s", n / 60, n % 60);
		return buf;
	}
	n = round_div(ns, 60 * NSEC_PER_SEC);
	/* "10000h 00m" would be a tenth character. */
	if (n < 10000 * 60)
		snprintf(buf, size, "%" PRIu64 "h %02" PRIu64 "m", n / 60, n % 60);
	else
		snprintf(buf, size, "%" PRIu64 "h", round_div(ns, 3600 * NSEC_PER_SEC));
	return buf;
}

char *fmt_duration(char *buf, size_t size, uint64_t ns)
{
	if (!ns)
		snprintf(buf, size, "0");
	else if (ns < NSEC_PER_USEC)
		snprintf(buf, size, "%" PRIu64 " ns", ns);
	else if (ns < NSEC_PER_MSEC - NSEC_PER_USEC / 2)
		return three_digits(buf, size, ns, NSEC_PER_USEC, "us");
	else if (ns < NSEC_PER_SEC - NSEC_PER_MSEC / 2)
		return three_digits(buf, size, ns, NSEC_PER_MSEC, "ms");
	else
		return long_duration(buf, size, ns);
	return buf;
}

char *fmt_bytes(char *buf, size_t size, uint64_t bytes)
{
	static const char prefixes[] = "KMGTPE"; /* 2^64 - 1 is 16.0 EiB */
	uint64_t tenths;
	size_t i = 0;

	if (bytes < 1024) {
		snprintf(buf, size, "%" PRIu64 " B", bytes);
		return buf;
	}
	do
		tenths = round_div((unsigned __int128)bytes * 10, 1ULL << (10 * ++i));
	while (tenths >= 10240);
	snprintf(buf, size, "%" PRIu64 ".%" PRIu64 " %ciB", tenths / 10, tenths % 10,
		 prefixes[i - 1]);
	return buf;
}

char *fmt_count(char *buf, size_t size, uint64_t n)
{
	snprintf(buf, size, "%" PRIu64, n);
	return buf;
}

/*
 * |value| * scale, rounded half up and exact: from the bits of the IEEE 754 double, as
 * the product of two doubles may be rounded onto a half that the value does not reach.
 * At most 2^64 * 10^6, which saturates.
 */
static unsigned __int128 scale_double(double value, uint64_t scale)
{
	unsigned __int128 product;
	uint64_t bits, mantissa;
	int exponent;

	memcpy(&bits, &value, sizeof(bits));
	exponent = (int)(bits >> 52 & 0x7ff);
	exponent -= 1023 + 52;
	/* Zero and subnormals have no leading 1, but come to 0 below either way. */
	mantissa = (bits & ((1ULL << 52) - 1)) | 1ULL << 52;

	/* The mantissa has 53 bits and the scale 20, so both products fit in 128. */
	if (exponent > 11)
		return (unsigned __int128)UINT64_MAX * scale;
	product = (unsigned __int128)mantissa * scale;
	if (exponent >= 0)
		return product << exponent;
	if (exponent < -80)
		return 0;
	return (product + ((unsigned __int128)1 << (-exponent - 1))) >> -exponent;
}

char *fmt_ratio(char *buf, size_t size, double value, int digits)
{
	static const uint64_t scales[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
	uint64_t scale = scales[max_of(0, min_of(digits, 6))];
	unsigned __int128 scaled = scale_double(value, scale);
	const char *sign = value < 0 && scaled ? "-" : "";
	uint64_t whole = (uint64_t)(scaled / scale), rest = (uint64_t)(scaled % scale);

	if (scale == 1)
		snprintf(buf, size, "%s%" PRIu64, sign, whole);
	else
		snprintf(buf, size, "%s%" PRIu64 ".%0*" PRIu64, sign, whole,
			 min_of(digits, 6), rest);
	return buf;
}

char *fmt_time(char *buf, size_t size, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / NSEC_PER_SEC);
	struct tm tm = {0};

	gmtime_r(&seconds, &tm); /* 64 bits of ns end in the year 2554 */
	snprintf(buf, size, "%04d-%02d-%02dT%02d:%02d:%02d.%09" PRIu64 "Z",
		 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
		 tm.tm_sec, (uint64_t)(realtime_ns % NSEC_PER_SEC));
	return buf;
}

/*
 * The length of the character at s and its code point, or 0 when it is not valid UTF-8
 * (RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF). Reads no byte
 * behind the terminator, since that is no continuation byte.
 */
static size_t utf8_char(const char *s, uint32_t *code)
{
	static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = (unsigned char)*s;
	/* The leading ones of the first byte, 0 for ASCII, are the length. */
	size_t ones = (size_t)__builtin_clz(~((uint32_t)first << 24));
	size_t len = ones ? ones : 1;

	if (ones == 1 || ones > 4)
		return 0;
	*code = len == 1 ? first : first & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		unsigned char next = (unsigned char)s[i];

		if ((next & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (next & 0x3f);
	}
	if (*code < lowest[len] || *code > 0x10ffff ||
	    (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return len;
}

/* Escapes the character (or lone byte) at s; returns how many bytes of s it covers. */
static size_t escape_char(const char *s, bool force, char out[20])
{
	uint32_t code = 0;
	size_t len = utf8_char(s, &code);
	size_t bytes = max_of(len, (size_t)1);

	if (!force && len && code >= 0x20 && (code < 0x7f || code > 0x9f) &&
	    code != '\\') {
		memcpy(out, s, len);
		out[len] = '\0';
	} else if (!force && (*s == '\t' || *s == '\n' || *s == '\\')) {
		snprintf(out, 20, "\\%c", *s == '\t' ? 't' : *s == '\n' ? 'n' : '\\');
	} else {
		for (size_t i = 0; i < bytes; i++)
			snprintf(out + 4 * i, 5, "\\x%02x", (unsigned char)s[i]);
	}
	return bytes;
}

static void escape_name(char *buf, size_t size, const char *name, bool force_first)
{
	char piece[20];
	size_t used = 0;

	while (*name) {
		size_t step = escape_char(name, force_first, piece);
		size_t len = strlen(piece);

		if (len >= size - used)
			break;
		memcpy(buf + used, piece, len);
		used += len;
		name += step;
		force_first = false;
	}
	buf[used] = '\0';
}

char *fmt_escape(char *buf, size_t size, const char *name)
{
	if (!size)
		return buf;
	escape_name(buf, size, name, false);
	/* Looked at afterwards, as a longer name may have been cut to one of these. */
	if (!strcmp(buf, "-") || !strcmp(buf, "all"))
		escape_name(buf, size, name, true);
	return buf;
}

char *fmt_utf8(char *buf, size_t size, const char *name)
{
	size_t used = 0;

	if (!size)
		return buf;
	while (*name) {
		uint32_t code;
		size_t step = utf8_char(name, &code);
		const char *piece = step ? name : "\xef\xbf\xbd"; /* U+FFFD */
		size_t len = step ? step : strlen(piece);

		if (len >= size - used)
			break;
		memcpy(buf + used, piece, len);
		used += len;
		name += step ? step : 1;
	}
	buf[used] = '\0';
	return buf;
}

struct code_range {
	uint32_t first, last;
};

/*
 * From the Unicode 14 properties, ascending; unassigned code points are joined to a
 * neighbour to save entries. Wide: East_Asian_Width W and F.
 */
/* clang-format off */
static const struct code_range wide_ranges[] = {
	{0x1100, 0x115f}, {0x231a, 0x231b}, {0x2329, 0x232a}, {0x23e9, 0x23ec},
	{0x23f0, 0x23f0}, {0x23f3, 0x23f3}, {0x25fd, 0x25fe}, {0x2614, 0x2615},
	{0x2648, 0x2653}, {0x267f, 0x267f}, {0x2693, 0x2693}, {0x26a1, 0x26a1},
	{0x26aa, 0x26ab}, {0x26bd, 0x26be}, {0x26c4, 0x26c5}, {0x26ce, 0x26ce},
	{0x26d4, 0x26d4}, {0x26ea, 0x26ea}, {0x26f2, 0x26f3}, {0x26f5, 0x26f5},
	{0x26fa, 0x26fa}, {0x26fd, 0x26fd}, {0x2705, 0x2705}, {0x270a, 0x270b},
	{0x2728, 0x2728}, {0x274c, 0x274c}, {0x274e, 0x274e}, {0x2753, 0x2755},
	{0x2757, 0x2757}, {0x2795, 0x2797}, {0x27b0, 0x27b0}, {0x27bf, 0x27bf},
	{0x2b1b, 0x2b1c}, {0x2b50, 0x2b50}, {0x2b55, 0x2b55}, {0x2e80, 0x3029},
	{0x302e, 0x303e}, {0x3041, 0x3096}, {0x309b, 0x3247}, {0x3250, 0x4dbf},
	{0x4e00, 0xa4c6}, {0xa960, 0xa97c}, {0xac00, 0xd7a3}, {0xf900, 0xfad9},
	{0xfe10, 0xfe19}, {0xfe30, 0xfe6b}, {0xff01, 0xff60}, {0xffe0, 0xffe6},
	{0x16fe0, 0x16fe3}, {0x16ff0, 0x1b2fb}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf},
	{0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335},
	{0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3},
	{0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440},
	{0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e}, {0x1f550, 0x1f567},
	{0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f},
	{0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6df},
	{0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7f0}, {0x1f90c, 0x1f93a},
	{0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faf6}, {0x20000, 0x3134a},
};

/* Categories Mn and Me, format characters and conjoining Jamo of the scripts that most
 * names are in; the marks of rarer ones count as 1. */
static const struct code_range zero_ranges[] = {
	{0x300, 0x36f}, {0x483, 0x489}, {0x591, 0x5bd}, {0x5bf, 0x5bf}, {0x5c1, 0x5c2},
	{0x5c4, 0x5c5}, {0x5c7, 0x5c7}, {0x610, 0x61a}, {0x61c, 0x61c}, {0x64b, 0x65f},
	{0x670, 0x670}, {0x6d6, 0x6dc}, {0x6df, 0x6e4}, {0x6e7, 0x6e8}, {0x6ea, 0x6ed},
	{0x711, 0x711}, {0x730, 0x74a}, {0x7a6, 0x7b0}, {0x8e3, 0x902}, {0x93a, 0x93a},
	{0x93c, 0x93c}, {0x941, 0x948}, {0x94d, 0x94d}, {0x951, 0x957}, {0x962, 0x963},
	{0x981, 0x981}, {0x9bc, 0x9bc}, {0x9c1, 0x9c4}, {0x9cd, 0x9cd}, {0x9e2, 0x9e3},
	{0x9fe, 0xa02}, {0xa3c, 0xa3c}, {0xa41, 0xa51}, {0xa70, 0xa71}, {0xa75, 0xa75},
	{0xa81, 0xa82}, {0xabc, 0xabc}, {0xac1, 0xac8}, {0xacd, 0xacd}, {0xae2, 0xae3},
	{0xafa, 0xb01}, {0xb3c, 0xb3c}, {0xb3f, 0xb3f}, {0xb41, 0xb44}, {0xb4d, 0xb56},
	{0xb62, 0xb63}, {0xb82, 0xb82}, {0xbc0, 0xbc0}, {0xbcd, 0xbcd}, {0xc00, 0xc00},
	{0xc04, 0xc04}, {0xc3c, 0xc3c}, {0xc3e, 0xc40}, {0xc46, 0xc56}, {0xc62, 0xc63},
	{0xc81, 0xc81}, {0xcbc, 0xcbc}, {0xcbf, 0xcbf}, {0xcc6, 0xcc6}, {0xccc, 0xccd},
	{0xce2, 0xce3}, {0xd00, 0xd01}, {0xd3b, 0xd3c}, {0xd41, 0xd44}, {0xd4d, 0xd4d},
	{0xd62, 0xd63}, {0xd81, 0xd81}, {0xdca, 0xdca}, {0xdd2, 0xdd6}, {0xe31, 0xe31},
	{0xe34, 0xe3a}, {0xe47, 0xe4e}, {0xeb1, 0xeb1}, {0xeb4, 0xebc}, {0xec8, 0xecd},
	{0xf18, 0xf19}, {0xf35, 0xf35}, {0xf37, 0xf37}, {0xf39, 0xf39}, {0xf71, 0xf7e},
	{0xf80, 0xf84}, {0xf86, 0xf87}, {0xf8d, 0xfbc}, {0xfc6, 0xfc6}, {0x102d, 0x1030},
	{0x1032, 0x1037}, {0x1039, 0x103a}, {0x103d, 0x103e}, {0x1160, 0x11ff},
	{0x17b4, 0x17b5}, {0x17b7, 0x17bd}, {0x17c6, 0x17c6}, {0x17c9, 0x17d3},
	{0x17dd, 0x17dd}, {0x180b, 0x180f}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
	{0x202a, 0x202e}, {0x2060, 0x206f}, {0x20d0, 0x20f0}, {0x2de0, 0x2dff},
	{0x302a, 0x302d}, {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
	{0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0001, 0xe01ef},
};
/* clang-format on */

static bool in_ranges(uint32_t code, const struct code_range *ranges, size_t n)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (code > ranges[middle].last)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && code >= ranges[low].first;
}

size_t fmt_width(const char *text)
{
	size_t width = 0;

	while (*text) {
		uint32_t code = 0;
		size_t len = utf8_char(text, &code);

		text += max_of(len, (size_t)1);
		/* A terminal shows one replacement sign for an invalid byte. */
		if (!len || !in_ranges(code, zero_ranges, ARRAY_SIZE(zero_ranges)))
			width++;
		if (len && in_ranges(code, wide_ranges, ARRAY_SIZE(wide_ranges)))
			width++;
	}
	return width;
}
