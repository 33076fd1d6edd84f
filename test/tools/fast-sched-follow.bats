#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Children of the target.

load ../helpers

setup() {
	fast_setup
	requires root btf
}

all_is_the_sum() {
	local measure
	for measure in count total_ns wakeups preemptions yields throttled_ns; do
		is "$(sum_of latency "$measure" scope=process)" "$(column "$DIR/measured" latency "$measure" scope=all)" \
			"$measure of all processes"
	done
	is "$(sum_of latency total_ns scope=thread)" "$(sum_of latency total_ns scope=all)" "thread rows"
	is "$(sum_of hist count)" "$(sum_of latency count scope=all)" "histogram"
}

# bats test_tags=each-kernel
@test "fast-sched: -f counts the children that are forked, and only their sum is scope all" {
	run_tool fast-sched -T -f -- sh -c 'for i in 1 2 3; do
		fast-workload hog --workers=1 --cpu=0 --duration=1 >/dev/null & done; wait'
	grep -v '^pid=' "$DIR/out" >"$DIR/measured"
	all_is_the_sum
	is "$(column "$DIR/measured" latency comm scope=process | grep -c fast-workload)" 3 \
		"rows of the three children"
	is "$(column "$DIR/measured" check difference name=runqueue_wait)" 0 "difference"
	between 1.5e9 "$(sum_of latency total_ns scope=all)" 6e9 "three on one CPU for a second"
}

@test "fast-sched: without -f children are not counted" {
	run_tool fast-sched -T -- sh -c 'fast-workload hog --workers=3 --cpu=0 --duration=1 >/dev/null; :'
	is "$(column "$DIR/out" latency scope | sort -u | tr '\n' ' ')" "cpu process thread " "scopes"
	between 0 "$(column "$DIR/out" latency total_ns scope=process)" 2e8 "waits of the shell alone"
}

@test "fast-sched: -f -p takes in the children that the process already has" {
	begin_load target hog --processes --workers=3 --cpu=0 --duration=1m
	run_tool fast-sched -T -f -p "$target" -d 2
	cp "$DIR/out" "$DIR/measured"
	all_is_the_sum
	is "$(grep -c '^latency.process' "$DIR/measured")" 4 "parent and three children"
	is "$(column "$DIR/measured" check difference name=runqueue_wait)" 0 "difference"
	is "$(column "$DIR/measured" culprit who | sort -u | grep -c self)" 1 "children are its own"
}

@test "fast-sched: -f keeps hundreds of short-lived children apart and loses none" {
	# shellcheck disable=SC2016
	run_tool fast-sched -T -f -- sh -c 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done'
	cp "$DIR/out" "$DIR/measured"
	all_is_the_sum
	is "$(column "$DIR/measured" latency comm scope=process | grep -c '^true$')" 300 \
		"rows of processes named true"
	is "$(column "$DIR/measured" end lost_events)" 0 "lost events"
	is "$(column "$DIR/measured" check difference name=runqueue_wait)" 0 "difference"
}

@test "fast-sched: -f -p has room for a hundred children that exist already" {
	begin_load target hog --processes --workers=100 --duration=1m
	run_tool fast-sched -T -f -p "$target" -d 1
	is "$(grep -c '^latency.process' "$DIR/out")" 101 "process rows"
	is "$(column "$DIR/out" end lost_events)" 0 "lost events"
	is "$(column "$DIR/out" check difference name=runqueue_wait)" 0 "difference"
}
