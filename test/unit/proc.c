// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/proc.h"
#include "test/unit/tap.h"

/* The root of a canned tree; good until the next call. */
static const char *tree(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/test/data/proc-%s", tap_srcdir(), name);
	return path;
}

static const struct {
	pid_t pid;
	const char *comm, *what;
} names[] = {
	{101, "my tool (v2) x", "blanks and parentheses"},
	{102, ") R 1 1", "what looks like the fields behind it"},
	{103, "a\nPid:\t1", "a newline"},
	{104, "bad\xff\xc3(\x80", "bytes that are not UTF-8"},
	{105, "", "no character at all"},
	{106, "kworker/u8:0-ext4-rsv-conversion", "more than 15 characters"},
	{107, "back\\slash\\n", "a backslash, which is no escape here"},
	{108, "(((((((((((((((", "parentheses only"},
	{109, "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
	 "70 characters, cut to 63"},
};

static void test_names(void)
{
	struct proc_status status;
	struct proc_stat stat;
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		pid_t pid = names[i].pid;

		memset(&stat, 0, sizeof(stat));
		is_int(proc_read_stat(tree("names"), pid, 0, &stat), 0,
		       "stat of %d is read: a name with %s", pid, names[i].what);
		is_str(stat.comm, names[i].comm, "and its name is right");
		ok(stat.state == 'S' && stat.ppid == 1, "and what is behind it");
		is_int(proc_read_comm(tree("names"), pid, buf, sizeof(buf)), 0,
		       "comm of %d is read", pid);
		is_str(buf, names[i].comm, "and is the same name");
	}
	is_int(proc_read_comm(tree("names"), 101, buf, 8), 0, "comm may be cut");
	is_str(buf, "my tool", "and is cut there");
	is_int(proc_read_comm(tree("names"), 101, buf, 0), -EINVAL, "not in 0 bytes");
	is_int(proc_read_status(tree("names"), 103, 0, &status), 0,
	       "a name with a key in it is no line");
	is_int(status.pid, 103, "so the pid is right");
}

struct proc_row {
	pid_t pid, tid;
	const char *what, *want;
};

/* pid ppid state, flags:kthread, faults (minor/major), ticks (user/system), threads @start */
static const struct proc_row stats[] = {
	{300, 0, "a process with large and negative fields",
	 "300 1 S ffffffff:1 4294967301/8589934592 12345678901/18446744073709551615 3 "
	 "@1099511627776"},
	{300, 302, "a thread, its own", "302 1 S 400000:0 100/7 302/50 3 @91601"},
	{200, 0, "a zombie", "200 199 Z 40844c:0 100/7 9/3 1 @91725"},
	{2, 0, "a kthread", "2 0 S 208040:1 0/0 0/4 1 @22"},
	{306, 0, "a process in session -1", "306 0 S 400000:0 100/7 250/50 0 @91601"},
};

static void test_stat(void)
{
	struct proc_stat s;
	char got[256];

	for (size_t i = 0; i < ARRAY_SIZE(stats); i++) {
		const struct proc_row *r = &stats[i];

		is_int(proc_read_stat(tree("states"), r->pid, r->tid, &s), 0,
		       "stat of %s is read", r->what);
		snprintf(got, sizeof(got),
			 "%d %d %c %x:%d %" PRIu64 "/%" PRIu64 " %" PRIu64 "/%" PRIu64
			 " %" PRIu64 " @%" PRIu64,
			 s.pid, s.ppid, s.state, s.flags, !!(s.flags & PROC_PF_KTHREAD),
			 s.minor_faults, s.major_faults, s.user_ticks, s.system_ticks,
			 s.threads, s.start_ticks);
		is_str(got, r->want, "and each of its fields is right");
	}
}

/* tgid pid ppid state threads, switches (voluntary/not), depth:inner pid */
static const struct proc_row statuses[] = {
	{300, 0, "a process in a pid namespace", "300 300 1 S 3 4294967297/77 2:12"},
	{300, 311, "a thread in a pid namespace", "300 311 1 S 3 10/3 2:23"},
	{304, 0, "a process without an NSpid line", "304 304 1 S 1 10/3 1:304"},
	{305, 0, "a process with 2000 groups, 14 kB", "305 305 1 S 1 5/6 1:305"},
	{200, 0, "a zombie", "200 200 199 Z 1 2/0 1:200"},
	{2, 0, "a kthread", "2 2 0 S 1 10/3 1:2"},
};

static void test_status(void)
{
	struct proc_status s;
	char got[128];

	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		const struct proc_row *r = &statuses[i];

		is_int(proc_read_status(tree("states"), r->pid, r->tid, &s), 0,
		       "status of %s is read", r->what);
		snprintf(got, sizeof(got),
			 "%d %d %d %c %" PRIu64 " %" PRIu64 "/%" PRIu64 " %u:%d", s.tgid,
			 s.pid, s.ppid, s.state, s.threads, s.voluntary, s.involuntary,
			 s.ns_depth, s.ns_pid);
		is_str(got, r->want, "and each of its fields is right");
	}
}

/* The three values of a schedstat file, or the error; good until the next call. */
static const char *sched_text(int err, const struct proc_schedstat *s)
{
	static char text[80];

	if (err)
		snprintf(text, sizeof(text), "error %d", -err);
	else
		snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 " %" PRIu64,
			 s->run_ns, s->wait_ns, s->slices);
	return text;
}

static void test_threads(void)
{
	const char *root = tree("states");
	struct proc_schedstat s;
	size_t count = 77;
	pid_t *tids = NULL;
	int err;

	err = proc_read_schedstat(root, 300, 0, &s);
	is_str(sched_text(err, &s), "1000000000 2000000 30", "schedstat is read");
	err = proc_read_schedstat(root, 300, 302, &s);
	is_str(sched_text(err, &s), "5 6 7", "a thread has its own");

	is_int(proc_list_threads(root, 300, &tids, &count), 0, "threads are listed");
	if (is_u64(count, 3, "all three, without a file of another name"))
		is_int(tids[0] + tids[1] + tids[2], 300 + 302 + 311, "with their ids");
	free(tids);

	err = proc_sum_schedstat(root, 300, &s, &count);
	is_str(sched_text(err, &s), "19000000005 40002000006 937", "schedstat adds up");
	is_u64(count, 3, "over three threads");
	err = proc_sum_schedstat(root, 301, &s, &count);
	is_str(sched_text(err, &s), "10 20 3", "a thread that ended is not in the sum");
	is_u64(count, 1, "nor counted");
	is_int(proc_sum_schedstat(root, 301, &s, NULL), 0, "no count is asked for");
	is_int(proc_sum_schedstat(root, 303, &s, &count), -ESRCH, "no thread is left");
	is_str(sched_text(0, &s), "10 20 3", "and the sum is not written");
}

static const struct {
	pid_t pid;
	size_t size;
	const char *want, *what;
} cmdlines[] = {
	{300, 64, "/usr/bin/server --name two words  end", "arguments joined by blanks"},
	{300, 17, "/usr/bin/server", "no blank where it was cut"},
	{300, 1, "", "nothing in a buffer of one byte"},
	{304, 64, "nginx: worker process", "no NULs behind a title"},
	{2, 64, "", "nothing for a kthread"},
	{200, 64, "", "nothing for a zombie"},
};

static void test_cmdline(void)
{
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(cmdlines); i++) {
		strcpy(buf, "?");
		is_int(proc_read_cmdline(tree("states"), cmdlines[i].pid, buf,
					 cmdlines[i].size),
		       0, "cmdline of %d is read", cmdlines[i].pid);
		is_str(buf, cmdlines[i].want, "and gives %s", cmdlines[i].what);
	}
	is_int(proc_read_cmdline(tree("states"), 300, buf, 0), -EINVAL,
	       "it needs a buffer");
}

static const struct {
	const char *tree;
	pid_t pid;
	const char *controller;
	int err;
	const char *path;
} cgroups[] = {
	{"cgroup1", 50, "cpu", 0, "/docker/0123abcd"},
	{"cgroup1", 50, "cpuacct", 0, "/docker/0123abcd"},
	{"cgroup1", 50, "memory", 0, "/user.slice/a:b"},
	{"cgroup1", 50, "name=systemd", 0, "/init.scope"},
	{"cgroup1", 50, "cp", -ENOENT, "?"},
	{"cgroup1", 50, "cpu,cpuacct", -ENOENT, "?"},
	{"cgroup1", 50, "", -ENOENT, "?"},
	{"hybrid", 50, "cpu", 0, "/system.slice/db.service"},
	{"hybrid", 50, "", 0, "/system.slice/unified.service"},
	{"cgroup2", 50, "", 0, "/user.slice/user-1000.slice/app with blank.scope"},
	{"cgroup2", 50, "cpu", -ENOENT, "?"},
	{"cgroup2", 51, "", 0, "/old.scope (deleted)"},
	{"cgroup2", 52, "", -ENOENT, "?"},
	{"broken", 1, "", -ENOENT, "?"}, /* no hierarchy is mounted */
	{"broken", 2, "", -EINVAL, "?"},
	{"broken", 3, "cpu", 0, "/a"},
	{"broken", 3, "", -EINVAL, "?"},
	{"broken", 4, "", -EINVAL, "?"},
};

static void test_cgroup(void)
{
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(cgroups); i++) {
		strcpy(buf, "?");
		is_int(proc_read_cgroup(tree(cgroups[i].tree), cgroups[i].pid,
					cgroups[i].controller, buf, sizeof(buf)),
		       cgroups[i].err, "%s of %s/%d gives %d", cgroups[i].controller,
		       cgroups[i].tree, cgroups[i].pid, cgroups[i].err);
		is_str(buf, cgroups[i].path, "and the path \"%s\"", cgroups[i].path);
	}
	is_int(proc_read_cgroup(tree("cgroup1"), 50, "cpu", buf, 17), 0,
	       "a path that just fits is given");
	is_int(proc_read_cgroup(tree("cgroup1"), 50, "cpu", buf, 16), -ENAMETOOLONG,
	       "one byte less is too short");
}

static void test_cpus(void)
{
	uint32_t count;

	is_int(proc_online_cpus(tree("broken"), &count), -EINVAL, "no newline, no CPUs");
	is_int(proc_online_cpus(tree("states"), &count), 0, "a list of CPUs is read");
	is_u64(count, 5, "0-3,8 are five");
}

/* The broken files of each kind have pids from 1 on. That nothing is written then is for
 * fuzz.c to find. */
static void test_broken(void)
{
	const char *root = tree("broken");
	struct proc_schedstat sched;
	struct proc_status status;
	struct proc_stat stat;
	char buf[8];
	pid_t *tids = NULL;
	size_t count;

	for (pid_t i = 1; i <= 20; i++)
		is_int(proc_read_stat(root, i, 0, &stat), -EINVAL, "stat %d is broken",
		       i);
	for (pid_t i = 1; i <= 12; i++)
		is_int(proc_read_status(root, i, 0, &status), -EINVAL,
		       "status %d is broken", i);
	for (pid_t i = 1; i <= 10; i++)
		is_int(proc_read_schedstat(root, i, 0, &sched), -EINVAL,
		       "schedstat %d is broken", i);
	for (pid_t i = 1; i <= 3; i++)
		is_int(proc_read_comm(root, i, buf, 8), -EINVAL, "comm %d is broken", i);
	is_int(proc_list_threads(root, 1, &tids, &count), -ESRCH,
	       "no thread, no process");
	is_int(proc_sum_schedstat(root, 2, &sched, NULL), -EINVAL,
	       "one broken file spoils the sum");
}

static void test_missing(void)
{
	char path[PATH_MAX + 1], buf[8];
	struct proc_schedstat sched;
	struct proc_status status;
	struct proc_stat stat;
	uint32_t cpus;
	const char *root = tree("names");
	size_t count;
	pid_t *tids;
	const struct {
		int got;
		const char *what;
	} missing[] = {
		{proc_read_stat(root, 99, 0, &stat), "stat of a process"},
		{proc_read_stat(root, 101, 102, &stat), "stat of a thread"},
		{proc_read_status(root, 99, 0, &status), "status"},
		{proc_read_schedstat(root, 99, 0, &sched), "schedstat"},
		{proc_read_comm(root, 99, buf, 8), "comm"},
		{proc_read_cmdline(root, 99, buf, 8), "cmdline"},
		{proc_list_threads(root, 99, &tids, &count), "the list of threads"},
		{proc_sum_schedstat(root, 99, &sched, NULL), "the sum of schedstat"},
		{proc_online_cpus(root, &cpus), "the list of CPUs"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(missing); i++)
		is_int(missing[i].got, -ENOENT, "%s is not there", missing[i].what);
	memset(path, '/', PATH_MAX);
	path[PATH_MAX] = '\0';
	is_int(proc_read_stat(path, 1, 0, &stat), -ENAMETOOLONG, "too long a root");
	is_int(proc_list_threads(path, 1, &tids, &count), -ENAMETOOLONG, "also here");
}

/* The machine's own /proc, which the canned trees only imitate. */
static void test_live(void)
{
	static const char name[] = "a\nb\\c) R 1 1";
	struct proc_schedstat sum;
	struct proc_status status;
	struct proc_stat stat;
	char buf[64];
	uint32_t cpus;
	size_t threads;
	pid_t self = getpid();

	prctl(PR_SET_NAME, name);
	is_int(proc_read_stat("", self, 0, &stat), 0, "this process's stat is read");
	is_str(stat.comm, name, "with the name it took");
	is_int(stat.ppid, getppid(), "and its parent");
	is_int(proc_read_comm("", self, buf, sizeof(buf)), 0, "its comm is read");
	is_str(buf, name, "with that name");
	is_int(proc_read_status("", self, self, &status), 0, "its status is read");
	is_int(status.pid, self, "with its pid, whatever its name");
	is_int(proc_sum_schedstat("", self, &sum, &threads), 0, "its schedstat is read");
	is_u64(threads, stat.threads, "for as many threads as stat counts");
	is_int(proc_online_cpus("", &cpus), 0, "the CPUs are read");
	is_int(cpus, sysconf(_SC_NPROCESSORS_ONLN), "and are as many as libc says");
}

int main(void)
{
	test_names();
	test_stat();
	test_status();
	test_threads();
	test_cmdline();
	test_cgroup();
	test_cpus();
	test_broken();
	test_missing();
	test_live();
	return done_testing();
}
