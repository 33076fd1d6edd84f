#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What the command lines of all tools take and refuse, by the tools' own tables of options.
# --help stands behind each value, so that one that is taken by mistake measures nothing.

load ../helpers

NUMBERS_BAD=('' ' 5' '5 ' 5x -1 +5 5.5 "1,5" 1e9 1e99 nan inf 0x10 10q 99999999999999999999)
TIMES_BAD=('' ' 5' '5 ' 5x -1 +5 .5 5. "1,5" 0 0s 1e9 1e99 nan inf 0x10 10q '10 s' 1h30m
	99999999999999999999 $'5\n6')

# bad_values TYPE WORDS: what such an option refuses, each ended by a NUL.
bad_values() {
	case $1 in
	time) printf '%s\0' "${TIMES_BAD[@]}" ;;
	time_unit) printf '%s\0' "${TIMES_BAD[@]}" 10 2.5 ;;
	number) printf '%s\0' "${NUMBERS_BAD[@]}" ;;
	size) printf '%s\0' "${NUMBERS_BAD[@]}" 1k 1T 1KiB ;;
	pid) printf '%s\0' "${NUMBERS_BAD[@]}" 0 4194305 self ;;
	string) printf '%s\0' '' ;;
	word) printf '%s\0' '' 0 nonsense "${2%% *}x" "${2:0:2}" "${2^^}" "$2" "${2%% *} " ;;
	*) echo "no values for type $1" ;;
	esac
}

good_values() {
	case $1 in
	time) printf '%s\n' 10 2.5 1h 0.5m 1ns 2147483648 ;;
	time_unit) printf '%s\n' 5ms 1.5us 1h 1ns ;;
	number) printf '%s\n' 1 007 ;;
	size) printf '%s\n' 1M ;;
	pid) printf '%s\n' 1 4194304 ;;
	string) printf '%s\n' x - ;;
	word) tr ' ' '\n' <<<"$2" ;;
	esac
}

# without_privilege COMMAND...: as a user that may not measure.
without_privilege() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --bounding-set=-all --inh-caps=-all "$@"
	else
		"$@"
	fi
}

# says PREFIX WHAT: the only line on stderr begins so.
says() {
	is "$(wc -l <"$DIR/err")" 1 "lines on stderr of $2" || return 1
	is "$(head -c "${#1}" "$DIR/err")" "$1" "stderr of $2"
}

@test "every tool: --describe-options has five fields, and no name or letter twice" {
	for tool in "${TOOLS[@]}"; do
		options_of "$tool" >"$DIR/options"
		is "$(awk -F'\t' 'NF != 5' "$DIR/options")" "" "other lines of $tool"
		is "$(cut -f1 "$DIR/options" | sort | uniq -d)" "" "names of $tool"
		is "$(cut -f2 "$DIR/options" | grep -v -e - | sort | uniq -d)" "" "letters of $tool"
		is "$(grep -vE '^[a-z]+(-[a-z]+)*'$'\t''[-a-zA-Z]'$'\t' "$DIR/options")" "" \
			"names and letters of $tool of another form"
		is "$(awk -F'\t' '($3 == "-") != ($4 == "flag")' "$DIR/options")" "" \
			"options of $tool that are half a flag"
	done
}

@test "every tool: an option without its argument is refused" {
	local name letter
	for tool in "${TOOLS[@]}"; do
		while IFS=$'\t' read -r name letter _; do
			usage_error "$tool" "--$name"
			usage_error "$tool" --help "--$name"
			[ "$letter" = - ] || usage_error "$tool" "-$letter"
		done < <(options_of "$tool" time time_unit number size pid string word)
	done
}

@test "every tool: a flag with an argument is refused" {
	local name
	for tool in "${TOOLS[@]}"; do
		while IFS=$'\t' read -r name _; do
			usage_error "$tool" "--$name=yes" --help
		done < <(options_of "$tool" flag)
	done
}

@test "every tool: bad values are refused, by type, in each spelling" {
	local name letter type words value tried=0
	for tool in "${TOOLS[@]}"; do
		while IFS=$'\t' read -r name letter _ type words; do
			while IFS= read -r -d '' value; do
				usage_error "$tool" "--$name=$value" --help
				usage_error "$tool" "--$name" "$value" --help
				tried=$((tried + 1))
				[ "$letter" = - ] && continue
				usage_error "$tool" "-$letter" "$value" --help
				[ -z "$value" ] || usage_error "$tool" "-$letter$value" --help
			done < <(bad_values "$type" "$words")
		done < <(options_of "$tool" time time_unit number size pid string word)
		between 50 "$tried" 100000 "values tried on $tool"
	done
}

@test "every tool: the message names the option and shows the value" {
	local message
	for tool in "${TOOLS[@]}"; do
		usage_error "$tool" --duration=10q
		message=$(head -n1 "$DIR/err")
		is "${message:0:$((${#tool} + 21))}" "$tool: --duration: '10q': " "its message"
		usage_error "$tool" -d 10q
		is "$(head -n1 "$DIR/err")" "$message" "the message of the letter"
	done
}

@test "every tool: good values are taken, by type, in each spelling" {
	local name letter type words value
	for tool in "${TOOLS[@]}"; do
		"$tool" --help >"$DIR/help"
		while IFS=$'\t' read -r name letter _ type words; do
			while read -r value; do
				run_tool "$tool" "--$name=$value" --help
				cmp "$DIR/help" "$DIR/out"
				run_tool "$tool" "--$name" "$value" --help
				[ "$letter" = - ] && continue
				run_tool "$tool" "-$letter" "$value" --help
				run_tool "$tool" "-$letter$value" --help
				is "$(cat "$DIR/err")" "" "stderr of $tool -$letter$value"
			done < <(good_values "$type" "$words")
		done < <(options_of "$tool" time time_unit number size pid string word)
	done
}

@test "every tool: the last of several durations counts, also for being wrong" {
	for tool in "${TOOLS[@]}"; do
		run_tool "$tool" -d 1h -d 2147483648 -p 1 --help
		usage_error "$tool" -d 1h -d 2147483648x -p 1 --help
	done
}

@test "every tool: a bare number in -t is refused with the units in the message" {
	for tool in "${TOOLS[@]}"; do
		options_of "$tool" time_unit | grep -q . || continue
		usage_error "$tool" -t 10 -p 1
		grep -q "(ns us ms s m h)" "$DIR/err"
	done
}

@test "every tool: an unknown option is refused" {
	for tool in "${TOOLS[@]}"; do
		usage_error "$tool" --no-such-option -p 1
		usage_error "$tool" -% -p 1
		usage_error "$tool" --help -%
		usage_error "$tool" --ver # verbose, version
	done
}

@test "every tool: two targets are refused" {
	for tool in "${TOOLS[@]}"; do
		usage_error "$tool" -p 1 -- true
		usage_error "$tool" -p 1 true
		usage_error "$tool" -p 1 -p 2
		usage_error "$tool" -p 1 -p 1
		usage_error "$tool" --pid=1 -d 1 -p 2
	done
}

@test "every tool: no target is refused" {
	for tool in "${TOOLS[@]}"; do
		usage_error "$tool"
		usage_error "$tool" -d 1
		usage_error "$tool" --
		grep -q "nothing to measure" "$DIR/err"
	done
}

@test "every tool: an interval and a count as further arguments are refused" {
	for tool in "${TOOLS[@]}"; do
		usage_error "$tool" -p 1 10 1
		usage_error "$tool" -p 1 10
		grep -q "'10'" "$DIR/err"
	done
}

@test "every tool: wrong usage is found before missing privilege" {
	local status args words
	requires cmd:setpriv
	for tool in "${TOOLS[@]}"; do
		for args in "-d 10q -p 1" "-p 1 -p 2" "-d 1" "-p 1 true" "--nonsense -p 1"; do
			read -r -a words <<<"$args"
			status=0
			without_privilege "$tool" "${words[@]}" >"$DIR/out" 2>"$DIR/err" || status=$?
			is "$status" 2 "status of $tool $args"
			is "$(wc -l <"$DIR/err")" 2 "its lines on stderr"
		done
	done
}

@test "every tool: missing privilege is found before the target or the output" {
	local status args words
	requires cmd:setpriv
	echo before >"$DIR/kept"
	for tool in "${TOOLS[@]}"; do
		for args in "-p 1" "-p 4194304" "-- /no/such/command" "-o /no/such/dir/f -p 1" \
			"-o $DIR/kept -p 1"; do
			read -r -a words <<<"$args"
			status=0
			without_privilege "$tool" "${words[@]}" >"$DIR/out" 2>"$DIR/err" || status=$?
			is "$status" 3 "status of $tool $args"
			is "$(cat "$DIR/out")" "" "its stdout"
			says "$tool: measuring needs root" "$tool $args"
		done
	done
	is "$(cat "$DIR/kept")" before "the file of -o"
}

@test "every tool: --help and --columns need no privilege" {
	local status option
	requires cmd:setpriv
	for tool in "${TOOLS[@]}"; do
		for option in --help --version --columns --describe-options; do
			status=0
			without_privilege "$tool" "$option" >"$DIR/out" 2>"$DIR/err" || status=$?
			is "$status" 0 "status of $tool $option"
		done
	done
}

# german COMMAND...: where a comma is the decimal point.
german() { LOCPATH=$LOCALES LC_ALL=de_DE.UTF-8 LANGUAGE=de "$@"; }

german_or_skip() {
	LOCALES=
	if ! locale -a | grep -qiE '^de_DE\.utf-?8$'; then
		requires cmd:localedef
		LOCALES=$DIR/locales
		mkdir "$LOCALES"
		localedef -i de_DE -f UTF-8 "$LOCALES/de_DE.UTF-8" 2>/dev/null ||
			[ -d "$LOCALES/de_DE.UTF-8" ] || skip "needs the sources of de_DE"
	fi
	[ -n "$LOCALES" ] || german() { LC_ALL=de_DE.UTF-8 LANGUAGE=de "$@"; }
	is "$(german locale decimal_point)" , "the decimal point here"
}

@test "every tool: numbers are the same in a German locale" {
	german_or_skip
	for tool in "${TOOLS[@]}"; do
		german run_tool "$tool" -d 2.5 --help
		is "$(cat "$DIR/out")" "$("$tool" --help)" "German help"
		german usage_error "$tool" -d 2,5 --help
		german usage_error "$tool" -d 1.000,5 --help
		german usage_error "$tool" -p 1.000 --help
	done
	german usage_error fast-workload hog --duration=0,1
	german run_tool fast-workload hog --duration=0.1
}
