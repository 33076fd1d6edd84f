#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The sums must be the kernel's own, to the nanosecond.

load ../helpers

setup() {
	fast_setup
	requires root btf
}

@test "fast-sched: waits equal schedstat to the nanosecond for threads that hog one CPU" {
	begin_load target hog --workers=4 --cpu=0 --duration=1m
	measure_stopped fast-sched "$target" 3
	agrees_exactly
	between 5e9 "$oracle_ns" $((3 * $(column "$DIR/measured" end duration_ns))) \
		"three of four threads wait at any moment"
}

@test "fast-sched: waits equal schedstat over millions of switches of a ping-pong" {
	begin_load target pingpong --cpu=0 --duration=1m
	measure_stopped fast-sched "$target" 3
	agrees_exactly
	[ "$oracle_count" -gt 100000 ]
}

@test "fast-sched: waits equal schedstat for 50 threads that sleep and compute" {
	begin_load target threads --stay --threads=50 --duration=1m
	measure_stopped fast-sched "$target" 3
	agrees_exactly
}

@test "fast-sched: waits equal schedstat for threads that yield" {
	begin_load target yield --workers=3 --cpu=0 --duration=1m
	measure_stopped fast-sched "$target" 3
	agrees_exactly
	between 90 "$(awk -v y="$(column "$DIR/measured" latency yields scope=process)" \
		-v n="$oracle_count" 'BEGIN { print 100 * y / n }')" 100 "per cent that are yields"
}

# bats test_tags=each-kernel
@test "fast-sched: nothing is missing when thousands of threads are born and die" {
	local many=3000
	[ -z "${FAST_GUEST:-}" ] || many=100 # as many as come to life where a CPU is emulated
	begin_load target threads --threads=30 --life=10ms --duration=1m
	stop "$target"
	begin_tool measured fast-sched -T -p "$target"
	go "$target"
	sleep 3
	stop "$target"
	end_tool measured
	is "$(check_value difference)" 0 "difference in ns"
	is "$(check_value difference runqueue_count)" 0 "difference in waits"
	is "$(column "$DIR/measured" end lost_events)" 0 "lost events"
	rows_agree
	unseen_is_allowed
	[ "$(grep -c '^latency.thread' "$DIR/measured")" -gt "$many" ]
}

@test "fast-sched: a process of 20,000 threads is measured without loss" {
	begin target fast-workload threads --threads=20000 --sleepers --duration=2m
	wait_until grep -q '^pid=' "$DIR/target"
	TOOL_TIMEOUT=120 measure_stopped fast-sched "$target" 3
	agrees_exactly
	is "$(grep -c '^latency.thread' "$DIR/measured")" 20001 "thread rows"
}

@test "fast-sched: waits equal schedstat for stress-ng --cpu" {
	requires cmd:stress-ng
	begin stress stress-ng --cpu 2 --taskset 0 --timeout 60
	wait_until pgrep -P "$stress" -f stress-ng-cpu
	measure_stopped fast-sched "$(pgrep -P "$stress" -f stress-ng-cpu | tail -1)" 3
	agrees_exactly
}

@test "fast-sched: waits equal schedstat for stress-ng --switch" {
	requires cmd:stress-ng
	begin stress stress-ng --switch 1 --timeout 60
	wait_until pgrep -P "$stress" -f stress-ng-switch
	measure_stopped fast-sched "$(pgrep -P "$stress" -f stress-ng-switch | tail -1)" 3
	agrees_exactly
}

@test "fast-sched: waits equal schedstat for perf bench sched messaging" {
	requires cmd:perf
	begin target perf bench sched messaging -t -g 5 -l 1000000
	wait_until test -d "/proc/$target/task"
	sleep 1
	measure_stopped fast-sched "$target" 3
	agrees_exactly
}

# bats test_tags=each-kernel
@test "fast-sched: waits equal schedstat for a task that is moved between CPUs all the time" {
	requires two-cpus
	begin_load other hog --workers=1 --cpu=0 --duration=1m
	begin_load target hog --workers=1 --duration=1m
	begin mover bash -c "while :; do taskset -apc 0 $target; taskset -apc 1 $target; done"
	measure_stopped fast-sched "$target" 3
	rest
	agrees_exactly
	within "$(sum_of culprit wait_ns)" "$(sum_of latency total_ns scope=process)" 2 \
		"charged to culprits"
}

@test "fast-sched: a target that runs on while measuring begins and ends is bracketed right" {
	local outer_before outer_after inner_before inner_after total
	begin_load target threads --stay --threads=10 --duration=1m
	outer_before=$(schedstat "$target" 2)
	begin_tool measured fast-sched -T -p "$target"
	inner_before=$(schedstat "$target" 2)
	sleep 3
	inner_after=$(schedstat "$target" 2)
	end_tool measured
	outer_after=$(schedstat "$target" 2)
	is "$(check_value difference)" 0 "difference in ns"
	is "$(check_value difference runqueue_count)" 0 "difference in waits"
	rows_agree
	unseen_is_allowed
	total=$(check_value kernel)
	between $((inner_after - inner_before)) "$total" $((outer_after - outer_before)) \
		"the kernel's counter between reads within and around"
}

@test "fast-sched: the intervals of -i sum to one whole measurement" {
	begin_load target threads --threads=20 --life=50ms --duration=1m
	stop "$target"
	begin_tool measured fast-sched -T -p "$target" -i 500ms
	begin_tool whole fast-sched -T -p "$target"
	go "$target"
	sleep 3
	stop "$target"
	end_tool measured
	end_tool whole
	[ "$(grep -c '^end' "$DIR/measured")" -gt 5 ]
	is "$(column "$DIR/measured" check difference name=runqueue_wait | sort -u)" 0 "differences"
	is "$(sum_of check kernel name=runqueue_wait)" \
		"$(column "$DIR/whole" check kernel name=runqueue_wait)" "sum of the kernel's counters"
	is $(($(sum_of latency total_ns scope=process) + $(sum_of end unseen_ns))) \
		$(($(column "$DIR/whole" latency total_ns scope=process) + $(column "$DIR/whole" end unseen_ns))) \
		"sum of the totals"
	is "$(sum_of latency count scope=thread)" "$(sum_of latency count scope=process)" \
		"thread rows over all intervals"
}

@test "fast-sched: each of many intervals agrees with the kernel while threads run on" {
	begin_load target hog --workers=6 --duration=1m
	run_tool fast-sched -T -i 20ms -d 5 -p "$target"
	between 50 "$(column "$DIR/out" check name name=runqueue_wait | wc -l)" 251 "intervals"
	is "$(column "$DIR/out" check difference | sort -u)" 0 "differences"
}

# bats test_tags=each-kernel,own-cpus
@test "fast-sched: the wakeup method agrees with schedstat within 1 %" {
	begin_load target threads --stay --threads=20 --duration=1m
	measure_stopped fast-sched "$target" 3 --method=wakeup
	is "$(column "$DIR/measured" run method)" wakeup "method"
	stamps_agree 20 "$oracle_ns" "$oracle_count"
}

@test "fast-sched: the wakeup method agrees with schedstat within 1 % while threads come and go" {
	begin_load target threads --threads=30 --life=20ms --duration=1m
	stop "$target"
	begin_tool measured fast-sched -T -p "$target" --method=wakeup
	go "$target"
	sleep 3
	stop "$target"
	end_tool measured
	stamps_agree 31 "$(check_value kernel)" "$(check_value kernel runqueue_count)"
}

@test "fast-sched: a PostgreSQL backend under pgbench agrees with schedstat" {
	requires cmd:pgbench cmd:psql
	start_postgres
	"${postgres[@]}" pgbench -q -i -s 1 postgres
	begin bench "${postgres[@]}" pgbench -n -c 4 -T 60 -S postgres
	wait_until backend_runs
	measure_stopped fast-sched "$backend" 3
	agrees_exactly
	[ "$oracle_count" -gt 500 ]
}

@test "fast-sched: runs too short for an event agree with the kernel's counter too" {
	begin_load target target --period=5ms --cpu=0 --duration=1m
	for duration in 1ns 1us 100us 1ms; do
		run_tool fast-sched -T -p "$target" -d "$duration"
		is "$(column "$DIR/out" check difference name=runqueue_wait)" 0 "difference after $duration"
	done
}
