#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest whose kernel is locked down: no program may read kernel memory.

load ../helpers

@test "lockdown: a kernel that keeps its memory to itself is a clear refusal" {
	grep -q '\[confidentiality\]' /sys/kernel/security/lockdown
	run_tool 3 fast-sched -T -d 1 -p $$
	is "$(cat "$DIR/out")" "" "stdout"
	is "$(wc -l <"$DIR/err")" 1 "lines on stderr"
	grep -q '/sys/kernel/security/lockdown' "$DIR/err"
}
