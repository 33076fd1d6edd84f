#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What can be shown in a guest only: it changes the whole machine.

# bats file_tags=each-kernel
load ../helpers

setup() {
	fast_setup
	[ -n "$FAST_GUEST" ]
}

# series_before MAJOR MINOR: whether the kernel is older.
series_before() {
	local major minor
	IFS=. read -r major minor _ < <(uname -r)
	[ "$major" -lt "$1" ] || { [ "$major" = "$1" ] && [ "$minor" -lt "$2" ]; }
}

@test "guest: threads' slots are in task storage where there is one, else in a hash" {
	local want="task storage"
	series_before 5 11 && want="a hash by task"
	begin_load target hog --workers=2 --cpu=0 --duration=1m
	run_tool fast-sched -v -T -d 1 -p "$target"
	rest
	grep -q "threads are found by $want" "$DIR/err"
	is "$(column "$DIR/out" check difference | sort -u)" 0 "differences"
}

@test "guest: CPUs that go and come back during the run lose nothing" {
	local cpu
	begin_load target hog --workers=6 --duration=1m
	stop "$target"
	begin_tool measured fast-sched -T -p "$target"
	go "$target"
	for cpu in /sys/devices/system/cpu/cpu[1-9]*; do
		sleep 0.2
		echo 0 >"$cpu/online"
		sleep 0.2
		echo 1 >"$cpu/online"
	done
	stop "$target"
	end_tool measured
	is "$(column "$DIR/measured" check difference | sort -u)" 0 "differences"
	is "$(column "$DIR/measured" end lost_events)" 0 "lost events"
	rows_agree
}

@test "guest: a CPU that is off when it starts is used when it comes on" {
	echo 0 >/sys/devices/system/cpu/cpu1/online
	begin_load target hog --workers="$((2 * $(nproc)))" --duration=1m
	stop "$target"
	begin_tool measured fast-sched -T -p "$target"
	go "$target"
	sleep 1
	echo 1 >/sys/devices/system/cpu/cpu1/online
	sleep 2
	stop "$target"
	end_tool measured
	is "$(column "$DIR/measured" check difference | sort -u)" 0 "differences"
	[ "$(column "$DIR/measured" latency count scope=cpu id=1)" -gt 5 ]
	rows_agree
}

@test "guest: it needs no address of the kernel" {
	echo 2 >/proc/sys/kernel/kptr_restrict
	echo 3 >/proc/sys/kernel/perf_event_paranoid 2>/dev/null || :
	begin_load target target --period=2ms --busy=100us --cpu=0 --duration=1m
	begin_load hog hog --workers=2 --cpu=0 --duration=1m
	chrt --all-tasks --batch --pid 0 "$target"
	run_tool fast-sched -T -d 2 -t 1us -p "$target"
	rest
	is "$(column "$DIR/out" check difference | sort -u)" 0 "differences"
	# BTF tells where the preempt count is, but not that of Debian's oldest kernel: there nobody
	# is named then.
	if series_before 5 11; then
		is "$(column "$DIR/out" slow waker_comm waker_context=- | sort -u)" - "wakers"
	else
		[ "$(column "$DIR/out" slow waker_context | sort -u | grep -c hardirq)" = 1 ]
	fi
	echo 0 >/proc/sys/kernel/kptr_restrict
}

@test "guest: an ordinary user without the memory that old kernels ask for is told so" {
	series_before 5 11 || skip "maps are not locked memory on this kernel"
	ulimit -l 64
	run_tool 3 setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all,+bpf,+perfmon \
		--ambient-caps=-all,+bpf,+perfmon --bounding-set=-all,+bpf,+perfmon fast-sched -d 1 -p $$
	grep -q 'CAP_SYS_RESOURCE, or no limit on locked memory' "$DIR/err"
	is "$(wc -l <"$DIR/err")" 1 "lines on stderr"
}
