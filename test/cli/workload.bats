#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fast-workload: loads and options as its own --help lists them.
# shellcheck disable=SC2154

load ../helpers

TIMES_BAD=('' ' 5' '5 ' 5x -1 +5 .5 '1,5' 0 0s 1e9 nan inf 0x10 10q 99999999999999999999)
NUMBERS_BAD=('' ' 5' '5 ' 5x +5 5.5 '1,5' 1e9 nan inf 0x10 - -- 99999999999999999999)

# loads: the first name of each.
loads() {
	fast-workload --help | sed -n '/^Loads:/,/^$/s/^  \([a-z][a-z]*\).*/\1/p'
}

# names: all of them, aliases too.
names() {
	fast-workload --help | sed -n '/^Loads:/,/^$/s/^  \([a-z]\)/\1/p' |
		sed 's/   *.*//; s/, /\n/g'
}

# options: load, name and argument of each option; the common ones are those of each load.
options() {
	local kind
	fast-workload --help >"$DIR/help"
	while read -r kind; do
		sed -n "/^Options:/,/^$/p; /^Options of $kind:/,/^$/p" "$DIR/help" |
			sed -nE "s/^  --([a-z]+)=?([A-Z]*) .*/$kind \1 \2/p"
	done < <(loads)
}

# truths FILE: nothing when it is pid=N and then NAME=N lines up to elapsed_ns.
truths() {
	awk -F= 'NR == 1 && $1 != "pid" || NR > 1 && $1 == "pid" || NF != 2 ||
		$1 !~ /^[a-z_]+$/ || $2 !~ /^[0-9]+$/ || seen[$1]++
		{ last = $1 } END { if (last != "elapsed_ns") print "last: " last }' "$1"
}

# load_begin NAME [OPTION]...: begins it as $load, without the file of one before.
load_begin() {
	rm -f "$DIR/load"
	begin_load load "$@"
}

gone() { ! kill -0 "$1" 2>/dev/null; }

children() { pgrep -P "$1"; }

@test "fast-workload: a short run of every load tells its pid and then its truth" {
	local tried=0 elapsed
	while read -r name; do
		run_tool fast-workload "$name" --duration=100ms
		is "$(cat "$DIR/err")" "" "stderr of $name"
		is "$(truths "$DIR/out")" "" "lines of another form of $name"
		between 3 "$(wc -l <"$DIR/out")" 20 "lines of $name"
		elapsed=$(sed -n 's/^elapsed_ns=//p' "$DIR/out")
		between 100000000 "$elapsed" 5000000000 "elapsed_ns of $name"
		tried=$((tried + 1))
	done < <(names)
	between 6 "$tried" 100 "loads tried"
}

@test "fast-workload: the pid it tells is its own, and the truth comes only at the end" {
	while read -r name; do
		load_begin "$name" --duration=60
		is "$(truth load pid)" "$load" "pid of $name"
		is "$(wc -l <"$DIR/load")" 1 "its lines while it runs"
		kill "$load"
		end_of load
	done < <(loads)
}

@test "fast-workload: SIGTERM and SIGINT end every load early, with its truth and 0" {
	local status signal
	while read -r name; do
		for signal in TERM INT; do
			load_begin "$name" --duration=60
			kill -s "$signal" "$load"
			status=0
			end_of load || status=$?
			is "$status" 0 "status of $name after SIG$signal"
			is "$(truths "$DIR/load")" "" "lines of another form of $name"
			between 0 "$(truth load elapsed_ns)" 20000000000 "its elapsed_ns"
		done
	done < <(loads)
}

@test "fast-workload: no process is left behind, however it ends" {
	local forking signal children
	requires cmd:pgrep
	mapfile -t forking < <(options | awk '$2 == "processes" { print $1 }')
	between 2 "${#forking[@]}" 100 "loads with --processes"
	for name in "${forking[@]}"; do
		for signal in TERM INT KILL; do
			load_begin "$name" --processes --duration=60
			mapfile -t children < <(children "$load")
			between 1 "${#children[@]}" 1000 "processes of $name"
			kill -s "$signal" "$load"
			end_of load || [ "$signal" = KILL ]
			for child in "${children[@]}"; do
				wait_until gone "$child"
			done
		done
	done
}

@test "fast-workload: a worker process that is killed is a failure, and ends the others" {
	local status child children
	requires cmd:pgrep
	load_begin hog --processes --workers=2 --duration=60
	mapfile -t children < <(children "$load")
	is "${#children[@]}" 2 "its processes"
	kill -KILL "${children[0]}"
	status=0
	end_of load || status=$?
	is "$status" 1 "its status"
	grep -q "^fast-workload: .*killed by signal 9" "$DIR/load.err"
	is "$(truth load elapsed_ns)" "" "its truth"
	for child in "${children[@]}"; do
		wait_until gone "$child"
	done
}

@test "fast-workload: an unknown, missing or late load is refused" {
	usage_error fast-workload
	usage_error fast-workload sleep
	usage_error fast-workload HOG
	usage_error fast-workload ho
	usage_error fast-workload ''
	usage_error fast-workload --duration=1
	usage_error fast-workload --duration=1 hog
	usage_error fast-workload hog hog
	usage_error fast-workload hog 10
}

@test "fast-workload: an unknown option, or another load's, is refused" {
	local kind name
	usage_error fast-workload hog --nonsense
	usage_error fast-workload hog -d 1
	usage_error fast-workload hog --dur=1
	usage_error fast-workload hog --durationx=1
	usage_error fast-workload hog --
	usage_error fast-workload hog -
	options | sort >"$DIR/options"
	while read -r kind; do
		while read -r name; do
			grep -q "^$kind $name " "$DIR/options" ||
				usage_error fast-workload "$kind" "--$name=1"
		done < <(cut -d' ' -f2 "$DIR/options" | sort -u)
	done < <(loads)
}

@test "fast-workload: bad values are refused, by the argument's name, in both spellings" {
	local kind name argument values tried=0
	while read -r kind name argument; do
		case $argument in
		TIME) values=("${TIMES_BAD[@]}") ;;
		N) values=("${NUMBERS_BAD[@]}") ;;
		TEXT) values=('' 0123456789abcdef) ;;
		'')
			usage_error fast-workload "$kind" "--$name=" --help
			usage_error fast-workload "$kind" "--$name=yes" --help
			continue
			;;
		*) is "$argument" known "argument of --$name" ;;
		esac
		usage_error fast-workload "$kind" "--$name"
		usage_error fast-workload "$kind" --help "--$name"
		for value in "${values[@]}"; do
			usage_error fast-workload "$kind" "--$name=$value" --help
			usage_error fast-workload "$kind" "--$name" "$value" --help
			tried=$((tried + 1))
		done
	done < <(options | sort -u -k2,2)
	between 50 "$tried" 10000 "values tried"
}

@test "fast-workload: numbers outside of their range are refused" {
	usage_error fast-workload hog --workers=0
	usage_error fast-workload hog --workers=10001
	usage_error fast-workload hog --nice=20
	usage_error fast-workload hog --nice=-21
	usage_error fast-workload hog --cpu=1024
	usage_error fast-workload threads --threads=0
	usage_error fast-workload pingpong --rounds=0
	usage_error fast-workload threads --stay --life=5ms
	run_tool fast-workload hog --nice=-20 --workers=10000 --cpu=1023 --help
	run_tool fast-workload hog --name=0123456789abcde --duration=1ns --help
}

@test "fast-workload: --help is printed with or without a load, before or after options" {
	fast-workload --help >"$DIR/help"
	for args in "hog --help" "--help --duration=1" "hog --duration=1 --help" \
		"--version --help" "target --help --busy=1ms"; do
		read -r -a words <<<"$args"
		run_tool fast-workload "${words[@]}"
		cmp "$DIR/help" "$DIR/out"
	done
}

@test "fast-workload: a CPU that is not there is a failure" {
	run_tool 1 fast-workload hog --cpu=1023 --duration=1ms
	grep -q "^fast-workload: cannot run on CPU 1023: " "$DIR/err"
	is "$(cat "$DIR/out")" "" "its stdout"
}

@test "fast-workload: a full disk or a closed stdout is a failure" {
	local status=0
	fast-workload hog --duration=1ms >/dev/full 2>"$DIR/err" || status=$?
	is "$status" 1 "status with a full disk"
	grep -q "^fast-workload: .*No space left" "$DIR/err"
	status=0
	fast-workload hog --duration=1ms >&- 2>"$DIR/err" || status=$?
	is "$status" 1 "status with a closed stdout"
}

@test "fast-workload: --wait stops it until SIGCONT, when its time begins" {
	load_begin hog --wait --workers=1 --duration=200ms
	wait_until all_stopped "$load"
	command sleep 1
	is "$(wc -l <"$DIR/load")" 1 "lines while it is stopped"
	go "$load"
	end_of load
	between 200000000 "$(truth load elapsed_ns)" 900000000 "elapsed_ns"
}

@test "fast-workload: --name and --cpu hold for every thread" {
	local task cpu
	cpu=$(taskset -cp $$ | sed 's/.*[: ]\([0-9]*\)[-,]*.*$/\1/')
	load_begin threads --threads=5 --stay --name="a name" --cpu="$cpu" --duration=60
	is "$(cat /proc/"$load"/task/*/comm | wc -l)" 6 "its threads"
	for task in /proc/"$load"/task/*; do
		is "$(cat "$task/comm")" "a name" "name of $task"
		is "$(sed -n 's/^Cpus_allowed_list:\t//p' "$task/status")" "$cpu" "CPUs of $task"
	done
}

@test "fast-workload: hog tells the CPU time that the kernel booked for it" {
	load_begin hog --workers=1 --duration=300ms
	end_of load
	between 1000000 "$(truth load cpu_ns)" $(($(truth load elapsed_ns) + 50000000)) cpu_ns
	between 1 "$(truth load loops)" 1e12 "loops"
}

@test "fast-workload: target counts its periods, kept or missed" {
	load_begin target --period=10ms --duration=305ms
	end_of load
	# A last period that is late counts those that it misses after the end.
	between 29 "$(($(truth load periods) + $(truth load missed)))" 45 "periods"
	between "$(truth load late_max_ns)" "$(truth load late_total_ns)" 1e12 "late_total_ns"
}

@test "fast-workload: pingpong ends after its rounds, with threads and with processes" {
	for processes in "" --processes; do
		load_begin pingpong --rounds=100 --duration=60 $processes
		end_of load
		is "$(truth load rounds)" 100 "rounds $processes"
		between 1 "$(truth load per_round_ns)" "$(truth load elapsed_ns)" per_round_ns
		between 0 "$(truth load elapsed_ns)" 20000000000 "elapsed_ns $processes"
	done
}

@test "fast-workload: threads that live 5 ms are replaced, and all of them counted" {
	load_begin threads --threads=2 --life=5ms --duration=200ms
	end_of load
	between 10 "$(truth load created)" 82 "threads created"
	is "$(truth load ended)" "$(truth load created)" "threads ended"
}
