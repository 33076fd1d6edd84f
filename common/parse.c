// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "common/parse.h"
#include "common/util.h"

/* Not isdigit(): that one asks the locale. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Reads one run of digits and moves *cursor behind all of it, also on overflow, so that
 * a caller can tell a number that is too big from text that is no number.
 */
static int read_digits(const char **cursor, uint64_t *out)
{
	const char *p = *cursor;
	bool overflow = false;
	uint64_t value = 0;

	if (!is_digit(*p))
		return -EINVAL;
	for (; is_digit(*p); p++) {
		uint64_t digit = (uint64_t)(*p - '0');

		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			overflow = true;
	}
	*cursor = p;
	if (overflow)
		return -ERANGE;
	*out = value;
	return 0;
}

int parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	uint64_t value = 0;
	int err = read_digits(&text, &value);

	/* Wrong form goes before wrong size: "99999999999999999999x" is -EINVAL. */
	if (err == -EINVAL || *text)
		return -EINVAL;
	if (err || value < min || value > max)
		return -ERANGE;
	*out = value;
	return 0;
}

int parse_field_u64(const char **cursor, uint64_t *out)
{
	const char *p = *cursor;
	int err;

	while (*p == ' ' || *p == '\t')
		p++;
	err = read_digits(&p, out);
	if (err)
		return err;
	*cursor = p;
	return 0;
}

int parse_field_hex(const char **cursor, uint64_t *out)
{
	static const char digits[] = "0123456789abcdef";
	const char *p = *cursor, *digit;
	uint64_t value = 0;

	for (; *p && (digit = strchr(digits, *p)); p++) {
		if (p - *cursor == 16)
			return -ERANGE;
		value = value << 4 | (uint64_t)(digit - digits);
	}
	if (p == *cursor)
		return -EINVAL;
	*out = value;
	*cursor = p;
	return 0;
}

static const struct {
	const char *name;
	uint64_t ns;
} duration_units[] = {
	{"ns", 1},	     {"us", NSEC_PER_USEC},    {"ms", NSEC_PER_MSEC},
	{"s", NSEC_PER_SEC}, {"m", 60 * NSEC_PER_SEC}, {"h", 3600 * NSEC_PER_SEC},
};

/* Nanoseconds of the unit, 0 when there is none of that name. */
static uint64_t unit_ns(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(duration_units); i++)
		if (!strcmp(name, duration_units[i].name))
			return duration_units[i].ns;
	return 0;
}

/*
 * The decimals in [start, end) times unit, cut to an integer. From the last digit to the
 * first each step is (digit * unit + rest) / 10; cutting in each step gives the same
 * integer as one cut at the end, so any number of digits is exact. It stays below
 * 10 * unit, 3.6e13.
 */
static uint64_t fraction_of(const char *start, const char *end, uint64_t unit)
{
	uint64_t rest = 0;

	while (end > start) {
		end--;
		rest = ((uint64_t)(*end - '0') * unit + rest) / 10;
	}
	return rest;
}

int parse_duration(const char *text, bool unit_required, uint64_t max_ns,
		   uint64_t *out_ns)
{
	const char *start = NULL, *end = NULL;
	uint64_t value = 0, unit = NSEC_PER_SEC;
	int err = read_digits(&text, &value);

	if (err == -EINVAL)
		return -EINVAL;
	if (*text == '.') {
		start = end = text + 1;
		while (is_digit(*end))
			end++;
		if (end == start)
			return -EINVAL;
		text = end;
	}
	if (*text || unit_required)
		unit = unit_ns(text);
	if (!unit)
		return -EINVAL;
	if (err || __builtin_mul_overflow(value, unit, &value))
		return -ERANGE;
	if (__builtin_add_overflow(value, fraction_of(start, end, unit), &value))
		return -ERANGE;
	if (!value || value > max_ns)
		return -ERANGE;
	*out_ns = value;
	return 0;
}

/* Powers of 1024; 0 when there is no such unit. */
static uint64_t size_unit(const char *name)
{
	if (!*name)
		return 1;
	if (!strcmp(name, "K"))
		return 1ULL << 10;
	if (!strcmp(name, "M"))
		return 1ULL << 20;
	if (!strcmp(name, "G"))
		return 1ULL << 30;
	return 0;
}

int parse_size(const char *text, uint64_t min, uint64_t max, uint64_t *out_bytes)
{
	uint64_t value = 0, unit;
	int err = read_digits(&text, &value);

	if (err == -EINVAL)
		return -EINVAL;
	unit = size_unit(text);
	if (!unit)
		return -EINVAL;
	if (err || __builtin_mul_overflow(value, unit, &value))
		return -ERANGE;
	if (value < min || value > max)
		return -ERANGE;
	*out_bytes = value;
	return 0;
}

int parse_word(const char *text, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(text, words[i]))
			return (int)i;
	return -EINVAL;
}

int parse_cpu_list(const char *text, uint32_t *count)
{
	uint64_t first, last, next = 0, n = 0;

	do {
		if (read_digits(&text, &first))
			return -EINVAL;
		last = first;
		if (*text == '-' && (text++, read_digits(&text, &last)))
			return -EINVAL;
		/* The kernel lists them ascending, so none can count twice. */
		if (first < next || last < first || last > INT_MAX)
			return -EINVAL;
		n += last - first + 1;
		next = last + 1;
	} while (*text++ == ',');
	if (text[-1])
		return -EINVAL;
	*count = (uint32_t)n;
	return 0;
}
