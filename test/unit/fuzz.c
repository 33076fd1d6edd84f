// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Feeds random and mutated text to every reader of outside text and checks what must hold
 * for any input. Usage: fuzz [ITERATIONS [SEED]]; the same two give the same run.
 */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fmt.h"
#include "common/hist.h"
#include "common/kallsyms.h"
#include "common/parse.h"
#include "common/proc.h"
#include "test/unit/fuzz.h"
#include "test/unit/tap.h"

#define TEXT_MAX 2048
#define FUZZ_PID 7

static void check_parsed(int err, uint64_t out, uint64_t min, uint64_t max)
{
	holds(PARSE_CODE, !err || err == -EINVAL || err == -ERANGE);
	if (err)
		holds(PARSE_KEEP, out == 77);
	else
		holds(PARSE_BOUNDS, out >= min && out <= max);
}

static void fuzz_parse(const char *text)
{
	static const char *const words[] = {"ns", "1.5s", "10"};
	uint64_t min = random_magnitude(), max = random_magnitude(), out = 77;
	uint32_t cpus = 77;
	const char *p = text;
	char digits[24];
	int err = parse_u64(text, min, max, &out);

	check_parsed(err, out, min, max);
	if (!err) {
		snprintf(digits, sizeof(digits), "%" PRIu64, out);
		while (*p == '0' && p[1])
			p++;
		holds(PARSE_SAME, !strcmp(p, digits));
	}
	out = 77;
	err = parse_duration(text, random_below(2), max, &out);
	check_parsed(err, out, 1, max);
	if (!err)
		holds(PARSE_SAME, !text[strspn(text, "0123456789.nsumh")]);
	out = 77;
	err = parse_size(text, min, max, &out);
	check_parsed(err, out, min, max);
	err = parse_word(text, words, 3);
	holds(PARSE_BOUNDS, err == -EINVAL || (err < 3 && !strcmp(text, words[err])));
	p = text;
	out = 77;
	err = parse_field_u64(&p, &out);
	check_parsed(err, out, 0, UINT64_MAX);
	holds(PARSE_KEEP, err ? p == text : p > text && p <= text + strlen(text));
	err = parse_cpu_list(text, &cpus);
	check_parsed(err, cpus, 1, 1U << 31);
}

static void fuzz_text(const char *text)
{
	size_t len = strlen(text),
	       size = 1 + random_below(random_below(2) ? 16 : 4 * len + 8);
	char *buf = malloc(size); /* to the byte, for the address sanitizer */

	if (!buf)
		return;
	memset(buf, 'x', size);
	fmt_escape(buf, size, text);
	holds(ESCAPE_FITS, strnlen(buf, size) < size);
	holds(ESCAPE_SAFE, is_utf8(buf) && !has_control(buf) && strcmp(buf, "-") &&
				   strcmp(buf, "all"));
	holds(ESCAPE_BACK, unescapes_to(buf, text));
	memset(buf, 'x', size);
	fmt_utf8(buf, size, text);
	holds(ESCAPE_FITS, strnlen(buf, size) < size);
	holds(UTF8_VALID, is_utf8(buf));
	if (len < size && is_utf8(text))
		holds(UTF8_KEEP, !strcmp(buf, text));
	holds(WIDTH_BOUNDS, fmt_width(text) <= 2 * len);
	free(buf);
}

static void fuzz_numbers(void)
{
	uint64_t n = random_magnitude(), bits = random_u64();
	uint32_t slot = hist_slot(n, HIST_BITS), coarse = hist_coarse_slot(n);
	char buf[FMT_MAX], all[400];
	double value;

	holds(HIST_BOUNDS,
	      hist_low(&hist_fine, slot) <= n && n <= hist_high(&hist_fine, slot));
	holds(HIST_BOUNDS, hist_low(&hist_coarse, coarse) <= n &&
				   n <= hist_high(&hist_coarse, coarse));
	holds(NUMBER_FITS, strlen(fmt_duration(buf, sizeof(buf), n)) <= 9);
	holds(NUMBER_FITS, strlen(fmt_bytes(buf, sizeof(buf), n)) <= 10);
	holds(NUMBER_FITS, strlen(fmt_time(buf, sizeof(buf), n)) == 30);
	memcpy(&value, &bits, sizeof(value));
	if (!isfinite(value))
		return;
	fmt_ratio(buf, sizeof(buf), value, 6);
	holds(NUMBER_FITS,
	      strspn(buf, "-0123456789.") == strlen(buf) && strlen(buf) <= 28);
	/* libc rounds the exact value too; only a half goes the other way there. */
	value = (double)(n >> 20) / (double)(1 + random_magnitude());
	snprintf(all, sizeof(all), "%.3f", value);
	if ((double)(uint64_t)(value * 2000) != value * 2000)
		holds(RATIO_SAME, !strcmp(fmt_ratio(buf, sizeof(buf), value, 3), all));
}

static char dir[1024]; /* the root of the files that the readers get */

static const char *const stat_examples[] = {
	"7 (a b) S 1 7 7 0 -1 4194304 100 0 0 0 5 6 0 0 20 0 1 0 91601 3133440 383\n",
	"7 () R 1 1) Z -1 -1 -1 0 -1 4228172 18 0 0 0 0 0 -1 -1 -51 -20 3 0 1 0 0\n",
};
static const char *const status_examples[] = {
	"Name:\ta\nState:\tS (sleeping)\nTgid:\t7\nPid:\t7\nPPid:\t1\nNSpid:\t7\t1\n"
	"Threads:\t1\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t6\n",
};
static const char *const schedstat_examples[] = {"910700 64626 3\n", "0 0 0\n"};
static const char *const comm_examples[] = {"name\n", "\n", "a\nb\n"};
static const char *const cgroup_examples[] = {"0::/a.slice\n",
					      "4:cpu,cpuacct:/d/0\n0::/\n"};
static const char *const cmdline_examples[] = {"/bin/sh -c true", ""};
static const char *const kallsyms_examples[] = {
	"0000000000033440 A runqueues\nffffffffc0000000 t in_module\t[ext4]\n", "0 a b"};
static const char *const online_examples[] = {"0-3,8\n", "0\n"};

static void make_path(char *path, size_t size, const char *name)
{
	if (!strcmp(name, "online"))
		snprintf(path, size, "%s/sys/devices/system/cpu/online", dir);
	else if (!strcmp(name, "kallsyms"))
		snprintf(path, size, "%s/proc/kallsyms", dir);
	else
		snprintf(path, size, "%s/proc/%d/%s", dir, FUZZ_PID, name);
}

static void put_file(const char *name, const char *const *examples, size_t n)
{
	static char buf[TEXT_MAX + 1];
	size_t len = make_input(buf, TEXT_MAX, examples, n);
	char path[sizeof(dir) + 64];
	FILE *file;

	buf[len] = '\0';
	input = buf;
	make_path(path, sizeof(path), name);
	file = fopen(path, "w");
	if (!file || fwrite(buf, 1, len, file) != len || fclose(file))
		exit(EXIT_FAILURE);
}

#define PUT_FILE(name) put_file(#name, name##_examples, ARRAY_SIZE(name##_examples))

/* An out of 0x5a bytes must still be one after an error. */
static bool check_read(int err, const void *out, size_t size)
{
	const unsigned char *p = out;
	bool kept = true;

	holds(PROC_CODE,
	      !err || err == -EINVAL || err == -ENOENT || err == -ENAMETOOLONG);
	for (size_t i = 0; i < size; i++)
		kept = kept && p[i] == 0x5a;
	if (err)
		holds(PROC_KEEP, kept);
	return !err;
}

static void fuzz_proc_numbers(void)
{
	union {
		struct proc_stat stat;
		struct proc_status status;
		struct proc_schedstat sched;
		uint32_t cpus;
	} u;

	memset(&u, 0x5a, sizeof(u));
	PUT_FILE(stat);
	if (check_read(proc_read_stat(dir, FUZZ_PID, 0, &u.stat), &u, sizeof(u.stat)))
		holds(PROC_BOUNDS, u.stat.pid >= 0 && u.stat.ppid >= 0 &&
					   u.stat.state > ' ' &&
					   strnlen(u.stat.comm, 64) < 64);
	memset(&u, 0x5a, sizeof(u));
	PUT_FILE(status);
	if (check_read(proc_read_status(dir, FUZZ_PID, 0, &u.status), &u,
		       sizeof(u.status)))
		holds(PROC_BOUNDS, u.status.pid >= 0 && u.status.tgid >= 0 &&
					   u.status.ppid >= 0 && u.status.ns_pid >= 0 &&
					   u.status.ns_depth > 0);
	memset(&u, 0x5a, sizeof(u));
	PUT_FILE(schedstat);
	check_read(proc_read_schedstat(dir, FUZZ_PID, 0, &u.sched), &u, sizeof(u.sched));
	memset(&u, 0x5a, sizeof(u));
	PUT_FILE(online);
	if (check_read(proc_online_cpus(dir, &u.cpus), &u, sizeof(u.cpus)))
		holds(PROC_BOUNDS, u.cpus > 0 && u.cpus <= 1U << 31);
}

static void fuzz_kallsyms(void)
{
	static const char *const names[] = {"runqueues", "b"};
	uint64_t values[ARRAY_SIZE(names)];

	memset(values, 0x5a, sizeof(values));
	PUT_FILE(kallsyms);
	check_read(kallsyms_find(dir, names, ARRAY_SIZE(names), values), values,
		   sizeof(values));
}

static void fuzz_proc_texts(void)
{
	size_t size = 1 + random_below(40);
	char *buf = malloc(size);

	if (!buf)
		return;
	memset(buf, 0x5a, size);
	PUT_FILE(comm);
	if (check_read(proc_read_comm(dir, FUZZ_PID, buf, size), buf, size))
		holds(PROC_BOUNDS, strnlen(buf, size) < size);
	memset(buf, 0x5a, size);
	PUT_FILE(cgroup);
	if (check_read(proc_read_cgroup(dir, FUZZ_PID, "cpu", buf, size), buf, size))
		holds(PROC_BOUNDS, strnlen(buf, size) < size && !strchr(buf, '\n'));
	memset(buf, 0x5a, size);
	PUT_FILE(cmdline);
	if (check_read(proc_read_cmdline(dir, FUZZ_PID, buf, size), buf, size))
		holds(PROC_BOUNDS, strnlen(buf, size) < size);
	free(buf);
}

/* Children that end at once, read while they do. */
static void fuzz_gone(void)
{
	struct proc_schedstat sum;
	struct proc_status status;
	char buf[16];
	int errs[4];
	pid_t pid = fork();

	if (pid < 0)
		return;
	if (!pid)
		_exit(0);
	if (random_below(2))
		waitpid(pid, NULL, 0);
	errs[0] = proc_read_status("", pid, 0, &status);
	errs[1] = proc_read_comm("", pid, buf, sizeof(buf));
	errs[2] = proc_read_cmdline("", pid, buf, sizeof(buf));
	errs[3] = proc_sum_schedstat("", pid, &sum, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(errs); i++)
		holds(PROC_GONE, !errs[i] || errs[i] == -ENOENT || errs[i] == -ESRCH);
	waitpid(pid, NULL, 0);
}

static void fuzz(uint64_t iterations)
{
	static const char *const examples[] = {
		"10",
		"1.5s",
		"1.000000001s",
		"18446744073709551615",
		"0.1ns",
		"64K",
		"0-3,8",
		"all",
		"-",
		"caf\xc3\xa9\xe2\x82\xac",
		"a\tb\\\n",
	};
	char buf[TEXT_MAX + 1];

	for (uint64_t i = 0; i < iterations; i++) {
		size_t len = make_input(buf, 128, examples, ARRAY_SIZE(examples));
		char *text;

		buf[len] = '\0';
		text = strdup(buf); /* to the byte, for the address sanitizer */
		if (!text)
			exit(EXIT_FAILURE);
		input = text;
		fuzz_parse(text);
		fuzz_text(text);
		free(text);
		input = "(a number)";
		fuzz_numbers();
		/* Files cost a hundred times as much, processes a thousand times. */
		if (i % 16 == 0) {
			fuzz_proc_numbers();
			fuzz_proc_texts();
			fuzz_kallsyms();
		}
		input = "(a process)";
		if (i % 1024 == 0)
			fuzz_gone();
	}
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static void make_tree(void)
{
	static const char *const parts[] = {"proc",
					    "proc/7",
					    "sys",
					    "sys/devices",
					    "sys/devices/system",
					    "sys/devices/system/cpu"};
	const char *tmp = getenv("TMPDIR");
	char path[sizeof(dir) + 64];

	snprintf(dir, sizeof(dir), "%s/fast-fuzz-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir)) {
		perror(dir);
		exit(EXIT_FAILURE);
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, parts[i]);
		if (mkdir(path, 0700))
			exit(EXIT_FAILURE);
	}
}

int main(int argc, char **argv)
{
	uint64_t iterations = 200000, seed = 20261129;

	if (argc > 3 || (argc > 1 && parse_u64(argv[1], 1, UINT64_MAX, &iterations)) ||
	    (argc > 2 && parse_u64(argv[2], 1, UINT64_MAX, &seed))) {
		fprintf(stderr, "usage: fuzz [ITERATIONS [SEED]]\n");
		return 2;
	}
	random_state = seed;
	printf("# %" PRIu64 " iterations from seed %" PRIu64 "\n", iterations, seed);
	fflush(stdout); /* or each child would write it again */
	make_tree();
	fuzz(iterations);
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	for (size_t i = 0; i < INVARIANTS; i++) {
		if (!ok(invariants[i].checks && !invariants[i].failures,
			"%s (%" PRIu64 " checks)", invariants[i].name,
			invariants[i].checks))
			printf("#   %" PRIu64 " failures, the first for \"%s\"\n",
			       invariants[i].failures, invariants[i].first);
	}
	return done_testing();
}
