/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by BPF and C: in whose context a thread was woken. */
#ifndef FAST_WAKER_H
#define FAST_WAKER_H

enum waker_context {
	WAKER_NONE,
	WAKER_TASK,
	WAKER_SOFTIRQ,
	WAKER_HARDIRQ,
	WAKER_UNKNOWN
};

#endif
