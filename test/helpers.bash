# SPDX-License-Identifier: GPL-2.0-or-later
# What the bats files share. Everything that a test starts is ended in teardown.

bats_require_minimum_version 1.5.0

# requires WORD...: skips the test where a word does not hold; an unknown word is a failure.
# A test whose skip reason is listed in FAST_TEST_MUST_RUN (words, or "all") fails instead.
requires() {
	local word missing
	for word in "$@"; do
		missing=
		case $word in
		root) [ "$EUID" = 0 ] || missing="needs root" ;;
		btf) [ -r /sys/kernel/btf/vmlinux ] || missing="needs kernel BTF" ;;
		two-cpus) [ "$(nproc)" -ge 2 ] || missing="needs two CPUs" ;;
		cgroup-cpu) cgroup_cpu >/dev/null || missing="needs a writable cpu cgroup" ;;
		cmd:*) command -v "${word#cmd:}" >/dev/null || missing="needs ${word#cmd:}" ;;
		*)
			echo "BUG: requires: unknown word '$word'" >&2
			return 1
			;;
		esac
		[ -z "$missing" ] && continue
		case " ${FAST_TEST_MUST_RUN:-} " in
		*" all "* | *" $word "*)
			echo "must run here, but: $missing" >&2
			return 1
			;;
		esac
		skip "$missing"
	done
}

fast_setup() {
	DIR=$(mktemp -d "${BATS_TMPDIR:-/tmp}/fast-test.XXXXXX")
	STARTED=()
	STOPPED=()
	GROUPS_MADE=()
}

# says FILE TEXT: whether it is in there. Without a process, as it is asked again and again.
says() {
	local text=
	IFS= read -rd '' text <"$1" || :
	[[ $text = *"$2"* ]]
}

# is_child PID: a number may have been given away again since we started it.
is_child() { says "/proc/$1/status" $'\nPPid:\t'"$BASHPID"$'\n' 2>/dev/null; }

fast_teardown() {
	local pid group
	[ "${#STOPPED[@]}" = 0 ] || kill -CONT "${STOPPED[@]}" 2>/dev/null
	for pid in "${STARTED[@]}"; do
		is_child "$pid" || continue
		kill -CONT "$pid" 2>/dev/null
		kill -KILL "$pid" 2>/dev/null
	done
	for pid in "${STARTED[@]}"; do
		wait "$pid" 2>/dev/null
	done
	for group in "${GROUPS_MADE[@]}"; do
		wait_until rmdir "$group"
	done
	rm -rf "$DIR"
	return 0
}

setup() { fast_setup; }
teardown() { fast_teardown; }

# wait_until COMMAND...: up to 10 s for it to succeed.
wait_until() {
	local tries=200 nothing
	# Opened in both directions it has no end, and nothing comes: a pause without a process.
	[ -n "${SILENCE:-}" ] || exec {SILENCE}<> <(:)
	while ! "$@" 2>/dev/null; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		read -rt 0.05 -u "$SILENCE" nothing || :
	done
	: "${nothing-}"
}

# begin VARIABLE COMMAND...: in the background, its pid into VARIABLE, output to $DIR/VARIABLE.
begin() {
	local name=$1
	shift
	rm -f "$DIR/$name" "$DIR/$name.err"
	"$@" >"$DIR/$name" 2>"$DIR/$name.err" 3>&- &
	STARTED+=($!)
	printf -v "$name" '%s' "$!"
}

# begin_load VARIABLE LOAD [OPTION]...: the same, once fast-workload is ready.
begin_load() {
	local name=$1
	begin "$name" fast-workload "${@:2}"
	if ! wait_until says "$DIR/$name" pid=; then
		cat "$DIR/$name.err" >&2
		return 1
	fi
}

# end_of VARIABLE: waits for it; its status.
end_of() {
	local pid=${!1}
	wait "$pid"
}

# truth VARIABLE KEY: what a load printed at its end.
truth() { sed -n "s/^$2=//p" "$DIR/$1"; }

# run_tool [STATUS] TOOL ARG...: logs what it did; stdout in $DIR/out, stderr in $DIR/err.
run_tool() {
	local want=0 got=0
	case $1 in
	[0-9]*)
		want=$1
		shift
		;;
	esac
	timeout --kill-after=5 "${TOOL_TIMEOUT:-60}" "$@" >"$DIR/out" 2>"$DIR/err" 3>&- || got=$?
	echo "# $* -> $got (expected $want)"
	head -c 2000 "$DIR/err"
	[ "$got" -eq "$want" ] || {
		head -c 4000 "$DIR/out"
		return 1
	}
}

# begin_watch, end_watch: PID 1 is watched, on a machine where that is needed: see blind_turns.
begin_watch() {
	[ -z "${FAST_GUEST:-}" ] || return 0
	begin watcher bench-load pid1
	wait_until says "$DIR/watcher.err" ready
}
end_watch() {
	[ -z "${FAST_GUEST:-}" ] || return 0
	kill -TERM "$watcher"
	wait "$watcher"
}

# begin_tool VARIABLE TOOL ARG...: in the background, measuring when this returns. From before
# "measured" begins until it ends, PID 1 is watched: see unseen_is_allowed.
begin_tool() {
	[ "$1" != measured ] || begin_watch || return
	begin "$@"
	if ! wait_until says "$DIR/$1.err" ': measuring '; then
		cat "$DIR/$1.err" >&2
		return 1
	fi
}

# column FILE RECORD COLUMN [KEY=VALUE]...: that column of the matching records, a line each.
column() {
	awk -F'\t' -v record="$2" -v wanted="$3" -v conditions="${*:4}" '
		BEGIN { count = split(conditions, pair, " ") }
		$1 == "#" record { for (i = 2; i <= NF; i++) at[$i] = i; next }
		$1 == record {
			for (i = 1; i <= count; i++) {
				split(pair[i], part, "=")
				if ($at[part[1]] != part[2]) next
			}
			if (!(wanted in at)) { print "no column " wanted; exit 1 }
			print $at[wanted]
		}' "$1"
}

# is GOT WANT WHAT: equal, or both are shown.
is() {
	[ "$1" = "$2" ] && return
	echo "$3: got '$1', want '$2'" >&2
	return 1
}

# within GOT WANT PERCENT WHAT
within() {
	awk -v got="$1" -v want="$2" -v pct="$3" 'BEGIN {
		d = got - want; if (d < 0) d = -d
		w = want < 0 ? -want : want
		exit !(d <= w * pct / 100) }' && return
	echo "$4: got $1, want $2 within $3 %" >&2
	return 1
}

# between LOW VALUE HIGH WHAT: inclusive.
between() {
	awk -v low="$1" -v value="$2" -v high="$3" 'BEGIN { exit !(low <= value && value <= high) }' &&
		return
	echo "$4: got $2, want $1 to $3" >&2
	return 1
}

# schedstat PID FIELD: summed over its living threads (1 running, 2 waiting, 3 slices).
schedstat() {
	cat /proc/"$1"/task/*/schedstat 2>/dev/null |
		awk -v field="$2" '{ sum += $field } END { printf "%.0f\n", sum }'
}

# counters PID: waiting time, waits, voluntary and other switches, summed over its living threads.
counters() {
	# Two lists, as thousands of threads fill the arguments of a command.
	{ cat /proc/"$1"/task/*/schedstat; cat /proc/"$1"/task/*/status; } 2>/dev/null |
		awk '
			NF == 3 && $1 ~ /^[0-9]+$/ { ns += $2; waits += $3 }
			$1 == "voluntary_ctxt_switches:" { voluntary += $2 }
			$1 == "nonvoluntary_ctxt_switches:" { other += $2 }
			END { printf "%.0f %.0f %.0f %.0f\n", ns, waits, voluntary, other }'
}

# threads_of PID: its thread ids, a line each, in order.
threads_of() {
	local dir
	for dir in /proc/"$1"/task/*; do echo "${dir##*/}"; done | sort -n
}

all_stopped() {
	cat /proc/"$1"/task/*/stat | awk '{ sub(/.*\) /, "") } !/^[TtZX]/ { bad = 1 } END { exit bad || !NR }'
}

# stop PID... / go PID...: SIGSTOP, returning when every thread is stopped; SIGCONT.
stop() {
	local pid
	kill -STOP "$@"
	for pid in "$@"; do
		wait_until all_stopped "$pid" && continue
		echo "$pid does not stop" >&2
		return 1
	done
}
go() { kill -CONT "$@"; }

# rest: everything that a test started stops, so that on a slow machine it does not also hold up
# the checks that follow.
rest() {
	local pid
	for pid in "${STARTED[@]}"; do
		! is_child "$pid" || kill -STOP "$pid" 2>/dev/null || :
	done
}

# cgroup_cpu: the directory in which cpu cgroups can be made.
cgroup_cpu() {
	local dir
	for dir in /sys/fs/cgroup/cpu /sys/fs/cgroup/cpu,cpuacct /sys/fs/cgroup; do
		if [ -e "$dir/cpu.cfs_quota_us" ] && [ -w "$dir" ]; then
			echo "$dir"
			return
		fi
		if grep -qw cpu "$dir/cgroup.subtree_control" 2>/dev/null && [ -w "$dir" ]; then
			echo "$dir"
			return
		fi
	done
	return 1
}

# make_group VARIABLE NAME QUOTA_US: a cpu cgroup with a quota per 100 ms.
make_group() {
	local path
	path=$(cgroup_cpu)/$2.$$
	mkdir -p "$path"
	GROUPS_MADE=("$path" "${GROUPS_MADE[@]}")
	if [ -e "$path/cpu.max" ]; then
		echo "$3 100000" >"$path/cpu.max"
	else
		echo "$3" >"$path/cpu.cfs_quota_us"
	fi
	printf -v "$1" '%s' "$path"
}

# throttled_ns GROUP: its cpu.stat.
throttled_ns() {
	awk '$1 == "throttled_time" { print $2 } $1 == "throttled_usec" { print $2 "000" }' \
		"$1/cpu.stat"
}

# Every tool, for the tests that hold for all of them.
# shellcheck disable=SC2034
TOOLS=(fast-sched)

# usage_error TOOL ARG...: status 2, nothing on stdout, a message and the hint on stderr.
usage_error() {
	local lines
	run_tool 2 "$@" || return 1
	is "$(head -c 200 "$DIR/out")" "" "stdout of '$*'" || return 1
	mapfile -t lines <"$DIR/err"
	is "${#lines[@]}" 2 "lines on stderr of '$*'" || return 1
	is "${lines[0]%%: *}" "$1" "what the message of '$*' begins with" || return 1
	is "${lines[1]}" "Try '$1 --help' for more information." "the hint of '$*'"
}

# options_of TOOL [TYPE]...: name, letter, argument, type and words of its options, all of
# them or those of these types.
options_of() {
	"$1" --describe-options |
		awk -F'\t' -v types=" ${*:2} " 'types == "  " || index(types, " " $4 " ")'
}

# end_tool VARIABLE [SIGNAL]: ends a tool by a signal, waits for it; its output is in $DIR/VARIABLE.
end_tool() {
	local pid=${!1} status
	kill -"${2:-INT}" "$pid"
	wait "$pid"
	status=$?
	[ "$1" != measured ] || end_watch
	return "$status"
}

# measure_stopped TOOL PID SECONDS [ARG]...: measures a process that is stopped when measuring
# begins and when it ends, with an oracle read at both points: $oracle_ns, $oracle_count,
# $oracle_voluntary, $oracle_nonvoluntary; the records are in $DIR/measured. It stays stopped.
measure_stopped() {
	local tool=$1 pid=$2 seconds=$3 before after
	shift 3
	stop "$pid" || return
	before=$(counters "$pid")
	begin_tool measured "$tool" -T -p "$pid" "$@" || return
	is "$(counters "$pid")" "$before" "the counters of the stopped process" || return
	go "$pid"
	command sleep "$seconds"
	stop "$pid" || return
	after=$(counters "$pid")
	STOPPED+=("$pid")
	end_tool measured || return
	read -r oracle_ns oracle_count oracle_voluntary oracle_nonvoluntary < <(
		echo "$before $after" | awk '{ for (i = 1; i <= 4; i++) printf "%.0f ", $(i + 4) - $i; print "" }'
	)
	: "$oracle_ns" "$oracle_count" "$oracle_voluntary" "$oracle_nonvoluntary"
	grep -E '^(check|end)' "$DIR/measured"
}

# check_value COLUMN [NAME]: of the check record, by default runqueue_wait.
check_value() { column "$DIR/measured" check "$1" "name=${2:-runqueue_wait}"; }

# agree [ORACLE_NS ORACLE_COUNT]: the process, the CPUs, the threads and the histogram of
# $DIR/measured all hold the same waits, and with an oracle it is what was measured and unseen. In
# one program: a hundred small ones take longer than the measurement where all is emulated.
agree() {
	awk -F'\t' -v exact=$# -v ns="${1-}" -v waits="${2-}" '
		function same(got, want, what) {
			if (got == want) return
			printf "%s: got %.0f, want %.0f\n", what, got, want
			bad = 1
		}
		/^#/ { for (i = 2; i <= NF; i++) at[substr($1, 2), $i] = i; next }
		{ row++ }
		$1 == "latency" {
			total[$2] += $at["latency", "total_ns"]
			count[$2] += $at["latency", "count"]
			if ($2 == "process")
				for (i = split("wakeups preemptions yields throttles", kind, " "); i; i--)
					kinds += $at["latency", kind[i]]
		}
		$1 == "hist" { hist += $at["hist", "count"] }
		$1 == "end" { lost += $at["end", "lost_events"]; full += $at["end", "full_maps"] }
		$1 == "check" {
			name = $at["check", "name"]
			difference[name] += $at["check", "difference"]
			measured[name] += $at["check", "measured"]
			unseen[name] += $at["check", "unseen"]
			kernel[name] += $at["check", "kernel"]
			uncounted[name] += $at["check", "uncounted"]
		}
		END {
			same(row > 2, 1, "there are rows")
			same(total["cpu"], total["process"], "total of the CPU rows")
			same(total["thread"], total["process"], "total of the thread rows")
			same(count["cpu"], count["process"], "count of the CPU rows")
			same(count["thread"], count["process"], "count of the thread rows")
			same(hist, count["process"], "count of the histogram")
			same(total["process"], measured["runqueue_wait"] + uncounted["runqueue_wait"],
				"measured + uncounted")
			same(kinds, count["process"], "sum of the kinds")
			if (!exact) exit bad
			same(difference["runqueue_wait"], 0, "difference in ns")
			same(difference["runqueue_count"], 0, "difference in waits")
			same(kernel["runqueue_wait"], ns, "the kernel\047s counter, as the report has it")
			same(measured["runqueue_wait"] + unseen["runqueue_wait"], ns, "measured + unseen")
			same(measured["runqueue_count"] + unseen["runqueue_count"], waits,
				"waits measured + unseen")
			same(lost, 0, "lost events")
			same(full, 0, "full maps")
			exit bad
		}' "$DIR/measured" >&2
}

# rows_agree: all parts of the report hold the same waits.
rows_agree() { agree; }

# agrees_exactly: measured + unseen is the oracle, and the report says so itself.
agrees_exactly() { agree "$oracle_ns" "$oracle_count" && unseen_is_allowed; }

# sum_of RECORD COLUMN [KEY=VALUE]...: over the matching records of $DIR/measured.
sum_of() { column "$DIR/measured" "$@" | awk '{ sum += $1 } END { printf "%.0f\n", sum }'; }

# Programs run everywhere but, on some kernels, not while a thread of PID 1 is current: then each
# switch to PID 1, which they do see, may be followed by one that they do not. Not so in guests.
blind_turns() {
	local in out
	if [ -n "${FAST_GUEST:-}" ]; then
		echo 0
		return
	fi
	IFS='= ' read -r _ in _ out <"$DIR/watcher"
	[ "$out" = 0 ] && echo "$in" || echo 0
}

# One wait at most ends with each unseen switch.
unseen_is_allowed() {
	local unseen turns
	unseen=$(check_value unseen runqueue_count)
	turns=$(blind_turns)
	[ "$unseen" -le "$turns" ] && return
	echo "$unseen waits unseen, with $turns switches from PID 1 unseen" >&2
	return 1
}

# stamps_agree THREADS NS COUNT: time stamps agree with the kernel's counter within 1 %. Where
# PID 1 has turns that no program sees, each hides the wakeup of every thread at most, and no
# wait so lost is longer than the longest of those seen.
stamps_agree() {
	local turns lost longest
	turns=$(blind_turns)
	lost=$(($3 - $(check_value measured runqueue_count)))
	longest=$(column "$DIR/measured" latency max_ns scope=process)
	echo "$lost of $3 waits not measured, $turns turns of PID 1, longest wait $longest ns"
	if [ "$turns" = 0 ] || [ "$lost" -lt 0 ]; then
		lost=0
	fi
	[ "$lost" -le $((turns * $1)) ] &&
		within "$(($(check_value measured runqueue_count) + lost))" "$3" 1 "waits measured" &&
		between $(($2 * 99 / 100 - lost * longest)) "$(check_value measured)" \
			$(($2 * 101 / 100)) "ns measured"
}

# start_postgres: a server of our own in $DIR; "${postgres[@]}" runs a command as its user.
start_postgres() {
	local bin
	bin=$(dirname "$(find /usr/lib/postgresql /usr/bin -name initdb 2>/dev/null | tail -1)")
	chmod 755 "$DIR"
	install -d -o postgres "$DIR/pg"
	postgres=(setpriv --reuid=postgres --regid=postgres --clear-groups
		env PATH="$PATH:$bin" PGHOST="$DIR/pg")
	"${postgres[@]}" initdb -D "$DIR/pg/data" >/dev/null
	begin server "${postgres[@]}" postgres -D "$DIR/pg/data" -k "$DIR/pg" -c listen_addresses=
	wait_until "${postgres[@]}" psql -c 'select 1' postgres
}

# backend_runs: a backend serves pgbench; its pid is then in $backend.
backend_runs() {
	backend=$("${postgres[@]}" psql -Atc "select pid from pg_stat_activity
		where application_name = 'pgbench' and query like '%aid%' limit 1" postgres)
	[ -n "$backend" ]
}
