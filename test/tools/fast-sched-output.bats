#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What comes out, in which form, when, and how a run ends.

load ../helpers

setup() {
	fast_setup
	requires root btf
}

contended() {
	begin_load target target --period="${1:-2ms}" --busy="${2:-100us}" --cpu=0 --duration=1m
	begin_load hog hog --workers=2 --cpu=0 --duration=1m
	# Of this class a thread that wakes preempts nobody: it does wait.
	chrt --all-tasks --batch --pid 0 "$target"
}

@test "fast-sched: -t shows each slow wait through a pipe while it runs" {
	# So few that a buffer of stdio would not fill up.
	contended 100ms 2ms
	(fast-sched -p "$target" -t 1ms -d 4 2>/dev/null 3>&- |
		awk -F'\t' '$1 == "slow" { print systime(), $2; fflush() }' >"$DIR/seen") &
	piped=$!
	sleep 2.5
	[ "$(wc -l <"$DIR/seen")" -gt 5 ]
	wait "$piped"
	# Each was there within two seconds of its own time stamp. What awk has for a clock is up to
	# a tick behind.
	while read -r now stamp; do
		between -1 $((now - $(date -d "$stamp" +%s))) 2 "age of a row when awk saw it"
	done <"$DIR/seen"
}

# half_of: waits of many lengths; $half ns is about their median.
half_of() {
	begin_load target threads --stay --threads=10 --cpu=0 --duration=1m
	run_tool fast-sched -T -p "$target" -d 1
	half=$(column "$DIR/out" latency p50_ns scope=process)
}

@test "fast-sched: slow rows are exactly the waits that reach the threshold" {
	half_of
	run_tool fast-sched -T -p "$target" -t "${half}ns" -d 3
	rest
	[ "$(grep -c '^slow' "$DIR/out")" -gt 100 ]
	is "$(grep -c '^slow' "$DIR/out")" "$(column "$DIR/out" over count "threshold_ns=$half")" \
		"slow rows and the count over the threshold"
	is "$(column "$DIR/out" slow latency_ns | awk -v half="$half" '$1 < half' | wc -l)" 0 \
		"rows below the threshold"
	is "$(column "$DIR/out" slow latency_ns | sort -n | tail -1)" \
		"$(column "$DIR/out" latency max_ns scope=process)" "the longest wait"
	is "$(column "$DIR/out" end lost_events)" 0 "lost events"
}

@test "fast-sched: a threshold between two waits counts the longer one only" {
	half_of
	run_tool fast-sched -T -p "$target" -d 3 -t "$((half + 1))ns"
	is "$(column "$DIR/out" over threshold_ns | tr '\n' ' ')" \
		"1000000 10000000 50000000 $((half + 1)) " "the limits"
	is "$(column "$DIR/out" over count "threshold_ns=$((half + 1))")" \
		"$(grep -c '^slow' "$DIR/out")" "its count"
	# Short ones too, so the limit is between them.
	between 1 "$(grep -c '^slow' "$DIR/out")" \
		$(($(column "$DIR/out" latency count scope=process) - 1)) "waits that reach it"
}

# bats test_tags=each-kernel
@test "fast-sched: a slow row names what ran before and who woke the thread" {
	requires cmd:python3
	# The other end of a pipe wakes the target by name; a timer wakes nobody by name.
	mkfifo "$DIR/fifo"
	begin target chrt --batch 0 taskset -c 0 cat "$DIR/fifo"
	begin hog fast-workload hog --workers=1 --cpu=0 --name=blocker --duration=1m
	begin waker taskset -c 1 python3 -c "
import time
f = open('$DIR/fifo', 'w', buffering=1)
open('/proc/self/comm', 'w').write('the-waker')
while True: f.write('x\n'); time.sleep(0.02)"
	sleep 0.5
	run_tool fast-sched -T -p "$target" -d 3 -t 1us
	rest
	column "$DIR/out" slow waker_comm kind=wakeup | grep -q '^the-waker$'
	column "$DIR/out" slow waker_tid kind=wakeup | grep -qx "$waker"
	column "$DIR/out" slow prev_comm | grep -q '^blocker$'
	is "$(column "$DIR/out" slow waker_context waker_comm=the-waker | sort -u)" task "context of a waker"
}

# bats test_tags=each-kernel
@test "fast-sched: a thread that a timer wakes has an interrupt as waker, not a bystander" {
	contended
	run_tool fast-sched -T -p "$target" -d 2 -t 1us
	rest
	[ "$(grep -c '^slow' "$DIR/out")" -gt 50 ]
	is "$(column "$DIR/out" slow waker_comm kind=wakeup | grep -vc '^-$')" 0 "wakers with a name"
	# A wait that was in progress when measuring began has no known waker.
	between 0 "$(column "$DIR/out" slow waker_context kind=wakeup | grep -vc '^hardirq$')" 1 \
		"wake-ups not by an interrupt"
}

@test "fast-sched: every line of -J is JSON and holds what -T holds" {
	requires cmd:jq
	contended
	stop "$target"
	begin_tool json fast-sched -J -p "$target"
	begin_tool tsv fast-sched -T -p "$target"
	go "$target"
	sleep 2
	stop "$target"
	end_tool json
	end_tool tsv
	while read -r line; do jq -e . <<<"$line" >/dev/null; done <"$DIR/json"
	for record in latency over hist check; do
		diff <(jq -r --arg t $record 'select(.type == $t) | [.[] | if . == null then "-" else . end] | @tsv' "$DIR/json") \
			<(grep "^$record" "$DIR/tsv" | sed 's/\.00$/.0/; s/\.00\t/.0\t/g') ||
			diff <(jq -r --arg t $record 'select(.type == $t) | [.[] | if . == null then "-" else . end | tostring] | join(" ")' "$DIR/json" | normal) \
				<(grep "^$record" "$DIR/tsv" | tr '\t' ' ' | normal)
	done
	is "$(jq -r .type "$DIR/json" | sort -u | tr '\n' ' ')" \
		"$(grep -v '^#' "$DIR/tsv" | cut -f1 | sort -u | tr '\n' ' ')" "record types"
}

# Ratios as numbers, so that 0.00 and 0 are the same.
normal() { awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9]+\.[0-9]+$/) $i = $i + 0; print }'; }

@test "fast-sched: hostile names break neither TSV nor JSON" {
	requires cmd:jq cmd:python3
	local name i=0
	while IFS= read -r -d '' name; do
		i=$((i + 1))
		begin "load$i" python3 -c 'import ctypes, sys, time
ctypes.CDLL(None).prctl(15, sys.argv[1].encode("utf-8", "surrogateescape"), 0, 0, 0)
print("ready", flush=True)
while True: time.sleep(0.001)' "$name"
		wait_until grep -q ready "$DIR/load$i"
		pid="load$i"
		run_tool fast-sched -T -p "${!pid}" -d 200ms
		is "$(awk -F'\t' '$1 == "latency" { print NF }' "$DIR/out" | sort -u)" 19 "fields of each latency row"
		is "$(LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f\x7f]' "$DIR/out")" 0 "lines with control bytes"
		is "$(column "$DIR/out" check difference name=runqueue_wait)" 0 "difference"
		[ "$(column "$DIR/out" latency count scope=process)" -gt 20 ]
		run_tool fast-sched -J -p "${!pid}" -d 200ms
		jq -e . "$DIR/out" >/dev/null
		# A name is text, whatever its bytes; an empty one too.
		is "$(jq -r 'select(.type == "run") | .comm | type' "$DIR/out")" string "type of the name"
		iconv -f UTF-8 -t UTF-8 "$DIR/out" >/dev/null
	done < <(printf '%s\0' 'a b' '(sd-pam)' 'x) R 1 1 1' ') ) )' '' $'t\tn\nl' $'\e[31mred' $'\xff\xfe' \
		'back\slash' '-' 'all' 'ünïcödé')
}

@test "fast-sched: the report ends a run that is told to stop by SIGTERM, SIGINT or SIGHUP" {
	local signal
	contended
	for signal in TERM INT HUP; do
		begin_tool measured fast-sched -T -p "$target"
		sleep 0.3
		end_tool measured "$signal"
		is "$(column "$DIR/measured" end reason)" signal "reason after SIG$signal"
		is "$(grep -c '^check' "$DIR/measured")" 2 "check rows after SIG$signal"
	done
}

@test "fast-sched: a second SIGINT quits at once with status 130, even in a blocked write" {
	local status=0
	begin_load target threads --stay --threads=10 --duration=1m
	# A pipe that nobody reads: sooner or later the tool hangs in it.
	mkfifo "$DIR/fifo"
	exec 9<>"$DIR/fifo"
	fast-sched -T -p "$target" -i 10ms >"$DIR/fifo" 2>"$DIR/tool.err" 3>&- 9>&- &
	tool=$!
	STARTED+=("$tool")
	wait_until grep -q measuring "$DIR/tool.err"
	sleep 3
	kill -INT "$tool"
	sleep 0.5
	kill -0 "$tool"
	kill -INT "$tool"
	ended() { ! kill -0 "$tool"; }
	wait_until ended
	wait "$tool" || status=$?
	exec 9>&-
	is "$status" 130 "status"
}

@test "fast-sched: output piped into head ends quietly and soon" {
	local from=$SECONDS
	contended
	(
		set +e
		fast-sched -p "$target" -i 100ms 2>"$DIR/err" 3>&-
		echo $? >"$DIR/status"
	) | head -1 >"$DIR/first"
	is "$(cat "$DIR/status")" 0 "status after EPIPE"
	is "$(cat "$DIR/err")" "fast-sched: measuring $target (fast-workload)" "stderr"
	between 0 $((SECONDS - from)) 8 "seconds"
}

@test "fast-sched: a full disk is an error and a closed stdout too" {
	contended
	run_tool 1 bash -c "fast-sched -p $target -d 300ms >/dev/full"
	grep -q 'write error: No space left on device' "$DIR/err"
	run_tool 1 bash -c "fast-sched -p $target -d 300ms >&-"
	grep -q "cannot write to 'standard output'" "$DIR/err"
	run_tool 1 fast-sched -p "$target" -d 300ms -o /does/not/exist
	grep -q "cannot write to '/does/not/exist': No such file or directory" "$DIR/err"
}

@test "fast-sched: all rows up to a kill -9 have been delivered" {
	contended
	begin_tool measured fast-sched -p "$target" -t 100us
	sleep 2
	kill -KILL "$measured"
	wait "$measured" || :
	[ "$(grep -c '^slow' "$DIR/measured")" -gt 5 ]
	is "$(tail -c 1 "$DIR/measured" | od -An -tx1)" " 0a" "last byte"
	newest=$(date -d "$(tail -1 "$DIR/measured" | cut -f2)" +%s)
	between 0 $(($(date +%s) - newest)) 2 "age of the newest row in seconds"
}

@test "fast-sched: no BPF program stays behind, however it ends" {
	local signal
	requires cmd:bpftool
	contended
	mine() { bpftool prog list | grep -c 'name on_switch' || :; }
	before=$(mine)
	for signal in INT KILL; do
		begin_tool measured fast-sched -p "$target"
		is "$(mine)" $((before + 1)) "programs while it runs"
		kill -$signal "$measured"
		wait "$measured" || :
		gone() { [ "$(mine)" = "$before" ]; }
		wait_until gone
	done
}

@test "fast-sched: -o writes records to the file, nothing to stdout, as TSV by default" {
	contended
	run_tool fast-sched -o "$DIR/records" -p "$target" -d 300ms
	is "$(cat "$DIR/out")" "" "stdout"
	head -1 "$DIR/records" | grep -q '^#run'
	is "$(column "$DIR/records" end reason)" duration "the end record"
}

@test "fast-sched: on a terminal the report is a table of at most 100 columns" {
	requires cmd:script
	contended
	TERM=xterm script -qec "fast-sched -p $target -d 300ms" /dev/null </dev/null >"$DIR/typescript"
	tr -d '\r' <"$DIR/typescript" | sed 's/.*\x1b\[K//' >"$DIR/table"
	grep -q '^waiting for a CPU, by process' "$DIR/table"
	grep -q '^who ran instead' "$DIR/table"
	is "$(grep -v measuring "$DIR/table" | awk 'length > 100' | wc -l)" 0 "lines over 100 columns"
	is "$(LC_ALL=C grep -c $'\x1b' "$DIR/table")" 0 "lines with escape sequences"
}

@test "fast-sched: -n cuts the rows of each table, and says how many are left out" {
	begin_load target hog --workers=5 --cpu=0 --duration=1m
	run_tool fast-sched --format=table -n 2 -p "$target" -d 500ms
	is "$(awk '/by thread/ { on = 1; next } on && /^[0-9]/ { n++ } /^$/ { on = 0 } END { print n }' "$DIR/out")" \
		2 "thread rows"
	grep -q '^(4 more' "$DIR/out"
	run_tool fast-sched -T -n 3 -p "$target" -d 500ms
	is "$(grep -c '^latency.thread' "$DIR/out")" 3 "thread rows in TSV with -n 3"
	run_tool fast-sched -T -p "$target" -d 500ms
	is "$(grep -c '^latency.thread' "$DIR/out")" 6 "thread rows in TSV without -n"
}

@test "fast-sched: a decimal comma in the locale changes neither input nor output" {
	requires cmd:localedef cmd:jq
	contended
	mkdir "$DIR/locales"
	localedef -i de_DE -f UTF-8 "$DIR/locales/de_DE.UTF-8" || skip "no locale sources"
	export LOCPATH=$DIR/locales LC_ALL=de_DE.UTF-8 TZ=Asia/Kathmandu
	run_tool fast-sched -J -p "$target" -d 0.5
	jq -e . "$DIR/out" >/dev/null
	run_tool fast-sched -T -p "$target" -d 500ms
	is "$(grep -v cmdline "$DIR/out" | grep -c ',')" 0 "lines with a comma"
	column "$DIR/out" run start_time | grep -Eq '^[0-9-]{10}T[0-9:]{8}\.[0-9]{9}Z$'
	run_tool 2 fast-sched -p "$target" -d 0,5
}

@test "fast-sched: -v shows what each program cost and what the maps take" {
	contended
	run_tool fast-sched -T -v -p "$target" -d 500ms
	program=$(column "$DIR/out" cost program | grep -xE 'on_switch(_bounded)?')
	[ "$(column "$DIR/out" cost runs program="$program")" -gt 100 ]
	grep -q 'maps take .* of kernel memory' "$DIR/err"
	grep -q "$program: tp_btf/sched_switch" "$DIR/err"
	is "$(column "$DIR/out" cost ns_per_run program="$program")" \
		"$(awk -v n="$(column "$DIR/out" cost runs program="$program")" \
			-v t="$(column "$DIR/out" cost total_ns program="$program")" \
			'BEGIN { printf "%.2f", t / n }')" "ns a run"
	# In all no more than the CPUs' time.
	between 1 "$(column "$DIR/out" cost total_ns program="$program")" \
		$(($(column "$DIR/out" end duration_ns) * $(nproc))) "ns in all runs"
}

@test "fast-sched: it takes at most 24 MB at its peak and 64 MB of kernel memory" {
	contended
	begin_tool measured fast-sched -v -T -p "$target"
	sleep 1
	between 1000 "$(awk '/^VmHWM/ { print $2 }' "/proc/$measured/status")" 24576 "peak RSS in KiB"
	end_tool measured
	kernel_bytes=$(sed -n 's/.*maps take \([0-9.]*\) MiB.*/\1/p' "$DIR/measured.err")
	between 1 "$kernel_bytes" 64 "MiB of maps"
}

@test "fast-sched: with -o a reader of stdout that goes away does not end the run" {
	contended
	fast-sched -o "$DIR/records" -p "$target" -d 1 2>/dev/null | true
	is "$(column "$DIR/records" end reason)" duration "why it ended"
}

@test "fast-sched: slow events in a storm do not hold up the end of the run" {
	begin_load target pingpong --duration=1m
	run_tool fast-sched -J -p "$target" -d 1 -t 1ns
	between 0.9 "$(tail -1 "$DIR/out" | sed 's/.*"duration_ns":\([0-9]*\).*/\1/' | awk '{ print $1 / 1e9 }')" 3 \
		"seconds measured"
}

@test "fast-sched: an interval too short for a report is refused" {
	run_tool 2 fast-sched -p $$ -i 1us
}
