#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Whom fast-sched measures, whom it refuses, and with which status and words.

load ../helpers

setup() {
	fast_setup
	requires root btf
}

# refused STATUS PATTERN ARG...: that status, one line on stderr that matches, empty stdout.
refused() {
	local want=$1 pattern=$2
	shift 2
	run_tool "$want" fast-sched "$@"
	is "$(wc -l <"$DIR/err")" 1 "lines on stderr"
	is "$(head -c 100 "$DIR/out")" "" "stdout"
	grep -Eq "$pattern" "$DIR/err" || {
		echo "'$(cat "$DIR/err")' does not match '$pattern'" >&2
		return 1
	}
}

@test "fast-sched: a process that does not exist is refused" {
	refused 1 '^fast-sched: no process has the id 4194301$' -p 4194301 -d 1
}

@test "fast-sched: a thread's id is refused and its process named" {
	local tid
	begin_load target threads --stay --threads=2 --duration=1m
	tid=$(threads_of "$target" | tail -1)
	[ "$tid" != "$target" ]
	refused 1 "^fast-sched: $tid is a thread of process $target \(fast-workload\)" -p "$tid" -d 1
}

@test "fast-sched: a zombie is refused" {
	begin parent bash -c 'sleep 0.5 & echo $!; exec sleep 60'
	wait_until test -s "$DIR/parent"
	zombie=$(cat "$DIR/parent")
	wait_until grep -q '^State:.Z' "/proc/$zombie/status"
	refused 1 "^fast-sched: process $zombie has ended" -p "$zombie" -d 1
}

@test "fast-sched: a process whose main thread has ended is measured as long as others live" {
	cat >"$DIR/p.py" <<-'EOF'
		import ctypes, threading, time
		def work():
		    while True: time.sleep(0.002)
		threading.Thread(target=work).start()
		ctypes.CDLL(None).pthread_exit(None)
	EOF
	requires cmd:python3
	begin target python3 "$DIR/p.py"
	wait_until grep -q '^State:.Z' "/proc/$target/status"
	run_tool fast-sched -T -p "$target" -d 1
	between 100 "$(column "$DIR/out" latency count scope=process)" 1000 "waits of the live thread"
	is "$(column "$DIR/out" check difference name=runqueue_wait)" 0 "difference"
}

@test "fast-sched: a kernel thread can be measured" {
	local kthread
	kthread=$(pgrep -o -f '^rcu_(preempt|sched)$' || pgrep -o '^rcu_')
	begin_load load threads --stay --threads=4 --duration=1m
	run_tool fast-sched -T -p "$kthread" -d 2
	is "$(column "$DIR/out" check difference name=runqueue_wait)" 0 "difference"
	is "$(column "$DIR/out" run cmdline)" - "arguments of a kernel thread"
}

@test "fast-sched: a target that exits ends the run with a whole report" {
	begin_load target hog --workers=1 --duration=1
	run_tool fast-sched -T -p "$target"
	is "$(column "$DIR/out" end reason)" exit "why it ended"
	is "$(grep -c '^check' "$DIR/out")" 2 "check rows"
}

@test "fast-sched: a command that exits at once still gets a report" {
	run_tool fast-sched -T -- true
	is "$(column "$DIR/out" end reason)" exit "why it ended"
	is "$(column "$DIR/out" run comm)" true "name after execve"
	is "$(column "$DIR/out" check difference name=runqueue_wait)" 0 "difference"
}

@test "fast-sched: the command's own status is passed on" {
	run_tool 7 fast-sched -T -- sh -c 'exit 7'
	run_tool 137 fast-sched -T -- sh -c 'kill -KILL $$'
	run_tool 127 fast-sched -T -- /does/not/exist
	is "$(cat "$DIR/err")" "fast-sched: /does/not/exist: command not found" "the message"
	is "$(cat "$DIR/out")" "" "stdout when there is no such command"
	run_tool 126 fast-sched -T -- /etc/passwd
}

@test "fast-sched: the command has the caller's stdin, stdout, ids and signals" {
	echo hello >"$DIR/in"
	fast-sched -o "$DIR/records" -- sh -c 'cat; id -u; trap' <"$DIR/in" >"$DIR/out" 2>/dev/null
	is "$(cat "$DIR/out")" "$(printf 'hello\n%s' "$(id -u)")" "what the command printed"
	is "$(column "$DIR/records" end reason)" exit "why it ended"
	fast-sched -o "$DIR/records" -- grep -E '^Sig(Blk|Ign)' /proc/self/status >"$DIR/out" 2>/dev/null
	is "$(cat "$DIR/out")" "$(grep -E '^Sig(Blk|Ign)' /proc/self/status)" "its signal masks"
}

@test "fast-sched: a command is ended when the duration is over first" {
	run_tool fast-sched -T -d 300ms -- sleep 77
	is "$(column "$DIR/out" end reason)" duration "why it ended"
	run ! pgrep -f '^sleep 77$'
}

@test "fast-sched: an existing target is left alone" {
	begin target sleep 60
	run_tool fast-sched -T -p "$target" -d 200ms
	kill -0 "$target"
}

@test "fast-sched: PID 1, the own shell and its parent give sane figures" {
	local pid
	for pid in 1 $$ $PPID; do
		run_tool fast-sched -T -p "$pid" -d 1
		is "$(column "$DIR/out" check difference name=runqueue_wait)" 0 "difference of $pid"
		between 0 "$(column "$DIR/out" latency total_ns scope=process)" 100e9 "total of $pid"
	done
}

@test "fast-sched: one instance measures another and counts none of its own events" {
	begin_load load hog --workers=2 --duration=1m
	begin_tool inner fast-sched -T -p "$load" -i 200ms
	run_tool fast-sched -T -p "$inner" -d 2
	is "$(column "$DIR/out" check difference name=runqueue_wait)" 0 "difference"
	is "$(column "$DIR/out" latency id scope=process)" "$inner" "the one measured"
	between 10 "$(column "$DIR/out" latency count scope=process)" 1000 "its waits"
}

# bats test_tags=each-kernel
@test "fast-sched: a pid is understood as the caller's PID namespace has it" {
	requires cmd:unshare
	cat >"$DIR/inside" <<-EOF
		fast-workload hog --workers=2 --cpu=0 --duration=20 >$DIR/load &
		inner=\$!
		sleep 0.5
		[ "\$inner" -lt 100 ] || exit 9
		echo inner=\$inner >$DIR/id
		fast-sched -T -p \$inner -d 2 >$DIR/out
		kill \$inner
	EOF
	timeout 60 unshare -p -f --kill-child --mount-proc bash "$DIR/inside"
	inner=$(sed -n 's/inner=//p' "$DIR/id")
	is "$(column "$DIR/out" run pid)" "$inner" "pid as given"
	is "$(column "$DIR/out" latency id scope=process)" "$inner" "pid in the rows"
	is "$(column "$DIR/out" check difference name=runqueue_wait)" 0 "difference"
	is "$(column "$DIR/out" culprit pid who=self)" "$inner" "its own threads as culprit"
	between 1e9 "$(column "$DIR/out" latency total_ns scope=process)" 9e9 \
		"two threads on one CPU: one waits"
	tid=$(column "$DIR/out" latency id scope=thread | sort -n | tail -1)
	between 1 "$tid" 100 "thread id as seen inside"
}

@test "fast-sched: the number of a process outside the PID namespace is refused" {
	requires cmd:unshare
	begin target sleep 60
	run_tool 1 unshare -p -f --mount-proc fast-sched -T -p "$target" -d 1
	grep -q "no process has the id $target" "$DIR/err"
}

@test "fast-sched: threads are all measured, not only the main one" {
	begin_load target hog --workers=6 --cpu=0 --duration=1m
	measure_stopped fast-sched "$target" 2
	is "$(column "$DIR/measured" latency id scope=thread | sort -n)" \
		"$(threads_of "$target")" "thread rows"
	agrees_exactly
}

@test "fast-sched: an ordinary user is told which capability is missing" {
	requires cmd:setpriv
	chmod 755 "$DIR"
	run_tool 3 setpriv --reuid=65534 --regid=65534 --clear-groups fast-sched -p $$ -d 1
	is "$(wc -l <"$DIR/err")" 1 "lines on stderr"
	grep -q 'CAP_BPF and CAP_PERFMON are missing; try sudo' "$DIR/err"
	is "$(cat "$DIR/out")" "" "stdout"
}

# as_user CAPABILITIES: ${as_user[@]} runs a command as an ordinary user who has just these.
as_user() {
	requires cmd:setpriv
	as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups "--inh-caps=-all,$1"
		"--ambient-caps=-all,$1" "--bounding-set=-all,$1")
}

# bats test_tags=each-kernel
@test "fast-sched: an ordinary user with CAP_BPF and CAP_PERFMON measures like root" {
	begin_load target hog --workers=3 --cpu=0 --duration=1m
	# Before 5.11 maps are locked memory.
	ulimit -l unlimited 2>/dev/null || :
	as_user +bpf,+perfmon
	run_tool "${as_user[@]}" fast-sched -T -t 1ms -d 1 -p "$target"
	is "$(column "$DIR/out" check difference | sort -u)" 0 "differences"
	between 1e9 "$(column "$DIR/out" latency total_ns scope=process)" 4e9 "two of three wait"
	[ "$(grep -c '^slow' "$DIR/out")" -gt 10 ]
	is "$(column "$DIR/out" culprit comm who=self)" fast-workload "its own threads as culprit"
}

@test "fast-sched: the one capability that is missing is named" {
	as_user +perfmon
	run_tool 3 "${as_user[@]}" fast-sched -p $$ -d 1
	grep -q 'CAP_BPF is missing' "$DIR/err"
	as_user +bpf
	run_tool 3 "${as_user[@]}" fast-sched -p $$ -d 1
	grep -q 'CAP_PERFMON is missing' "$DIR/err"
}

@test "fast-sched: usage comes before privilege, and privilege before the target" {
	requires cmd:setpriv
	local nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	run_tool 2 "${nobody[@]}" fast-sched -p abc
	run_tool 3 "${nobody[@]}" fast-sched -p 4194301
}

@test "fast-sched: without kernel BTF it says so, with status 3" {
	requires cmd:unshare
	run_tool 3 unshare -m sh -c \
		'mount -t tmpfs none /sys/kernel/btf && exec fast-sched -p $$ -d 1'
	grep -q 'CONFIG_DEBUG_INFO_BTF' "$DIR/err"
	is "$(cat "$DIR/out")" "" "stdout"
}

# bats test_tags=each-kernel
@test "fast-sched: neither tracefs nor debugfs is needed" {
	requires cmd:unshare
	begin_load target hog --workers=2 --cpu=0 --duration=1m
	run_tool unshare -m sh -c "umount /sys/kernel/tracing /sys/kernel/debug/tracing \
		/sys/kernel/debug 2>/dev/null; exec fast-sched -T -p $target -d 1 -t 1ms"
	[ "$(column "$DIR/out" latency count scope=process)" -gt 10 ]
}

@test "fast-sched: a pid that is given away again is not measured" {
	local tries=0 second=
	begin first sleep 60
	begin_tool measured fast-sched -T -p "$first"
	# It gets no CPU until the number has been given away and used.
	stop "$measured"
	kill "$first"
	wait "$first" || :
	# The next process gets the number after this one, unless another is faster.
	until [ "$second" = "$first" ]; do
		tries=$((tries + 1))
		[ "$tries" -le 50 ]
		echo $((first - 1)) >/proc/sys/kernel/ns_last_pid
		fast-workload hog --workers=2 --cpu=0 --duration=2 >"$DIR/second" 3>&- &
		second=$!
		STARTED+=("$second")
	done
	wait "$second"
	go "$measured"
	wait "$measured"
	is "$(column "$DIR/measured" end reason)" exit "why it ended"
	is "$(column "$DIR/measured" latency id scope=thread)" "$first" "the only thread"
	between 0 "$(column "$DIR/measured" latency total_ns scope=process)" 5e8 "waits of the first one only"
}
