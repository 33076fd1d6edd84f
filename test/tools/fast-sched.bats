#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# How waits begin, and what a quiet target shows.

load ../helpers

setup() {
	fast_setup
	requires root btf
}

# kinds_agree: wake-ups with voluntary switches, the others with nonvoluntary ones, within the
# number of threads (a switch out at one edge, its wait beyond it) plus what went unseen.
kinds_agree() {
	local slack=$(($1 + $(check_value unseen runqueue_count)))
	woken=$(sum_of latency wakeups scope=process)
	taken=$(($(sum_of latency preemptions scope=process) + $(sum_of latency yields scope=process) +
		$(sum_of latency throttles scope=process)))
	between $((oracle_voluntary - slack)) "$woken" $((oracle_voluntary + slack)) \
		"wake-ups beside voluntary switches"
	between $((oracle_nonvoluntary - slack)) "$taken" $((oracle_nonvoluntary + slack)) \
		"preemptions and yields beside nonvoluntary switches"
}

# bats test_tags=each-kernel
@test "fast-sched: wake-ups agree with voluntary and preemptions with nonvoluntary switches" {
	requires cmd:stress-ng
	begin stress stress-ng --cpu 1 --taskset 0 --timeout 60
	begin noise taskset -c 0 bash -c 'while :; do /bin/true; done'
	wait_until pgrep -P "$stress" -f stress-ng-cpu
	measure_stopped fast-sched "$(pgrep -P "$stress" -f stress-ng-cpu | tail -1)" 4
	rest
	kinds_agree 2
	[ "$oracle_nonvoluntary" -gt 100 ]
	agrees_exactly
}

@test "fast-sched: the waits of a periodic sleeper are wake-ups" {
	begin_load target target --period=1ms --cpu=0 --duration=1m
	measure_stopped fast-sched "$target" 3
	kinds_agree 2
	between 95 "$(awk -v w="$(sum_of latency wakeups scope=process)" \
		-v c="$(sum_of latency count scope=process)" 'BEGIN { print 100 * w / c }')" 100 \
		"per cent of the waits that are wake-ups"
}

# bats test_tags=each-kernel
@test "fast-sched: sched_yield is told apart from preemption" {
	begin_load target yield --workers=2 --cpu=0 --duration=1m
	measure_stopped fast-sched "$target" 2
	kinds_agree 3
	between 99 "$(awk -v y="$(sum_of latency yields scope=process)" \
		-v n="$oracle_nonvoluntary" 'BEGIN { print 100 * y / n }')" 100 "per cent that are yields"
}

@test "fast-sched: a hog is preempted, in user mode too, and yields never" {
	begin_load target hog --workers=2 --cpu=0 --duration=1m
	measure_stopped fast-sched "$target" 2
	kinds_agree 3
	is "$(sum_of latency yields)" 0 "yields of threads that never call it"
}

@test "fast-sched: the voluntary and the other switches of a ping-pong agree" {
	begin_load target pingpong --cpu=0 --duration=1m
	measure_stopped fast-sched "$target" 2
	kinds_agree 3
}

@test "fast-sched: a sleeping process has almost no waits, and none of the idle task's" {
	begin target sleep 600
	wait_until grep -q '^sleep$' "/proc/$target/comm"
	before="$(schedstat "$target" 2) $(schedstat "$target" 3)"
	run_tool fast-sched -T -p "$target" -d 4
	after="$(schedstat "$target" 2) $(schedstat "$target" 3)"
	read -r ns count < <(echo "$before $after" | awk '{ printf "%.0f %.0f\n", $3 - $1, $4 - $2 }')
	is "$(column "$DIR/out" latency total_ns scope=process)" "$ns" "waiting time"
	is "$(column "$DIR/out" latency count scope=process)" "$count" "waits"
	is "$(column "$DIR/out" latency id scope=thread)" "$target" "thread rows"
	grep -q '^end' "$DIR/out"
}

@test "fast-sched: no wait is longer than the run, and no quantile exceeds the maximum" {
	begin_load target threads --stay --threads=30 --duration=1m
	run_tool fast-sched -T -p "$target" -d 2
	awk -F'\t' '/^#latency/ { for (i = 1; i <= NF; i++) at[$i] = i }
		$1 == "latency" && $at["count"] > 0 {
			if ($at["p50_ns"] > $at["p95_ns"] || $at["p95_ns"] > $at["p99_ns"] ||
			    $at["p99_ns"] > $at["p999_ns"] || $at["p999_ns"] > $at["max_ns"] ||
			    $at["max_ns"] > $at["total_ns"] || $at["max_ns"] > 60e9) { print; bad = 1 }
		}
		END { exit bad }' "$DIR/out"
}

@test "fast-sched: quantiles are those of the single waits" {
	begin_load target target --period=2ms --busy=100us --cpu=0 --duration=1m
	begin_load hog hog --workers=2 --cpu=0 --duration=1m
	run_tool fast-sched -T -p "$target" -t 1ns -d 4
	rest
	# Waits of 0 ns are under every threshold: they are the first ones in order.
	zeros=$(($(column "$DIR/out" latency count scope=process) - $(grep -c '^slow' "$DIR/out")))
	for quantile in 50 95 99; do
		want=$( (yes 0 | head -n "$zeros"; column "$DIR/out" slow latency_ns) | sort -n |
			awk -v q="$quantile" '{ v[NR] = $1 } END { n = int(NR * q / 100); if (n < NR * q / 100) n++
				print v[n] }')
		got=$(column "$DIR/out" latency "p${quantile}_ns" scope=process)
		between "$(awk -v w="$want" 'BEGIN { print w * 0.984 - 1 }')" "$got" \
			"$(awk -v w="$want" 'BEGIN { print w * 1.016 + 1 }')" "p$quantile"
	done
	is "$(column "$DIR/out" slow latency_ns | awk '{ s += $1 } END { printf "%.0f", s }')" \
		"$(column "$DIR/out" latency total_ns scope=process)" "sum of the single waits"
}
