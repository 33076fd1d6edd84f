#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The object that holds all subjects gives the numbers of the single tools.

load ../helpers

setup() {
	fast_setup
	requires root btf
}

# bats test_tags=each-kernel
@test "account: its sched subject gives fast-sched's numbers to the nanosecond" {
	begin_load target threads --stay --threads=20 --duration=1m
	begin_load other hog --workers=1 --cpu=0 --duration=1m
	stop "$target"
	begin_tool tool fast-sched -T -p "$target"
	begin_tool measured fast-sched-account -T -p "$target"
	go "$target"
	sleep 3
	stop "$target"
	end_tool tool
	end_tool measured
	rest
	# Waits in progress and quantiles too: all but the time stamps of the run itself.
	diff <(grep -E '^(latency|over|hist|check)' "$DIR/tool") \
		<(grep -E '^(latency|over|hist|check)' "$DIR/measured")
	within "$(column "$DIR/measured" culprit wait_ns "pid=$other")" \
		"$(column "$DIR/tool" culprit wait_ns "pid=$other")" 0.001 "charged to the hog"
	is "$(check_value difference)" 0 "difference"
}

@test "account: it measures without loss while threads are born and die" {
	begin_load target threads --threads=30 --life=10ms --duration=1m
	stop "$target"
	begin_tool measured fast-sched-account -T -p "$target"
	go "$target"
	sleep 2
	stop "$target"
	end_tool measured
	is "$(check_value difference)" 0 "difference"
	rows_agree
}
