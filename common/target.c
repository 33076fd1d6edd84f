// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A pidfd is opened first and the process looked at afterwards, so what we read belongs to
 * the process that we hold. A command's child waits for a byte on a pipe; a second pipe,
 * closed by a successful execve(), brings back why it failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/target.h"

#include "common/fmt.h"
#include "common/loop.h"
#include "common/msg.h"
#include "common/proc.h"

#define CLOSE_WAIT_MS 1000

static int open_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* Whether all threads are dead; a dead main thread alone is not. */
static bool is_dead(int pidfd)
{
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};

	return poll(&ended, 1, 0) == 1;
}

static int refuse_missing(pid_t pid, int err)
{
	if (err == -ESRCH || err == -ENOENT)
		return msg_fail(EXIT_FAILED, "no process has the id %d", pid);
	return msg_fail(EXIT_FAILED, "cannot look at process %d: %s", pid,
			strerror(-err));
}

static int refuse_thread(pid_t pid, pid_t tgid)
{
	char comm[64] = "", shown[FMT_MAX * 4];

	proc_read_comm("", tgid, comm, sizeof(comm));
	return msg_fail(EXIT_FAILED, "%d is a thread of process %d (%s): use -p %d", pid,
			tgid, fmt_escape(shown, sizeof(shown), comm), tgid);
}

int target_attach(struct target *target, pid_t pid, bool no_kthread)
{
	struct proc_status status;
	struct proc_stat stat;
	int err;

	memset(target, 0, sizeof(*target));
	target->go_fd = target->status_fd = -1;
	target->pid = pid;
	target->pidfd = open_pidfd(pid);
	err = proc_read_status("", pid, 0, &status);
	if (err)
		return refuse_missing(pid, err);
	if (status.tgid != pid)
		return refuse_thread(pid, status.tgid);
	if (target->pidfd < 0)
		return refuse_missing(pid, -errno);
	err = proc_read_stat("", pid, 0, &stat);
	if (err)
		return refuse_missing(pid, err);
	if (is_dead(target->pidfd))
		return msg_fail(EXIT_FAILED, "process %d has ended (it is a zombie)",
				pid);
	target->is_kthread = stat.flags & PROC_PF_KTHREAD;
	if (target->is_kthread && no_kthread)
		return msg_fail(
			EXIT_FAILED,
			"%d is a kernel thread, which has nothing of this kind to measure",
			pid);
	target_refresh(target);
	return EXIT_OK;
}

void target_refresh(struct target *target)
{
	struct proc_stat stat;

	proc_read_comm("", target->pid, target->comm, sizeof(target->comm));
	proc_read_cmdline("", target->pid, target->cmdline, sizeof(target->cmdline));
	if (!proc_read_stat("", target->pid, 0, &stat))
		target->threads = stat.threads;
}

static void run_child(int go, int status, char *const *argv)
{
	char byte;
	int err;

	if (read(go, &byte, 1) != 1)
		_exit(EXIT_FAILED);
	signal_restore();
	execvp(argv[0], argv);
	err = errno;
	if (write(status, &err, sizeof(err)) != sizeof(err))
		_exit(EXIT_FAILED);
	_exit(err == ENOENT ? 127 : 126);
}

int target_spawn(struct target *target, char *const *argv)
{
	int go[2], status[2];
	pid_t pid;

	memset(target, 0, sizeof(*target));
	target->is_command = true;
	target->pidfd = target->go_fd = target->status_fd = -1;
	if (pipe2(go, O_CLOEXEC) || pipe2(status, O_CLOEXEC))
		return msg_fail(EXIT_FAILED, "cannot make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		return msg_fail(EXIT_FAILED, "cannot start a process: %s",
				strerror(errno));
	if (!pid) {
		close(go[1]);
		close(status[0]);
		run_child(go[0], status[1], argv);
	}
	close(go[0]);
	close(status[1]);
	target->pid = pid;
	target->go_fd = go[1];
	target->status_fd = status[0];
	target->pidfd = open_pidfd(pid);
	if (target->pidfd < 0)
		return msg_fail(EXIT_FAILED, "cannot hold the command: %s",
				strerror(errno));
	snprintf(target->comm, sizeof(target->comm), "%s", argv[0]);
	return EXIT_OK;
}

int target_release(struct target *target)
{
	int err = 0;
	ssize_t n;

	if (!target->is_command)
		return EXIT_OK;
	if (write(target->go_fd, "g", 1) != 1)
		return msg_fail(EXIT_FAILED, "the command's process is gone");
	do
		n = read(target->status_fd, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	close(target->go_fd);
	close(target->status_fd);
	target->go_fd = target->status_fd = -1;
	if (n == sizeof(err) && err == ENOENT)
		return msg_fail(127, "%s: command not found%s", target->comm,
				strspn(target->comm, "0123456789") == strlen(target->comm)
					? " (a process id goes with -p)"
					: "");
	if (n == sizeof(err))
		return msg_fail(126, "%s: cannot execute: %s", target->comm,
				strerror(err));
	target_refresh(target);
	return EXIT_OK;
}

void target_reap(struct target *target)
{
	if (target->is_command && !target->reaped &&
	    waitpid(target->pid, &target->wait_status, WNOHANG) == target->pid)
		target->reaped = true;
}

void target_close(struct target *target)
{
	struct pollfd ended = {.fd = target->pidfd, .events = POLLIN};
	char shown[FMT_MAX * 4];

	if (target->go_fd >= 0)
		close(target->go_fd);
	if (target->status_fd >= 0)
		close(target->status_fd);
	target->go_fd = target->status_fd = -1;
	target_reap(target);
	if (target->is_command && !target->reaped && target->pid > 0) {
		kill(target->pid, SIGTERM);
		kill(target->pid, SIGCONT); /* or a stopped one never sees it */
		if (target->pidfd >= 0)
			poll(&ended, 1, CLOSE_WAIT_MS);
		target_reap(target);
		if (!target->reaped)
			msg_note("%d (%s) does not end on SIGTERM and runs on",
				 target->pid,
				 fmt_escape(shown, sizeof(shown), target->comm));
	}
	if (target->pidfd >= 0)
		close(target->pidfd);
	target->pidfd = -1;
}

int target_status(const struct target *target)
{
	if (!target->reaped)
		return EXIT_OK;
	if (WIFSIGNALED(target->wait_status))
		return 128 + WTERMSIG(target->wait_status);
	return WEXITSTATUS(target->wait_status);
}
