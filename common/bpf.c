// SPDX-License-Identifier: GPL-2.0-or-later
/* libbpf with the errors of a packaged tool: the reason first, its log only with -v. */
#include "common/bpf.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "common/msg.h"
#include "common/parse.h"
#include "common/records.h"
#include "common/util.h"

#define BTF_PATH "/sys/kernel/btf/vmlinux"
#define ITERATE_BUFFER (64 * 1024)

static char last_error[512];

/* The verifier's log is one message of many lines, and long: only its end says why. */
static int on_libbpf_print(enum libbpf_print_level level, const char *format,
			   va_list args)
{
	char *text, *line, *rest;

	if (vasprintf(&text, format, args) < 0)
		return 0;
	rest = text;
	if (level == LIBBPF_WARN && !*last_error)
		snprintf(last_error, sizeof(last_error), "%.*s", (int)strcspn(text, "\n"),
			 text);
	while (msg_is_verbose() && (line = strsep(&rest, "\n")))
		if (*line)
			msg_debug("%s", line);
	free(text);
	return 0;
}

void bpf_log_init(void)
{
	libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
	libbpf_set_print(on_libbpf_print);
}

static bool has_capability(const struct __user_cap_data_struct *data, int capability)
{
	return data[capability / 32].effective & (1U << (capability % 32));
}

int bpf_check_environment(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {};
	const char *missing = NULL;

	syscall(SYS_capget, &header, data);
	if (!has_capability(data, CAP_SYS_ADMIN)) {
		if (!has_capability(data, CAP_BPF))
			missing = has_capability(data, CAP_PERFMON)
					  ? "CAP_BPF is"
					  : "CAP_BPF and CAP_PERFMON are";
		else if (!has_capability(data, CAP_PERFMON))
			missing = "CAP_PERFMON is";
	}
	if (missing)
		return msg_fail(
			EXIT_UNSUPPORTED,
			"measuring needs root, or CAP_BPF and CAP_PERFMON: %s missing; try sudo",
			missing);
	if (access(BTF_PATH, R_OK))
		return msg_fail(
			EXIT_UNSUPPORTED,
			"cannot read " BTF_PATH
			": %s; the kernel must be built with CONFIG_DEBUG_INFO_BTF=y",
			strerror(errno));
	return EXIT_OK;
}

static struct bpf_program *program_named(struct bpf_object_state *bpf, const char *name)
{
	return bpf_object__find_program_by_name(*bpf->skeleton->obj, name);
}

void bpf_want(struct bpf_object_state *bpf, const char *program, bool wanted)
{
	bpf_program__set_autoload(program_named(bpf, program), wanted);
}

void bpf_no_autoattach(struct bpf_object_state *bpf, const char *program)
{
	bpf_program__set_autoattach(program_named(bpf, program), false);
}

struct bpf_map *bpf_map_named(struct bpf_object_state *bpf, const char *name)
{
	return bpf_object__find_map_by_name(*bpf->skeleton->obj, name);
}

/* What each program took to verify and where it is attached; only for -v. */
static void describe_programs(struct bpf_object_state *bpf)
{
	struct bpf_program *program;
	struct bpf_prog_info info;
	uint32_t size;

	bpf_object__for_each_program(program, *bpf->skeleton->obj)
	{
		memset(&info, 0, sizeof(info));
		size = sizeof(info);
		if (bpf_program__fd(program) >= 0 &&
		    !bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size))
			msg_debug("%s: %s, %u bytes of code, %u instructions verified",
				  bpf_program__name(program),
				  bpf_program__section_name(program), info.jited_prog_len,
				  info.verified_insns);
	}
}

int bpf_load(struct bpf_object_state *bpf)
{
	int err;

	*last_error = 0;
	err = bpf_object__load_skeleton(bpf->skeleton);
	if (!err && msg_is_verbose())
		describe_programs(bpf);
	return err;
}

/* Before 5.11 (d5299b67dd59) maps count as locked memory, of which there is a limit that libbpf
 * raises if it may. */
static bool memory_is_limited(void)
{
	struct rlimit limit;
	struct utsname system;

	return !uname(&system) && strverscmp(system.release, "5.11") < 0 &&
	       !getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur != RLIM_INFINITY;
}

/* In this mode no program may read kernel memory: the verifier then does not know the helper, and
 * the error is EINVAL (security/lockdown). Only known while securityfs is mounted. */
static bool memory_is_confidential(void)
{
	FILE *file = fopen("/sys/kernel/security/lockdown", "re");
	char modes[128];
	bool is;

	if (!file)
		return false;
	is = fgets(modes, sizeof(modes), file) && strstr(modes, "[confidentiality]");
	fclose(file);
	return is;
}

int bpf_load_error(int err)
{
	const char *advice = "";

	if (memory_is_confidential())
		advice =
			"; it is locked down: lockdown=confidentiality, in /sys/kernel/security/lockdown, lets no program read kernel memory";
	else if (err == -EPERM && memory_is_limited())
		advice =
			"; on this kernel it also needs CAP_SYS_RESOURCE, or no limit on locked memory (ulimit -l unlimited)";
	else if (err == -EPERM || err == -EACCES)
		advice =
			"; it may be locked down (/sys/kernel/security/lockdown) or the container may forbid it";
	else if (err == -EINVAL || err == -ENOENT || err == -ESRCH)
		advice =
			"; Linux 5.10 or later with BTF is needed, without lockdown=confidentiality";
	return msg_fail(EXIT_UNSUPPORTED,
			"the kernel does not take the BPF programs: %s (%s)%s",
			strerror(-err), *last_error ? last_error : "no details", advice);
}

int bpf_attach(struct bpf_object_state *bpf)
{
	int err;

	*last_error = 0;
	err = bpf_object__attach_skeleton(bpf->skeleton);
	return err ? bpf_load_error(err) : EXIT_OK;
}

static int read_iterator(int fd, size_t size, void (*each)(const void *, void *),
			 void *ctx)
{
	char *buf = malloc(ITERATE_BUFFER);
	size_t have = 0, at;
	ssize_t n = 0;

	if (!buf)
		return -ENOMEM;
	while ((n = read(fd, buf + have, ITERATE_BUFFER - have)) != 0) {
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n < 0) {
			n = -errno;
			break;
		}
		have += (size_t)n;
		for (at = 0; each && at + size <= have; at += size)
			each(buf + at, ctx);
		have = each ? have - at : 0;
		memmove(buf, buf + at, have);
	}
	free(buf);
	return (int)n;
}

int bpf_iterate(struct bpf_object_state *bpf, const char *program, size_t size,
		void (*each)(const void *record, void *ctx), void *ctx)
{
	struct bpf_link *link;
	int fd, err;

	link = bpf_program__attach_iter(program_named(bpf, program), NULL);
	if (!link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(link));
	err = fd < 0 ? -errno : read_iterator(fd, size, each, ctx);
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
	return err;
}

void bpf_enable_cost(struct bpf_object_state *bpf)
{
	bpf->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (bpf->stats_fd < 0)
		msg_debug("no run time statistics: %s", strerror(errno));
}

void bpf_report_cost(struct bpf_object_state *bpf, struct out *out)
{
	struct bpf_prog_info info;
	struct bpf_program *program;
	struct cost_row row;
	uint32_t size;

	if (!bpf->skeleton || bpf->stats_fd < 0)
		return;
	bpf_object__for_each_program(program, *bpf->skeleton->obj)
	{
		memset(&info, 0, sizeof(info));
		size = sizeof(info);
		if (bpf_program__fd(program) < 0 ||
		    bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) ||
		    !info.run_cnt)
			continue;
		row.program = bpf_program__name(program);
		row.runs = info.run_cnt;
		row.total_ns = info.run_time_ns;
		row.ns_per_run = (double)info.run_time_ns / (double)info.run_cnt;
		out_row(out, &record_cost, &row);
	}
}

static uint64_t memlock_of(int fd)
{
	char path[64], line[256];
	const char *cursor;
	uint64_t bytes = 0;
	FILE *info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = fopen(path, "re");
	while (info && fgets(line, sizeof(line), info))
		if (!strncmp(line, "memlock:", 8)) {
			cursor = line + 9;
			parse_field_u64(&cursor, &bytes);
		}
	if (info)
		fclose(info);
	return bytes;
}

uint64_t bpf_map_memory(struct bpf_object_state *bpf)
{
	struct bpf_map *map;
	uint64_t sum = 0;

	bpf_object__for_each_map(map, *bpf->skeleton->obj) if (bpf_map__fd(map) >= 0)
		sum += memlock_of(bpf_map__fd(map));
	return sum;
}

void bpf_unload(struct bpf_object_state *bpf)
{
	if (bpf->skeleton)
		bpf_object__destroy_skeleton(bpf->skeleton);
	bpf->skeleton = NULL;
}

void bpf_close(struct bpf_object_state *bpf)
{
	bpf_unload(bpf);
	if (bpf->stats_fd > 0)
		close(bpf->stats_fd);
	bpf->stats_fd = -1;
}

void bpf_wait_for_runs(void)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};

	/* MEMBARRIER_CMD_GLOBAL is synchronize_rcu(), which also waits for every region with
	 * preemption off (kernel/sched/membarrier.c). Refused with nohz_full. */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) < 0)
		nanosleep(&pause, NULL);
}
