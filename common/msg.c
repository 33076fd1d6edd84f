// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/fmt.h"
#include "common/msg.h"
#include "common/util.h"

/* Back to column 1, then erase to the end of the line (ECMA-48 EL). */
#define CLEAR_LINE "\r\033[K"

static const char *prefix = "fast";
static bool verbose_on;
static bool progress_shown;

void msg_init(const char *name)
{
	prefix = name;
}

void msg_set_verbose(bool verbose)
{
	verbose_on = verbose;
}

bool msg_is_verbose(void)
{
	return verbose_on;
}

/*
 * One system call for all pieces, so that lines of several processes do not mix; more
 * only when stderr takes a part. Nothing is left to tell the user when it fails.
 */
static void write_pieces(struct iovec *piece, int n)
{
	while (n) {
		ssize_t done = writev(STDERR_FILENO, piece, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return;
		while (n && (size_t)done >= piece->iov_len) {
			done -= (ssize_t)piece->iov_len;
			piece++;
			n--;
		}
		if (n) {
			piece->iov_base = (char *)piece->iov_base + done;
			piece->iov_len -= (size_t)done;
		}
	}
}

static struct iovec piece_of(const char *text)
{
	return (struct iovec){.iov_base = (void *)(uintptr_t)text,
			      .iov_len = strlen(text)};
}

/*
 * Makes text harmless for a terminal, in place. Besides C0 and DEL these are the C1
 * controls, U+0080-U+009F, in UTF-8 a byte 0xc2 and one below 0xa0: some terminals
 * take U+009B as the start of an escape sequence.
 */
static void disarm(char *text)
{
	for (unsigned char *p = (unsigned char *)text; *p; p++) {
		if (*p < 0x20 || *p == 0x7f)
			*p = '?';
		if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
			p[0] = p[1] = '?';
	}
}

static void write_line(const char *text)
{
	struct iovec pieces[] = {
		piece_of(progress_shown ? CLEAR_LINE : ""),
		piece_of(prefix),
		piece_of(": "),
		piece_of(text),
		piece_of("\n"),
	};

	write_pieces(pieces, ARRAY_SIZE(pieces));
	progress_shown = false;
}

/* errno is kept: callers format it and then still return it. */
__attribute__((format(printf, 1, 0))) static void say(const char *format, va_list args)
{
	int saved = errno;
	char small[1024];
	char *text = small, *big = NULL;
	va_list again;
	size_t len;
	int n;

	va_copy(again, args);
	n = vsnprintf(small, sizeof(small), format, args);
	if (n >= (int)sizeof(small)) {
		errno = saved; /* for %m */
		if (vasprintf(&big, format, again) >= 0)
			text = big;
		else
			big = NULL;
	}
	va_end(again);
	if (n < 0)
		text[0] = '\0';

	len = strlen(text);
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	disarm(text);
	write_line(text);
	free(big);
	errno = saved;
}

void msg_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}

void msg_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}

void msg_debug(const char *format, ...)
{
	va_list args;

	if (!verbose_on)
		return;
	va_start(args, format);
	say(format, args);
	va_end(args);
}

int msg_fail(enum exit_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	return (int)status;
}

/* A terminal that cannot clear a line would show the escape sequence instead. */
static bool can_overwrite(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb");
}

void msg_progress(const char *text)
{
	struct iovec pieces[2] = {piece_of(CLEAR_LINE)};
	bool shown = text && *text;
	int saved = errno;
	char line[256];

	if (shown ? !can_overwrite() : !progress_shown)
		return;
	/* Cuts at a whole character, which snprintf() would not. */
	fmt_utf8(line, sizeof(line), shown ? text : "");
	disarm(line);
	pieces[1] = piece_of(line);
	write_pieces(pieces, ARRAY_SIZE(pieces));
	progress_shown = shown;
	errno = saved;
}

void msg_try_help(void)
{
	struct iovec pieces[] = {
		piece_of("Try '"),
		piece_of(prefix),
		piece_of(" --help' for more information.\n"),
	};

	write_pieces(pieces, ARRAY_SIZE(pieces));
}
