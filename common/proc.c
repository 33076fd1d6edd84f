// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/parse.h"
#include "common/proc.h"

static void free_text(char **text)
{
	free(*text);
}

/* A text that is freed when it goes out of scope. */
#define SCOPED_TEXT __attribute__((cleanup(free_text))) char *

static __attribute__((format(printf, 2, 3))) int open_file(FILE **file,
							   const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	if (n >= PATH_MAX)
		return -ENAMETOOLONG;
	*file = fopen(path, "re");
	return *file ? 0 : -errno;
}

/*
 * All of a text file, which it closes; none of them holds a NUL. When the process ended
 * after the open, the read fails with ESRCH.
 */
static int read_text(FILE *file, char **text)
{
	size_t size = 256;
	ssize_t len;
	int err = 0;

	*text = malloc(size);
	len = *text ? getdelim(text, &size, '\0', file) : -1;
	if (len < 0 && feof(file))
		**text = '\0';
	else if (len < 0)
		err = -errno;
	else if (strlen(*text) != (size_t)len)
		err = -EINVAL;
	fclose(file);
	return err;
}

/* A file of a process or, with a tid, of one of its threads. */
static int read_task(const char *root, pid_t pid, pid_t tid, const char *name,
		     char **text)
{
	FILE *file;
	int err;

	if (tid)
		err = open_file(&file, "%s/proc/%d/task/%d/%s", root, pid, tid, name);
	else
		err = open_file(&file, "%s/proc/%d/%s", root, pid, name);
	return err ? err : read_text(file, text);
}

/*
 * Reads fields 4 to 22 of stat under their numbers in proc(5). Ids, priorities, nice and
 * the children's times may be negative; none of them is used, so the sign is skipped.
 * Each must end in a blank, the last too: the file goes on, or its last number was cut.
 */
static int read_stat_fields(const char *p, uint64_t fields[23])
{
	for (int i = 4; i <= 22; i++) {
		bool is_signed = (i >= 5 && i <= 8) || (i >= 16 && i <= 19);

		if (*p++ != ' ')
			return -EINVAL;
		if (*p == '-' && is_signed)
			p++;
		if (*p == ' ' || parse_field_u64(&p, &fields[i]))
			return -EINVAL;
	}
	return *p == ' ' && fields[4] <= INT_MAX && fields[9] <= UINT32_MAX ? 0 : -EINVAL;
}

/*
 * "PID (COMM) STATE PPID ...". The kernel escapes nothing in this file (it does so in
 * status): the name may hold ") R 1", so it ends at the last parenthesis of the file, as
 * only a letter and numbers come after it.
 */
int proc_read_stat(const char *root, pid_t pid, pid_t tid, struct proc_stat *out)
{
	SCOPED_TEXT text = NULL;
	uint64_t id, f[23] = {0};
	const char *p, *end;
	int err = read_task(root, pid, tid, "stat", &text);

	if (err)
		return err;
	p = text;
	end = strrchr(text, ')');
	if (parse_field_u64(&p, &id) || id > INT_MAX || strncmp(p, " (", 2) || !end)
		return -EINVAL;
	p += 2;
	if (end < p || end[1] != ' ' || end[2] <= ' ' || read_stat_fields(end + 3, f))
		return -EINVAL;

	*out = (struct proc_stat){
		.pid = (pid_t)id,
		.state = end[2],
		.ppid = (pid_t)f[4],
		.flags = (uint32_t)f[9],
		.minor_faults = f[10],
		.major_faults = f[12],
		.user_ticks = f[14],
		.system_ticks = f[15],
		.threads = f[20],
		.start_ticks = f[22],
	};
	memcpy(out->comm, p, min_of((size_t)(end - p), sizeof(out->comm) - 1));
	return 0;
}

/* The value of the "KEY:" line, or NULL. A name cannot fake a line, as the kernel writes
 * its newlines as \n in this file. */
static const char *status_value(const char *text, const char *key)
{
	size_t len = strlen(key);

	while (text && (strncmp(text, key, len) || text[len] != ':')) {
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return text ? text + len + 1 : NULL;
}

/* The only number on the line; a line that does not end was cut. */
static int status_number(const char *text, const char *key, uint64_t max, uint64_t *out)
{
	const char *p = status_value(text, key);

	if (!p || parse_field_u64(&p, out) || *out > max || *p != '\n')
		return -EINVAL;
	return 0;
}

/* "NSpid: 4711 12 1", outermost first. */
static int status_ns_pids(const char *text, struct proc_status *status)
{
	const char *p = status_value(text, "NSpid");
	uint64_t pid;

	/* A kernel without pid namespaces has no such line. */
	status->ns_depth = p ? 0 : 1;
	status->ns_pid = status->pid;
	while (p && *p != '\n') {
		if (parse_field_u64(&p, &pid) || pid > INT_MAX)
			return -EINVAL;
		status->ns_pid = (pid_t)pid;
		status->ns_depth++;
	}
	return status->ns_depth ? 0 : -EINVAL;
}

int proc_read_status(const char *root, pid_t pid, pid_t tid, struct proc_status *out)
{
	static const char *const keys[] = {"Tgid",
					   "Pid",
					   "PPid",
					   "Threads",
					   "voluntary_ctxt_switches",
					   "nonvoluntary_ctxt_switches"};
	SCOPED_TEXT text = NULL;
	struct proc_status status;
	uint64_t v[ARRAY_SIZE(keys)];
	const char *state;
	int err = read_task(root, pid, tid, "status", &text);

	if (err)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (status_number(text, keys[i], i < 3 ? INT_MAX : UINT64_MAX, &v[i]))
			return -EINVAL;
	state = status_value(text, "State");
	if (!state || *state != '\t' || state[1] <= ' ')
		return -EINVAL;
	status = (struct proc_status){
		.tgid = (pid_t)v[0],
		.pid = (pid_t)v[1],
		.ppid = (pid_t)v[2],
		.state = state[1],
		.threads = v[3],
		.voluntary = v[4],
		.involuntary = v[5],
	};
	err = status_ns_pids(text, &status);
	if (!err)
		*out = status;
	return err;
}

int proc_read_schedstat(const char *root, pid_t pid, pid_t tid,
			struct proc_schedstat *out)
{
	SCOPED_TEXT text = NULL;
	struct proc_schedstat stat;
	const char *p;
	int err = read_task(root, pid, tid, "schedstat", &text);

	if (err)
		return err;
	p = text;
	if (parse_field_u64(&p, &stat.run_ns) || parse_field_u64(&p, &stat.wait_ns) ||
	    parse_field_u64(&p, &stat.slices) || strcmp(p, "\n"))
		return -EINVAL;
	*out = stat;
	return 0;
}

/* The kernel writes the bytes of the name as they are, then one newline. */
int proc_read_comm(const char *root, pid_t pid, char *buf, size_t size)
{
	SCOPED_TEXT text = NULL;
	size_t len;
	int err = read_task(root, pid, 0, "comm", &text);

	if (err)
		return err;
	len = strlen(text);
	if (!size || !len || text[len - 1] != '\n')
		return -EINVAL;
	len = min_of(len, size) - 1;
	memcpy(buf, text, len);
	buf[len] = '\0';
	return 0;
}

int proc_read_cmdline(const char *root, pid_t pid, char *buf, size_t size)
{
	FILE *file;
	size_t len;
	int err = size ? open_file(&file, "%s/proc/%d/cmdline", root, pid) : -EINVAL;

	if (err)
		return err;
	len = fread(buf, 1, size - 1, file);
	if (ferror(file))
		err = -errno;
	fclose(file);

	/* A process that rewrote its title often leaves many NULs behind it. */
	while (len && !buf[len - 1])
		len--;
	for (size_t i = 0; i < len; i++)
		if (!buf[i])
			buf[i] = ' ';
	buf[err ? 0 : len] = '\0';
	return err;
}

int proc_online_cpus(const char *root, uint32_t *count)
{
	SCOPED_TEXT text = NULL;
	FILE *file;
	int err = open_file(&file, "%s/sys/devices/system/cpu/online", root);

	if (!err)
		err = read_text(file, &text);
	if (err)
		return err;
	/* A file that does not end in a newline may have been cut within a number. */
	if (!*text || text[strlen(text) - 1] != '\n')
		return -EINVAL;
	text[strlen(text) - 1] = '\0';
	return parse_cpu_list(text, count) ? -EINVAL : 0;
}

/* Lines of "ID:CONTROLLERS:PATH"; v2 has no controllers there. A path may hold colons,
 * but no newline: the kernel refuses such names. */
int proc_read_cgroup(const char *root, pid_t pid, const char *controller, char *buf,
		     size_t size)
{
	SCOPED_TEXT text = NULL;
	char *rest, *line, *list, *word;
	size_t len;
	int err = read_task(root, pid, 0, "cgroup", &text);

	if (err)
		return err;
	rest = text;
	while ((line = strsep(&rest, "\n")) && rest) {
		strsep(&line, ":");
		list = strsep(&line, ":");
		if (!line)
			return -EINVAL;
		while ((word = strsep(&list, ","))) {
			if (strcmp(word, controller))
				continue;
			len = strlen(line) + 1;
			if (len > size)
				return -ENAMETOOLONG;
			memcpy(buf, line, len);
			return 0;
		}
	}
	/* What is left behind the last newline is a line that was cut. */
	return line && *line ? -EINVAL : -ENOENT;
}
