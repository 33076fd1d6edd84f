// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The least of TAP that the unit tests need: one line to a check, the plan at the end.
 * A name says what must hold. Everything here is for one source file to a program.
 */
#pragma once

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAP_PRINTF(n) static __attribute__((unused, format(printf, n, n + 1)))

static int tap_run, tap_failed;

/* Bytes that would end or confuse a TAP line are shown as \xHH. */
static inline void tap_text(const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p < 0x20 || *p >= 0x7f || *p == '#' || *p == '\\')
			printf("\\x%02x", *p);
		else
			putchar(*p);
	}
}

__attribute__((format(printf, 2, 0))) static inline bool tap_check(bool good,
								   const char *format,
								   va_list args)
{
	char name[512];

	vsnprintf(name, sizeof(name), format, args);
	tap_run++;
	tap_failed += !good;
	printf("%s %d - ", good ? "ok" : "not ok", tap_run);
	tap_text(name);
	putchar('\n');
	fflush(stdout); /* a crash must not take the lines before it along */
	return good;
}

TAP_PRINTF(2) bool ok(bool good, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tap_check(good, format, args);
	va_end(args);
	return good;
}

TAP_PRINTF(3) bool is_u64(uint64_t got, uint64_t want, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tap_check(got == want, format, args);
	va_end(args);
	if (got != want)
		printf("#   got  %" PRIu64 "\n#   want %" PRIu64 "\n", got, want);
	return got == want;
}

TAP_PRINTF(3) bool is_int(long long got, long long want, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tap_check(got == want, format, args);
	va_end(args);
	if (got != want)
		printf("#   got  %lld\n#   want %lld\n", got, want);
	return got == want;
}

TAP_PRINTF(3) bool is_str(const char *got, const char *want, const char *format, ...)
{
	bool good = !strcmp(got, want);
	va_list args;

	va_start(args, format);
	tap_check(good, format, args);
	va_end(args);
	if (!good) {
		printf("#   got  \"");
		tap_text(got);
		printf("\"\n#   want \"");
		tap_text(want);
		printf("\"\n");
	}
	return good;
}

/* A path below the source tree: `make distcheck` runs tests elsewhere, with srcdir set. */
static inline const char *tap_srcdir(void)
{
	const char *dir = getenv("srcdir");

	return dir && *dir ? dir : ".";
}

/* Prints the plan; its value is for main() to return. */
static inline int done_testing(void)
{
	printf("1..%d\n", tap_run);
	return tap_failed || !tap_run ? EXIT_FAILURE : EXIT_SUCCESS;
}
