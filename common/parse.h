// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text to numbers: the only place of the suite that converts. Every function
 * takes the whole string or refuses it: no leading blanks, no sign, no rest.
 * They print nothing, do not depend on the locale, and return 0, -EINVAL (not
 * of this form) or -ERANGE (of this form, but outside the bounds); *out is
 * written only on success.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decimal digits only; bounds are inclusive. */
int parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out);

/*
 * A duration in nanoseconds: a plain decimal ("10", "1.5", no exponent) and a
 * unit out of ns us ms s m h. Without a unit it means seconds, unless
 * unit_required, when it is -EINVAL. Zero is -ERANGE, as is anything that does not
 * come to at least 1 ns or that does not fit in max_ns. Digits below 1 ns are cut.
 */
int parse_duration(const char *text, bool unit_required, uint64_t max_ns,
		   uint64_t *out_ns);

/* A size in bytes: digits and an optional K, M or G (powers of 1024). */
int parse_size(const char *text, uint64_t min, uint64_t max, uint64_t *out_bytes);

/*
 * The index of text in words (n of them, all non-NULL); -EINVAL when it is none of
 * them. No abbreviations.
 */
int parse_word(const char *text, const char *const *words, size_t n);

/*
 * How many CPUs a list of the kernel names ("0-3,8"), ascending and at least one. Never
 * -ERANGE.
 */
int parse_cpu_list(const char *text, uint32_t *count);

/*
 * For readers of /proc and of other line formats: skips blanks at *cursor, reads
 * decimal digits, leaves *cursor behind them. -EINVAL when there is no digit,
 * -ERANGE on overflow; *cursor is then unchanged.
 */
int parse_field_u64(const char **cursor, uint64_t *out);

/* The same for hexadecimal digits, of small letters only and at most 16, without blanks before. */
int parse_field_hex(const char **cursor, uint64_t *out);
