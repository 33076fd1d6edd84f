// SPDX-License-Identifier: GPL-2.0-or-later
/* Setting the sched subject up: method, sizes, programs, seeding. */
#include "tools/sched.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cgroup.h"
#include "common/msg.h"
#include "common/proc.h"
#include "common/util.h"

#define EVENTS_SIZE (256 * 1024)

static const uint64_t thresholds_ns[] = {NSEC_PER_MSEC, 10 * NSEC_PER_MSEC,
					 50 * NSEC_PER_MSEC};

/* Before 5.14 the counters move only while delay accounting or schedstats is on: our own
 * show it, we have been switched in at least once. */
static bool counters_move(void)
{
	struct proc_schedstat own;

	return !proc_read_schedstat("", getpid(), getpid(), &own) && own.slices;
}

static int choose_method(struct sched_reader *reader)
{
	bool possible;

	if (!counters_move())
		reader->kernel.has_sched_info = false;
	possible = reader->kernel.has_sched_info && reader->kernel.has_rq_clock;

	if (reader->options.method == SCHED_METHOD_INFO && !possible)
		return msg_fail(
			EXIT_UNSUPPORTED,
			"this kernel has no running sched_info or no run queue clock; use --method=wakeup");
	reader->config->method = possible ? SCHED_METHOD_INFO : SCHED_METHOD_WAKEUP;
	if (reader->options.method == SCHED_METHOD_WAKEUP)
		reader->config->method = SCHED_METHOD_WAKEUP;
	return EXIT_OK;
}

static void choose_programs(struct sched_reader *reader, uint32_t pid)
{
	struct bpf_object_state *bpf = reader->bpf;
	bool wakeup = reader->config->method == SCHED_METHOD_WAKEUP;
	bool loop = reader->kernel.has_loop;

	bpf_want(bpf, "on_switch", loop);
	bpf_want(bpf, "on_switch_bounded", !loop);
	bpf_want(bpf, "on_migrate", loop && !wakeup);
	bpf_want(bpf, "on_migrate_bounded", !loop && !wakeup);
	bpf_want(bpf, "on_waking", reader->options.threshold_ns);
	/* With a quota, throttled time within a wait counts from the wake-up. When it cannot be
	 * told whether there is one, being right goes before being cheap. */
	bpf_want(bpf, "on_wakeup", wakeup || cgroup_has_cpu_quota("", (pid_t)pid));
	bpf_want(bpf, "find_regs", !reader->kernel.has_task_pt_regs);
	bpf_no_autoattach(bpf, "find_regs");
	bpf_no_autoattach(bpf, "find_target");
	bpf_no_autoattach(bpf, "find_children");
	bpf_no_autoattach(bpf, "seed_threads");
	bpf_no_autoattach(bpf, "dump_threads");
}

static int size_maps(struct sched_reader *reader, uint64_t threads)
{
	struct bpf_object_state *bpf = reader->bpf;
	int err;

	err = slots_size(&reader->slots, threads, reader->options.follow,
			 reader->options.is_command);
	if (!err)
		err = slots_size_array(&reader->slots, "sched_threads");
	/* Quantiles for the threads of the start and for some later ones at a time. */
	reader->hists = reader->slots.first_spare;
	if (!err)
		err = bpf_map__set_max_entries(bpf_map_named(bpf, "sched_thread_hists"),
					       reader->hists * reader->config->hist_sets);
	if (!err && reader->options.threshold_ns)
		err = bpf_map__set_max_entries(bpf_map_named(bpf, "sched_events"),
					       EVENTS_SIZE);
	if (!err && reader->options.culprits)
		err = bpf_map__set_max_entries(bpf_map_named(bpf, "sched_rings"),
					       reader->possible_cpus);
	if (!err && !reader->options.culprits)
		err = bpf_map__set_max_entries(bpf_map_named(bpf, "sched_culprits"), 1);
	return err;
}

int sched_reader_open(struct sched_reader *reader, const struct sched_object *object,
		      const struct sched_options *options, enum sched_attempt attempt,
		      uint32_t pid, uint64_t threads)
{
	struct sched_config *config = object->config;
	int status, cpus, err = 0;

	memset(reader, 0, sizeof(*reader));
	reader->bpf = object->bpf;
	reader->config = config;
	reader->options = *options;
	reader->slots.bpf = object->bpf;
	reader->slots.config = object->target_config;
	cpus = libbpf_num_possible_cpus();
	if (cpus < 1)
		return msg_fail(EXIT_FAILED, "cannot count the CPUs: %s",
				strerror(-cpus));
	reader->possible_cpus = (uint32_t)cpus;
	/* Who wakes in which context is only to be had from BTF. */
	if (attempt == SCHED_ASSUME && !options->threshold_ns)
		kernel_assume_recent(&reader->kernel);
	else
		err = kernel_probe(&reader->kernel);
	if (err)
		return msg_fail(EXIT_UNSUPPORTED, "cannot read the kernel's BTF: %s",
				strerror(-err));
	reader->slots.config->use_storage =
		reader->kernel.has_task_storage && attempt != SCHED_NO_STORAGE;
	reader->slots.config->has_task_pt_regs = reader->kernel.has_task_pt_regs;
	status = choose_method(reader);
	if (status)
		return status;
	memcpy(config->thresholds_ns, thresholds_ns, sizeof(thresholds_ns));
	config->thresholds_ns[SCHED_THRESHOLDS - 1] = options->threshold_ns;
	config->slow_ns = options->threshold_ns;
	config->has_prev_state = reader->kernel.has_prev_state;
	config->preempt_offset = reader->kernel.preempt_offset;
	config->interrupt_mask = reader->kernel.interrupt_mask;
	config->want_culprits = options->culprits;
	config->hist_sets = options->intervals ? 2 : 1;
	config->cpus = reader->possible_cpus;
	choose_programs(reader, pid);
	err = size_maps(reader, threads);
	if (err)
		return msg_fail(EXIT_FAILED, "cannot size the BPF maps: %s",
				strerror(-err));
	return EXIT_OK;
}

/* Where the saved registers lie, on kernels that have no helper for it: seen at one system
 * call of our own. */
static void find_regs(struct sched_reader *reader)
{
	struct bpf_program *program;
	struct bpf_link *link;

	program = bpf_object__find_program_by_name(*reader->bpf->skeleton->obj,
						   "find_regs");
	link = bpf_program__attach(program);
	if (link)
		getppid();
	bpf_link__destroy(link);
	if (!reader->slots.shared->regs_offset)
		msg_note(
			"saved registers were not found: yields are shown as preemptions");
}

static int map_fd(struct sched_reader *reader, const char *name)
{
	return bpf_map__fd(bpf_map_named(reader->bpf, name));
}

int sched_reader_prepare(struct sched_reader *reader, struct target_shared *target,
			 struct sched_shared *shared, uint32_t pid)
{
	int status;

	reader->slots.shared = target;
	reader->shared = shared;
	reader->cpus_fd = map_fd(reader, "sched_cpus");
	reader->threads_fd = map_fd(reader, "sched_threads");
	reader->hists_fd = map_fd(reader, "sched_thread_hists");
	reader->culprits_fd = map_fd(reader, "sched_culprits");
	reader->departed_fd = map_fd(reader, "sched_departed");
	reader->events_fd = map_fd(reader, "sched_events");
	reader->living = calloc(reader->slots.count, sizeof(*reader->living));
	if (!reader->living)
		return msg_fail(EXIT_FAILED, "out of memory");
	status = slots_prepare(&reader->slots, pid);
	if (!status && !reader->kernel.has_task_pt_regs)
		find_regs(reader);
	return status;
}

int sched_reader_seed(struct sched_reader *reader)
{
	return slots_seed(&reader->slots);
}

void sched_reader_begin(struct sched_reader *reader)
{
	slots_next_epoch(&reader->slots, false);
}

const char *sched_reader_method(const struct sched_reader *reader)
{
	return reader->config->method == SCHED_METHOD_INFO ? "sched_info" : "wakeup";
}

void sched_reader_close(struct sched_reader *reader)
{
	free(reader->living);
	free(reader->report.cpus);
	free(reader->report.threads);
	free(reader->report.processes);
	free(reader->report.culprits);
	memset(reader, 0, sizeof(*reader));
}
