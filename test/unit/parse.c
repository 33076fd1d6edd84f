// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <locale.h>

#include "common/parse.h"
#include "common/util.h"
#include "test/unit/tap.h"

#define UNTOUCHED 77

/* A row holds when the function returns err and, with err 0, gives value. */
struct row {
	const char *text;
	int err;
	uint64_t value;
};

static const struct row numbers[] = {
	{"10", 0, 10},
	{"5", 0, 5},
	{"1000", 0, 1000},
	{"0010", 0, 10},
	{"4", -ERANGE, 0},
	{"0", -ERANGE, 0},
	{"1001", -ERANGE, 0},
	{"18446744073709551615", -ERANGE, 0},
	{"18446744073709551616", -ERANGE, 0},
	{"18446744073709551626", -ERANGE, 0}, /* 10 when it wraps */
	{"99999999999999999999999", -ERANGE, 0},
	{"99999999999999999999999x", -EINVAL, 0},
	{"", -EINVAL, 0},
	{" 10", -EINVAL, 0},
	{"10 ", -EINVAL, 0},
	{"10\n", -EINVAL, 0},
	{"+10", -EINVAL, 0},
	{"-10", -EINVAL, 0},
	{"0x10", -EINVAL, 0},
	{"10.0", -EINVAL, 0},
	{"1e2", -EINVAL, 0},
	{"ten", -EINVAL, 0},
	{"10:", -EINVAL, 0}, /* the two neighbours of the digits in ASCII */
	{"10/", -EINVAL, 0},
	{"\xd9\xa1", -EINVAL, 0}, /* ARABIC-INDIC DIGIT ONE */
};

static void test_u64(void)
{
	uint64_t out;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const struct row *r = &numbers[i];

		out = UNTOUCHED;
		is_int(parse_u64(r->text, 5, 1000, &out), r->err,
		       "parse_u64 from 5 to 1000 returns %d for \"%s\"", r->err, r->text);
		is_u64(out, r->err ? UNTOUCHED : r->value,
		       "and \"%s\" leaves the right value", r->text);
	}
	out = UNTOUCHED;
	is_int(parse_u64("18446744073709551615", 0, UINT64_MAX, &out), 0,
	       "parse_u64 takes 2^64 - 1");
	is_u64(out, UINT64_MAX, "and gives it");
	is_int(parse_u64("0", 0, 0, &out), 0, "parse_u64 takes 0 when min is 0");
	is_u64(out, 0, "and gives it");
}

static const struct row durations[] = {
	{"1.5s", 0, 1500000000},
	{"10", 0, 10 * NSEC_PER_SEC},
	{"0.25", 0, 250000000},
	{"1.000000001s", 0, 1000000001},
	{"1.0000000019s", 0, 1000000001},
	{"0.9999999999s", 0, 999999999},
	{"0.1s", 0, 100000000},
	{"1ns", 0, 1},
	{"1.9ns", 0, 1},
	{"7us", 0, 7000},
	{"1.001us", 0, 1001},
	{"3ms", 0, 3000000},
	{"2m", 0, 120 * NSEC_PER_SEC},
	{"0.5m", 0, 30 * NSEC_PER_SEC},
	{"0.3333333333333333333333333h", 0, 1199999999999},
	{"1h", 0, 3600 * NSEC_PER_SEC},
	{"2h", 0, 7200 * NSEC_PER_SEC},
	{"007s", 0, 7 * NSEC_PER_SEC},
	{"2.0000000000003h", -ERANGE, 0}, /* 1.08 ns above max */
	{"2.0000000000002h", 0, 7200 * NSEC_PER_SEC},
	{"7200.000000001", -ERANGE, 0},
	{"3h", -ERANGE, 0},
	{"0", -ERANGE, 0},
	{"0s", -ERANGE, 0},
	{"0.0s", -ERANGE, 0},
	{"0.1ns", -ERANGE, 0},
	{"0.999ns", -ERANGE, 0},
	{"0.0000000001s", -ERANGE, 0},
	{"18446744073s", -ERANGE, 0},
	{"18446744074s", -ERANGE, 0},
	{"36893488147.5s", -ERANGE, 0}, /* about 2^65 ns, small when it wraps */
	{"18446744073709551616s", -ERANGE, 0},
	{"99999999999999999999999h", -ERANGE, 0},
	{"99999999999999999999999parsecs", -EINVAL, 0},
	{"", -EINVAL, 0},
	{"s", -EINVAL, 0},
	{".5s", -EINVAL, 0},
	{"5.", -EINVAL, 0},
	{"5.s", -EINVAL, 0},
	{"1.5.2", -EINVAL, 0},
	{"1..5", -EINVAL, 0},
	{"1,5", -EINVAL, 0},
	{"1e3s", -EINVAL, 0},
	{"+1", -EINVAL, 0},
	{"-1", -EINVAL, 0},
	{"-1s", -EINVAL, 0},
	{" 1", -EINVAL, 0},
	{"1 ", -EINVAL, 0},
	{"1 s", -EINVAL, 0},
	{"1s ", -EINVAL, 0},
	{"nan", -EINVAL, 0},
	{"inf", -EINVAL, 0},
	{"0x10", -EINVAL, 0},
	{"1S", -EINVAL, 0},
	{"1d", -EINVAL, 0},
	{"1sec", -EINVAL, 0},
	{"1h30m", -EINVAL, 0},
	{"1.-5s", -EINVAL, 0},
};

static void test_duration(void)
{
	uint64_t out;

	for (size_t i = 0; i < ARRAY_SIZE(durations); i++) {
		const struct row *r = &durations[i];

		out = UNTOUCHED;
		is_int(parse_duration(r->text, false, 7200 * NSEC_PER_SEC, &out), r->err,
		       "parse_duration up to 2h returns %d for \"%s\"", r->err, r->text);
		is_u64(out, r->err ? UNTOUCHED : r->value,
		       "and \"%s\" leaves the right value", r->text);
	}
	out = UNTOUCHED;
	is_int(parse_duration("10", true, UINT64_MAX, &out), -EINVAL,
	       "parse_duration refuses 10 when a unit is required");
	is_int(parse_duration("0", true, UINT64_MAX, &out), -EINVAL,
	       "a missing unit is found before the zero");
	is_int(parse_duration("1.5", true, UINT64_MAX, &out), -EINVAL,
	       "a decimal does not stand in for a required unit");
	is_u64(out, UNTOUCHED, "refused durations write nothing");
	is_int(parse_duration("10ms", true, UINT64_MAX, &out), 0,
	       "parse_duration takes 10ms when a unit is required");
	is_u64(out, 10 * NSEC_PER_MSEC, "and gives 10 ms");
	is_int(parse_duration("18446744073.709551615s", false, UINT64_MAX, &out), 0,
	       "the longest duration is 2^64 - 1 ns");
	is_u64(out, UINT64_MAX, "and comes out exactly");
	is_int(parse_duration("18446744073.709551616s", false, UINT64_MAX, &out), -ERANGE,
	       "one nanosecond more is out of range");
	is_int(parse_duration("18446744073.8s", false, UINT64_MAX, &out), -ERANGE,
	       "and so is more of it, which is small when it wraps");
}

static const struct row sizes[] = {
	{"64", 0, 64},
	{"1K", 0, 1024},
	{"3M", 0, 3 << 20},
	{"2G", 0, 2ULL << 30},
	{"63", -ERANGE, 0},
	{"0", -ERANGE, 0},
	{"3G", -ERANGE, 0},
	{"17179869185G", -ERANGE, 0}, /* 2^64 + 1G */
	{"18014398509481985K", -ERANGE, 0},
	{"99999999999999999999M", -ERANGE, 0},
	{"99999999999999999999T", -EINVAL, 0},
	{"", -EINVAL, 0},
	{"K", -EINVAL, 0},
	{"1k", -EINVAL, 0},
	{"1KB", -EINVAL, 0},
	{"1KiB", -EINVAL, 0},
	{"1T", -EINVAL, 0},
	{"1.5M", -EINVAL, 0},
	{"1 M", -EINVAL, 0},
	{"-1M", -EINVAL, 0},
	{" 64", -EINVAL, 0},
};

static void test_size(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		const struct row *r = &sizes[i];
		uint64_t out = UNTOUCHED;

		is_int(parse_size(r->text, 64, 2ULL << 30, &out), r->err,
		       "parse_size from 64 to 2G returns %d for \"%s\"", r->err, r->text);
		is_u64(out, r->err ? UNTOUCHED : r->value,
		       "and \"%s\" leaves the right value", r->text);
	}
}

static void test_word(void)
{
	static const char *const words[] = {"text", "tsv", "json"};

	is_int(parse_word("text", words, 3), 0, "the first word has index 0");
	is_int(parse_word("json", words, 3), 2, "the last word has index 2");
	is_int(parse_word("json", words, 2), -EINVAL, "no word behind n is looked at");
	is_int(parse_word("t", words, 3), -EINVAL, "an abbreviation is refused");
	is_int(parse_word("tsvx", words, 3), -EINVAL, "a longer word is refused");
	is_int(parse_word("TSV", words, 3), -EINVAL, "capitals are refused");
	is_int(parse_word("", words, 3), -EINVAL, "the empty word is refused");
}

static void test_field(void)
{
	const char *text = " \t12 034x", *p = text;
	uint64_t out = UNTOUCHED;

	is_int(parse_field_u64(&p, &out), 0, "a field behind blanks is read");
	is_u64(out, 12, "and has its value");
	is_int(p - text, 4, "and the cursor is behind its digits");
	is_int(parse_field_u64(&p, &out), 0, "the next field is read");
	is_u64(out, 34, "and may begin with a zero");
	is_int(parse_field_u64(&p, &out), -EINVAL, "a letter is no field");
	is_str(p, "x", "and the cursor stays on it");
	is_u64(out, 34, "and the value stays");

	p = text = "  -1";
	is_int(parse_field_u64(&p, &out), -EINVAL, "a sign is no field");
	is_int(p - text, 0, "and the cursor does not move over the blanks");
	p = text = " 18446744073709551616 1";
	is_int(parse_field_u64(&p, &out), -ERANGE, "2^64 overflows a field");
	is_int(p - text, 0, "and the cursor does not move");
	p = text = "\n1";
	is_int(parse_field_u64(&p, &out), -EINVAL, "a newline is no blank");
}

static const struct row cpu_lists[] = {
	{"0", 0, 1},
	{"0-3,8", 0, 5},
	{"1,3,5-5", 0, 3},
	{"0-2147483647", 0, 2147483648},
	{"", -EINVAL, 0},
	{"0-", -EINVAL, 0},
	{"-3", -EINVAL, 0},
	{"3-1", -EINVAL, 0},
	{"0-3,3", -EINVAL, 0},
	{"4,2", -EINVAL, 0},
	{"0,", -EINVAL, 0},
	{"0 ,1", -EINVAL, 0},
	{"0-3\n", -EINVAL, 0},
	{"0-2147483648", -EINVAL, 0},
	{"0-18446744073709551616", -EINVAL, 0},
};

static void test_cpu_list(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cpu_lists); i++) {
		const struct row *r = &cpu_lists[i];
		uint32_t out = UNTOUCHED;

		is_int(parse_cpu_list(r->text, &out), r->err,
		       "parse_cpu_list returns %d for \"%s\"", r->err, r->text);
		is_u64(out, r->err ? UNTOUCHED : r->value,
		       "and \"%s\" leaves the right count", r->text);
	}
}

int main(void)
{
	/* With a decimal comma where the machine has such a locale. */
	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		setlocale(LC_ALL, "");
	test_u64();
	test_duration();
	test_size();
	test_word();
	test_field();
	test_cpu_list();
	return done_testing();
}
