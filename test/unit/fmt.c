// SPDX-License-Identifier: GPL-2.0-or-later
#include <float.h>
#include <locale.h>

#include "common/fmt.h"
#include "common/util.h"
#include "test/unit/tap.h"

struct number_row {
	uint64_t value;
	const char *want;
};

static const struct number_row durations[] = {
	{0, "0"},
	{1, "1 ns"},
	{417, "417 ns"},
	{999, "999 ns"},
	{1000, "1.00 us"},
	{6250, "6.25 us"},
	{9994, "9.99 us"},
	{9995, "10.0 us"},
	{99949, "99.9 us"},
	{99950, "100 us"},
	{999499, "999 us"},
	{999500, "1.00 ms"},
	{1300000, "1.30 ms"},
	{9995000, "10.0 ms"},
	{99950000, "100 ms"},
	{999499999, "999 ms"},
	{999500000, "1.000 s"},
	{2500000000, "2.500 s"},
	{59999499999, "59.999 s"},
	{59999500000, "1m 00s"},
	{125000000000, "2m 05s"},
	{3599499999999, "59m 59s"},
	{3599500000000, "1h 00m"},
	{11040000000000, "3h 04m"},
	{35999969999999999, "9999h 59m"},
	{35999970000000000, "10000h"},
	{UINT64_MAX, "5124096h"},
};

static const struct number_row sizes[] = {
	{0, "0 B"},
	{512, "512 B"},
	{1023, "1023 B"},
	{1024, "1.0 KiB"},
	{4096, "4.0 KiB"},
	{1024 * 1024 - 52, "1023.9 KiB"},
	{1024 * 1024 - 51, "1.0 MiB"},
	{619603558, "590.9 MiB"},
	{1319413953331, "1.2 TiB"},
	{1ULL << 50, "1.0 PiB"},
	{1ULL << 63, "8.0 EiB"},
	{UINT64_MAX, "16.0 EiB"},
};

static void test_numbers(void)
{
	char buf[FMT_MAX], tiny[4];

	for (size_t i = 0; i < ARRAY_SIZE(durations); i++) {
		fmt_duration(buf, sizeof(buf), durations[i].value);
		is_str(buf, durations[i].want, "%" PRIu64 " ns is written \"%s\"",
		       durations[i].value, durations[i].want);
		ok(strlen(buf) <= 9, "\"%s\" has at most nine characters", buf);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		is_str(fmt_bytes(buf, sizeof(buf), sizes[i].value), sizes[i].want,
		       "%" PRIu64 " bytes are written \"%s\"", sizes[i].value,
		       sizes[i].want);
	is_str(fmt_count(buf, sizeof(buf), 0), "0", "a count of 0 is 0");
	is_str(fmt_count(buf, sizeof(buf), UINT64_MAX), "18446744073709551615",
	       "the largest count has all its digits");
	ok(fmt_count(buf, sizeof(buf), 1) == buf, "fmt_count returns its buffer");
	is_str(fmt_count(tiny, sizeof(tiny), 123456), "123",
	       "a number that does not fit is cut and terminated");
}

static const struct {
	double value;
	int digits;
	const char *want;
} ratios[] = {
	{0, 2, "0.00"},
	{12.34, 2, "12.34"},
	{12.345, 1, "12.3"},
	{0.5, 0, "1"},
	{-0.5, 0, "-1"},
	{1.5, 0, "2"},
	{2.5, 0, "3"},
	{0.125, 2, "0.13"},
	{-0.125, 2, "-0.13"},
	{0.285, 2, "0.28"}, /* the double is below the half: 0.28499999999999998 */
	{1.005, 2, "1.00"},
	{0.999999, 6, "0.999999"},
	{0.9999996, 6, "1.000000"},
	{0.05, 3, "0.050"},
	{-0.001, 2, "0.00"},
	{-0.0, 1, "0.0"},
	{1e-300, 6, "0.000000"},
	{DBL_MIN / 2, 6, "0.000000"},
	{100, 1, "100.0"},
	{9007199254740993.0, 0, "9007199254740992"},
	{9223372036854775808.0, 2, "9223372036854775808.00"},
	{18446744073709549568.0, 1, "18446744073709549568.0"},
	{-18446744073709549568.0, 6, "-18446744073709549568.000000"},
	{18446744073709551616.0, 1, "18446744073709551615.0"},
	{DBL_MAX, 6, "18446744073709551615.000000"},
	{3.25, 9, "3.250000"},
	{3.25, -1, "3"},
};

static void test_ratio(void)
{
	char buf[FMT_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(ratios); i++)
		is_str(fmt_ratio(buf, sizeof(buf), ratios[i].value, ratios[i].digits),
		       ratios[i].want, "%.17g with %d decimals is \"%s\"",
		       ratios[i].value, ratios[i].digits, ratios[i].want);
}

static void test_time(void)
{
	char buf[FMT_MAX];

	setenv("TZ", "Asia/Tokyo", 1);
	is_str(fmt_time(buf, sizeof(buf), 0), "1970-01-01T00:00:00.000000000Z",
	       "time 0 is the epoch in UTC, not in TZ");
	is_str(fmt_time(buf, sizeof(buf), 1795963893000000001),
	       "2026-11-29T14:51:33.000000001Z", "a time keeps its last nanosecond");
	is_str(fmt_time(buf, sizeof(buf), 951782400999999999),
	       "2000-02-29T00:00:00.999999999Z", "a leap day is a day");
	is_str(fmt_time(buf, sizeof(buf), UINT64_MAX), "2554-07-21T23:34:33.709551615Z",
	       "the last time is in 2554");
}

struct text_row {
	const char *text, *want;
};

static const struct text_row escapes[] = {
	{"", ""},
	{"plain name", "plain name"},
	{"a\tb\nc\\d", "a\\tb\\nc\\\\d"},
	{"\r\x01\x1b[31m\x7f", "\\x0d\\x01\\x1b[31m\\x7f"},
	{"caf\xc3\xa9", "caf\xc3\xa9"},
	{"\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80"},
	{"\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f\xc2\xa0"},
	{"\xff\xfe\x80\xbf", "\\xff\\xfe\\x80\\xbf"},
	{"\xc3", "\\xc3"},
	{"\xc3(", "\\xc3("},
	{"\xe2\x82", "\\xe2\\x82"},
	{"\xe2\x82\xc3\xa9", "\\xe2\\x82\xc3\xa9"},
	{"\xc0\xaf", "\\xc0\\xaf"}, /* overlong '/' */
	{"\xc1\xbf", "\\xc1\\xbf"},
	{"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"},
	{"\xe0\xa0\x80", "\xe0\xa0\x80"},
	{"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"},
	{"\xf0\x90\x80\x80", "\xf0\x90\x80\x80"},
	{"\xed\x9f\xbf", "\xed\x9f\xbf"},
	{"\xed\xa0\x80", "\\xed\\xa0\\x80"}, /* U+D800 */
	{"\xed\xbf\xbf", "\\xed\\xbf\\xbf"}, /* U+DFFF */
	{"\xee\x80\x80", "\xee\x80\x80"},
	{"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
	{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* U+110000 */
	{"\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80"},
	{"-", "\\x2d"},
	{"--", "--"},
	{"all", "\\x61ll"},
	{"ALL", "ALL"},
	{"alle", "alle"},
};

static void test_escape(void)
{
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(escapes); i++)
		is_str(fmt_escape(buf, sizeof(buf), escapes[i].text), escapes[i].want,
		       "\"%s\" is escaped as \"%s\"", escapes[i].text, escapes[i].want);
	is_str(fmt_escape(buf, 5, "abcdef"), "abcd", "a long name is cut");
	is_str(fmt_escape(buf, 5, "abc\n"), "abc", "but not within an escape");
	is_str(fmt_escape(buf, 5, "ab\xe2\x82\xac"), "ab", "nor within a character");
	is_str(fmt_escape(buf, 6, "ab\xe2\x82\xac"), "ab\xe2\x82\xac",
	       "a character that just fits stays");
	is_str(fmt_escape(buf, 8, "\xc2\x9b"), "",
	       "an escape of two bytes is not halved");
	is_str(fmt_escape(buf, 4, "allowed"), "", "a name is not cut to \"all\"");
	is_str(fmt_escape(buf, 1, "a"), "", "a buffer of one byte holds the terminator");
	buf[0] = 'x';
	fmt_escape(buf, 0, "a");
	ok(buf[0] == 'x', "a buffer of no bytes is not written");
}

static const struct text_row utf8[] = {
	{"plain\t\n\x1b", "plain\t\n\x1b"},
	{"caf\xc3\xa9", "caf\xc3\xa9"},
	{"a\xff"
	 "b",
	 "a\xef\xbf\xbd"
	 "b"},
	{"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},
	{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	{"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},
	{"\xc2\x9b", "\xc2\x9b"},
	{"all", "all"},
};

static void test_utf8(void)
{
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(utf8); i++)
		is_str(fmt_utf8(buf, sizeof(buf), utf8[i].text), utf8[i].want,
		       "\"%s\" becomes valid UTF-8", utf8[i].text);
	is_str(fmt_utf8(buf, 4, "a\xc3\xa9x"), "a\xc3\xa9",
	       "UTF-8 text is cut at its size");
	is_str(fmt_utf8(buf, 3, "a\xc3\xa9x"), "a", "but not within a character");
	is_str(fmt_utf8(buf, 4, "a\xff"), "a", "nor within a replacement");
}

static const struct {
	const char *text;
	size_t want;
} widths[] = {
	{"", 0},
	{"abc", 3},
	{"caf\xc3\xa9", 4},
	{"e\xcc\x81", 1},			     /* e and U+0301 */
	{"\xe6\xbc\xa2\xe5\xad\x97", 4},	     /* two Han characters */
	{"\xed\x95\x9c", 2},			     /* a Hangul syllable */
	{"\xe1\x84\x80\xe1\x85\xa1", 2},	     /* the same kind as two Jamo */
	{"\xef\xbc\xa1\xef\xbd\xb1", 3},	     /* fullwidth A, halfwidth katakana */
	{"\xf0\x9f\x98\x80", 2},		     /* U+1F600 */
	{"\xe2\x82\xac\xe2\x94\x80\xe2\x96\x88", 3}, /* euro, line, block */
	{"\xe2\x80\x8d\xef\xb8\x8f", 0},	     /* joiner, variation selector */
	{"\xf0\xa0\x80\x80\xf0\xb1\x8d\x8a", 4}, /* both ends of the last wide range */
	{"\xe1\x84\x80\xe1\x83\xbf", 3}, /* U+1100 is wide, U+10FF before it is not */
	{"\xcc\x80\xcb\xbf", 1},	 /* U+0300 is combining, U+02FF is not */
	{"\xff\xe2\x82", 3},
	{"\xc2\xad", 1}, /* terminals show the soft hyphen */
};

static void test_width(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		is_u64(fmt_width(widths[i].text), widths[i].want,
		       "\"%s\" takes %zu columns", widths[i].text, widths[i].want);
}

int main(void)
{
	/* With a decimal comma where the machine has such a locale. */
	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		setlocale(LC_ALL, "");
	test_numbers();
	test_ratio();
	test_time();
	test_escape();
	test_utf8();
	test_width();
	return done_testing();
}
