#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Rows of single threads: those that stay, those that come and those that go.

load ../helpers

setup() {
	fast_setup
	requires root btf
}

@test "fast-sched: each thread's row is that thread's own schedstat" {
	local tid row
	begin_load target threads --stay --threads=10 --duration=1m
	stop "$target"
	mkdir "$DIR/before"
	for tid in $(threads_of "$target"); do
		cp "/proc/$target/task/$tid/schedstat" "$DIR/before/$tid"
	done
	begin_tool measured fast-sched -T -p "$target"
	go "$target"
	sleep 2
	stop "$target"
	end_tool measured
	for tid in $(threads_of "$target"); do
		row=$(column "$DIR/measured" latency total_ns scope=thread "id=$tid")
		want=$(cat "$DIR/before/$tid" "/proc/$target/task/$tid/schedstat" |
			awk '{ v[NR] = $2 } END { printf "%.0f", v[2] - v[1] }')
		unseen=$(check_value unseen)
		# Where the kernel is preempted, there are waits that it does not book.
		between $((want - unseen)) "${row:-none}" \
			$((want + $(check_value uncounted))) "thread $tid"
	done
}

@test "fast-sched: every thread that was born and died has a row" {
	begin_load target threads --threads=10 --life=20ms --duration=3
	run_tool fast-sched -T -p "$target"
	end_of target
	cp "$DIR/out" "$DIR/measured"
	rows_agree
	# Threads that ended before measuring began have none.
	between $(($(truth target created) * 80 / 100)) "$(grep -c '^latency.thread' "$DIR/out")" \
		$(($(truth target created) + 1)) "thread rows"
	is "$(column "$DIR/out" latency id scope=thread | sort | uniq -d | wc -l)" 0 \
		"thread ids with two rows" ||
		[ "$(truth target created)" -gt 30000 ]
}

@test "fast-sched: more threads than there are slots for come and go without loss" {
	begin_load target threads --threads=100 --life=5ms --duration=1m
	stop "$target"
	begin_tool measured fast-sched -T -p "$target"
	go "$target"
	sleep 4
	stop "$target"
	end_tool measured
	[ "$(grep -c '^latency.thread' "$DIR/measured")" -gt 8000 ]
	is "$(column "$DIR/measured" end lost_events)" 0 "lost events"
	is "$(check_value difference)" 0 "difference"
	is "$(column "$DIR/measured" end full_maps)" "$(
		paste <(column "$DIR/measured" latency count scope=thread p50_ns=-) \
			<(column "$DIR/measured" latency comm scope=thread p50_ns=-) |
			awk '$1 > 0 && $2 != "(ended:" { n++ } END { print n + 0 }'
	)" "rows without quantiles"
	rows_agree
}

# starved ARG...: measures threads that come and go while the tool itself cannot run for 4 s.
starved() {
	begin_load target threads --threads=100 --life=5ms --duration=1m
	stop "$target"
	begin_tool measured fast-sched -T -p "$target" "$@"
	go "$target"
	sleep 0.5
	stop "$measured"
	sleep 4
	stop "$target"
	go "$measured"
	end_tool measured
	is "$(column "$DIR/measured" end lost_events)" 0 "lost events" || return 1
	is "$(check_value difference)" 0 "difference" || return 1
	is "$(check_value difference runqueue_count)" 0 "difference in waits" || return 1
	is "$(column "$DIR/measured" latency comm scope=thread | grep -c '^(ended: [0-9]*)$')" 1 \
		"rows of threads that share one" || return 1
}

@test "fast-sched: threads that come and go are all counted while it gets no CPU itself" {
	starved
	rows_agree
}

@test "fast-sched: the same with intervals and with --follow" {
	starved -f
	is "$(sum_of latency total_ns scope=thread)" "$(sum_of latency total_ns scope=all)" \
		"total of the thread rows"
	is "$(sum_of latency count scope=process)" "$(sum_of latency count scope=all)" \
		"count of the process rows"
	kill -KILL "$target"
	starved -i 60
	rows_agree
}

@test "fast-sched: process rows have the process's name and thread rows the thread's" {
	requires cmd:python3
	cat >"$DIR/p.py" <<-'EOF'
		import ctypes, threading, time
		def work():
		    ctypes.CDLL(None).prctl(15, b"worker-7", 0, 0, 0)
		    while True: time.sleep(0.001)
		threading.Thread(target=work, daemon=True).start()
		time.sleep(60)
	EOF
	begin target python3 "$DIR/p.py"
	has_worker() { cat /proc/"$target"/task/*/comm | grep -q worker-7; }
	wait_until has_worker
	run_tool fast-sched -T -p "$target" -d 1
	name=$(cat "/proc/$target/comm")
	is "$(column "$DIR/out" run comm)" "$name" "name in the run record"
	is "$(column "$DIR/out" latency comm scope=process)" "$name" "name of the process"
	is "$(column "$DIR/out" latency comm scope=thread "id=$target")" "$name" "name of the main thread"
	is "$(column "$DIR/out" latency comm scope=thread | grep -c '^worker-7$')" 1 "rows named worker-7"
	run_tool fast-sched -T -f -p "$target" -d 1
	is "$(column "$DIR/out" latency comm scope=process)" "$name" "name of the process with -f"
}

@test "fast-sched: the waits of four threads on one CPU are not cut at the wall clock" {
	begin_load target hog --workers=4 --cpu=0 --duration=1m
	measure_stopped fast-sched "$target" 3
	agrees_exactly
	between 2.5 "$(awk -v t="$(sum_of latency total_ns scope=process)" \
		-v d="$(column "$DIR/measured" end duration_ns)" 'BEGIN { print t / d }')" 4 \
		"threads waiting at a time"
}

@test "fast-sched: a light process never shows more switches than a heavy one beside it" {
	# Counts are exact even where a sampler would draw a handful.
	begin_load light target --period=40ms --busy=1ms --cpu=0 --duration=1m
	begin_load heavy target --period=5ms --busy=1ms --cpu=0 --duration=1m
	for round in 1 2 3; do
		run_tool fast-sched -T -p "$light" -d 1
		few=$(column "$DIR/out" latency wakeups scope=process)
		run_tool fast-sched -T -p "$heavy" -d 1
		many=$(column "$DIR/out" latency wakeups scope=process)
		between 15 "$few" 27 "wake-ups of 25 a second, round $round"
		between 120 "$many" 210 "wake-ups of 200 a second, round $round"
	done
}

# bats test_tags=each-kernel
@test "fast-sched: waits in progress at the end are counted and timed" {
	begin_load target hog --workers=5 --cpu=0 --duration=1m
	run_tool fast-sched -T -p "$target" -d 2
	open=$(column "$DIR/out" latency open_count scope=process)
	# They are looked at one after the other: one that runs then, and one for each switch meanwhile,
	# does not wait.
	between 2 "$open" 5 "of five threads on one CPU, waiting at the end"
	is "$(column "$DIR/out" latency open_count scope=thread | awk '{ s += $1 } END { print s }')" \
		"$open" "open waits of the threads"
	is "$(column "$DIR/out" latency open_ns scope=thread | awk '{ s += $1 } END { print s }')" \
		"$(column "$DIR/out" latency open_ns scope=process)" "their time"
	is "$(column "$DIR/out" latency open_ns scope=cpu | awk '{ s += $1 } END { print s }')" \
		"$(column "$DIR/out" latency open_ns scope=process)" "their time by CPU"
	between 1 "$(column "$DIR/out" latency open_ns scope=process)" 2000000000 "time so far"
}

@test "fast-sched: a thread that waits the whole time is open, not missing" {
	requires cgroup-cpu
	begin_load target hog --workers=1 --cpu=0 --duration=1m
	make_group group fast-held 1000
	stop "$target"
	begin_tool measured fast-sched -T -p "$target"
	go "$target"
	echo "$target" >"$group/cgroup.procs"
	sleep 0.5
	# Its quota of 1 ms in 100 ms is used up: it waits until the next period.
	end_tool measured
	echo "$target" >"${group%/*}/cgroup.procs"
	is "$(check_value difference)" 0 "difference"
	[ "$(sum_of latency open_ns scope=process)" -gt 0 ] ||
		[ "$(sum_of latency throttled_ns scope=process)" -gt 100000000 ]
}

# bats test_tags=each-kernel
@test "fast-sched: a thread that executes another program goes on under its leader's id" {
	requires cmd:python3
	cat >"$DIR/p.py" <<-EOF
		import os, threading, time
		def work():
		    while not os.path.exists("$DIR/go"): time.sleep(0.001)
		    time.sleep(0.5)
		    os.execv("/bin/sleep", ["sleep", "2"])
		threading.Thread(target=work).start()
		while True: time.sleep(0.001)
	EOF
	begin target python3 "$DIR/p.py"
	wait_until grep -q . "/proc/$target/cmdline"
	begin_tool measured fast-sched -T -p "$target"
	touch "$DIR/go"
	wait "$measured"
	end_watch
	is "$(column "$DIR/measured" end reason)" exit "why it ended"
	is "$(column "$DIR/measured" latency comm scope=thread "id=$target" | sort | tr '\n' ' ')" \
		"python3 sleep " "the leader before and after"
	is "$(check_value difference)" 0 "difference"
	is "$(column "$DIR/measured" end lost_events)" 0 "lost events"
}

@test "fast-sched: a command that starts 3,000 threads at once is measured without loss" {
	run_tool fast-sched -T -- fast-workload threads --threads=3000 --sleepers --duration=1
	is "$(column "$DIR/out" end lost_events)" 0 "lost events"
	is "$(column "$DIR/out" check difference name=runqueue_wait)" 0 "difference"
	is "$(grep -c '^latency.thread' "$DIR/out")" 3001 "thread rows"
}
