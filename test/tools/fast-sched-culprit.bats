#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Who had the CPU while the target waited.

load ../helpers

setup() {
	fast_setup
	requires root btf
}

# ran PID: CPU time of a process so far, ns.
ran() { schedstat "$1" 1; }

# share WHO KEY=VALUE...: per cent of the waiting time.
share() { column "$DIR/measured" culprit share_pct "who=$1" "${@:2}" | awk '{ s += $1 } END { print s + 0 }'; }

charges_sum_to_the_wait() {
	within "$(sum_of culprit wait_ns)" "$(sum_of latency total_ns scope=process)" 2 \
		"sum of the charges"
}

# bats test_tags=each-kernel
@test "fast-sched: three hogs of different weight are named with their shares" {
	local pids=() before=() delta=() charged=() i all=0 sum=0 want got
	# Nice weights act inside one session only, with autogroup scheduling.
	begin_load target hog --workers=1 --cpu=0 --name=victim --duration=1m
	begin_load big hog --workers=1 --cpu=0 --name=big --duration=1m
	begin_load middle hog --workers=1 --cpu=0 --nice=5 --name=middle --duration=1m
	begin_load small hog --workers=1 --cpu=0 --nice=10 --name=small --duration=1m
	pids=("$big" "$middle" "$small")
	stop "$target" "${pids[@]}"
	begin_tool measured fast-sched -T -p "$target"
	for i in 0 1 2; do before[i]=$(ran "${pids[i]}"); done
	go "${pids[@]}" "$target"
	sleep 4
	stop "$target" "${pids[@]}"
	for i in 0 1 2; do delta[i]=$(($(ran "${pids[i]}") - before[i])); done
	end_tool measured
	# A moment of theirs at each end is before or after the target's, and others run there too:
	# their proportions are the oracle.
	for i in 0 1 2; do
		charged[i]=$(sum_of culprit wait_ns who=process "pid=${pids[i]}")
		all=$((all + delta[i])) sum=$((sum + charged[i]))
	done
	for i in 0 1 2; do
		want=$(awk -v d="${delta[i]}" -v all="$all" 'BEGIN { print 100 * d / all }')
		got=$(awk -v d="${charged[i]}" -v all="$sum" 'BEGIN { print 100 * d / all }')
		between "$(awk -v w="$want" 'BEGIN { print w - 3 }')" "$got" \
			"$(awk -v w="$want" 'BEGIN { print w + 3 }')" "share of hog $i"
	done
	is "$(column "$DIR/measured" culprit comm "pid=$big")" big "its name"
	[ "$(share process "pid=$big")" != 0 ]
	charges_sum_to_the_wait
	is "$(check_value difference)" 0 "difference in ns"
}

# Unless something else came onto that CPU within the wait, as may happen now and then.
@test "fast-sched: already the first wait on a CPU is charged to who ran there" {
	local resolved=0
	begin_load target hog --workers=1 --cpu=0 --duration=1m
	begin_load big hog --workers=1 --cpu=0 --name=big --duration=1m
	for _ in 1 2 3 4 5 6 7 8; do
		measure_stopped fast-sched "$target" 0.3
		[ "$(share process "pid=$big")" != 0 ]
		[ -n "$(column "$DIR/measured" culprit wait_ns who=unresolved)" ] || resolved=$((resolved + 1))
	done
	echo "# $resolved of 8 rounds without an unresolved part"
	[ "$resolved" -ge 6 ]
}

@test "fast-sched: own threads are told apart from other processes" {
	local ran_before ran_after
	begin_load target hog --workers=4 --cpu=0 --duration=1m
	stop "$target"
	ran_before=$(ran "$target")
	begin_tool measured fast-sched -T -p "$target"
	go "$target"
	sleep 3
	stop "$target"
	ran_after=$(ran "$target")
	end_tool measured
	# While one of the four runs, three wait for it.
	within "$(sum_of culprit wait_ns who=self "pid=$target")" $((3 * (ran_after - ran_before))) 3 \
		"charged to its own threads"
	charges_sum_to_the_wait
}

@test "fast-sched: a wait behind a kernel thread is charged to that thread by name" {
	requires cmd:dd
	begin_load target threads --stay --threads=4 --cpu=0 --duration=1m
	# Discarding a file's pages keeps workers of the CPU busy: kworker or ksoftirqd.
	begin noise taskset -c 0 bash -c "while :; do dd if=/dev/zero of=$DIR/f bs=1M count=32 conv=fsync; done"
	measure_stopped fast-sched "$target" 5
	rest
	charges_sum_to_the_wait
	[ "$(sum_of culprit wait_ns who=kernel)" -gt 0 ]
	for comm in $(column "$DIR/measured" culprit comm who=kernel); do
		case $comm in
		kworker* | ksoftirqd* | rcu* | migration* | kcompactd* | kswapd* | jbd2* | loop* | k* | irq*) ;;
		*)
			grep -qx "$comm" /proc/[0-9]*/comm || {
				echo "'$comm' is no kernel thread" >&2
				return 1
			}
			;;
		esac
	done
	is "$(column "$DIR/measured" culprit comm who=kernel | grep -c '^-$')" 0 "kernel threads without a name"
}

# measure_throttled: $target in $group for 5 s, stopped at both edges; the group's throttled time
# meanwhile is in $throttled.
measure_throttled() {
	stop "$target"
	throttled=-$(throttled_ns "$group")
	begin_tool measured fast-sched -T -p "$target"
	go "$target"
	sleep 5
	stop "$target"
	throttled=$((throttled + $(throttled_ns "$group")))
	end_tool measured
}

# bats test_tags=each-kernel
@test "fast-sched: throttling by a CPU quota is the group's own figure, within 2 %" {
	requires cgroup-cpu
	make_group group fast-quota 20000
	begin_load target hog --workers=1 --cpu=0 --duration=1m
	echo "$target" >"$group/cgroup.procs"
	measure_throttled
	within "$(sum_of latency throttled_ns scope=thread comm=fast-workload)" "$throttled" 2 \
		"throttled time" ||
		within "$(column "$DIR/measured" latency throttled_ns scope=thread | sort -n | tail -1)" \
			"$throttled" 2 "throttled time of its longest-throttled thread"
	is "$(sum_of culprit wait_ns who=throttled)" "$(sum_of latency throttled_ns scope=process)" \
		"charged to the quota"
	[ "$(column "$DIR/measured" latency throttles scope=process)" -gt 10 ]
	charges_sum_to_the_wait
	is "$(check_value difference)" 0 "difference in ns"
}

@test "fast-sched: a quota and another process on the CPU are told apart" {
	requires cgroup-cpu
	local total
	make_group group fast-both 30000
	begin_load target hog --workers=1 --cpu=0 --duration=1m
	begin_load other hog --workers=1 --cpu=0 --duration=1m
	echo "$target" >"$group/cgroup.procs"
	measure_throttled
	total=$(sum_of latency total_ns scope=process)
	within "$(column "$DIR/measured" latency throttled_ns scope=thread | sort -n | tail -1)" \
		"$throttled" 2 "throttled time"
	is "$(sum_of culprit wait_ns who=throttled)" "$(sum_of latency throttled_ns scope=process)" \
		"charged to the quota"
	charges_sum_to_the_wait
	[ "$(sum_of culprit wait_ns "pid=$other")" -gt $((total / 10)) ]
}

@test "fast-sched: throttled time after wake-ups counts only from the wake-up" {
	requires cgroup-cpu
	make_group group fast-sleeper 20000
	begin_load target target --period=2ms --busy=700us --cpu=0 --duration=1m
	begin_load other hog --workers=1 --cpu=0 --duration=1m
	echo "$target" >"$group/cgroup.procs"
	measure_throttled
	between 0 "$(sum_of latency throttled_ns scope=process)" $((throttled * 102 / 100)) \
		"throttled time of a group's only thread, at most the group's"
}

@test "fast-sched: without a quota nothing is throttled" {
	begin_load target hog --workers=3 --cpu=0 --duration=1m
	measure_stopped fast-sched "$target" 1
	is "$(sum_of latency throttled_ns)" 0 "throttled time"
	is "$(sum_of latency throttles)" 0 "throttled waits"
	is "$(sum_of culprit wait_ns who=throttled)" 0 "charged to a quota"
}

@test "fast-sched: thousands of short-lived processes are named and share a row" {
	begin_load target hog --workers=1 --cpu=0 --duration=1m
	begin noise taskset -c 0 bash -c 'while :; do /bin/true; /bin/true; done'
	measure_stopped fast-sched "$target" 4
	charges_sum_to_the_wait
	is "$(column "$DIR/measured" end full_maps)" 0 "full maps"
	is "$(column "$DIR/measured" culprit pid comm=true)" all "pid of the row for true"
	between 5 "$(share process comm=true)" 100 "share of true"
	between 0 "$(sum_of culprit wait_ns who=process comm=-)" \
		$(($(sum_of latency total_ns scope=process) / 100)) "waiting time without a name"
}

# cpu1_ticks: idle and total time of CPU 1, by /proc/stat.
cpu1_ticks() { awk '$1 == "cpu1" { for (i = 2; i <= 9; i++) sum += $i; print $5, sum }' /proc/stat; }

# idle_pct_during COMMAND...: how much CPU 1 was idle meanwhile.
idle_pct_during() {
	local before
	before=$(cpu1_ticks)
	"$@" >/dev/null
	echo "$before $(cpu1_ticks)" | awk '{ print 100 * ($3 - $1) / ($4 - $2) }'
}

@test "fast-sched: the share of time with an idle CPU elsewhere is that CPU's idle time" {
	requires two-cpus
	local idle got
	begin_load target hog --workers=1 --cpu=0 --duration=1m
	begin_load other hog --workers=1 --cpu=0 --duration=1m
	idle=$(idle_pct_during measure_stopped fast-sched "$target" 4)
	got=$(column "$DIR/measured" culprit elsewhere_idle_pct "pid=$other")
	between "$(awk -v i="$idle" 'BEGIN { print i * 0.6 - 10 }')" "$got" \
		"$(awk -v i="$idle" 'BEGIN { print i + 10 }')" "idle elsewhere, with CPU 1 idle for $idle %"
	begin_load third hog --workers=2 --cpu=1 --duration=1m
	measure_stopped fast-sched "$target" 3
	got=$(column "$DIR/measured" culprit elsewhere_idle_pct "pid=$other")
	between 0 "$got" 2 "idle elsewhere while every CPU is busy"
}

@test "fast-sched: --no-culprits leaves them out and changes no other figure" {
	begin_load target hog --workers=3 --cpu=0 --duration=1m
	measure_stopped fast-sched "$target" 1 --no-culprits
	is "$(grep -c '^culprit' "$DIR/measured")" 0 "culprit rows"
	agrees_exactly
}

@test "fast-sched: a culprit's name with control bytes does not break a row" {
	begin_load target hog --workers=1 --cpu=0 --duration=1m
	begin_load other hog --workers=1 --cpu=0 --duration=1m --name=$'a\tb\nc\e[31m\xff'
	measure_stopped fast-sched "$target" 1
	is "$(column "$DIR/measured" culprit comm "pid=$other")" 'a\tb\nc\x1b[31m\xff' "the name"
}
