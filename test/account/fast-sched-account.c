// SPDX-License-Identifier: GPL-2.0-or-later
/* fast-sched on the object that holds all subjects: its numbers must be the tool's own. */
#include "bpf/sched.h"

#include "account.skel.h"

#define __SCHED_BPF_SKEL_H__
#define sched_bpf account_bpf
#define sched_bpf__open account_bpf__open

#include "tools/fast-sched.c"
