#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion on the command line of bash.

load ../helpers

# complete_words WORD...: what is offered for the last one, one a line, sorted.
complete_words() {
	bash --norc -c '
		. "$1"
		shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
		compopt() { :; }
		"$(complete -p "$1" | sed "s/.*-F \([^ ]*\).*/\1/")"
		printf "%s\n" "${COMPREPLY[@]}"' - "$completions/$1" "$@" | sort
}

setup() {
	fast_setup
	completions=$SOURCE_DIR/packaging/bash-completion
	[ -e "$completions/fast-sched" ]
}

@test "every tool: completion offers each option, and no other" {
	for tool in "${TOOLS[@]}"; do
		want=$("$tool" --describe-options | awk -F'\t' '$1 != "describe-options" {
			print "--" $1 ($3 == "-" ? "" : "=")
			if ($2 != "-") print "-" $2 }' | sort)
		is "$(complete_words "$tool" -)" "$want" "offers for '-' of $tool"
		is "$(complete_words "$tool" --form)" --format= "offers for --form of $tool"
	done
}

@test "every tool: completion offers the words of an option that takes one" {
	for tool in "${TOOLS[@]}"; do
		while IFS=$'\t' read -r name _ _ _ words; do
			want=$(tr ' ' '\n' <<<"$words" | sort)
			is "$(complete_words "$tool" "--$name" = '')" "$want" "words of --$name="
			is "$(complete_words "$tool" "--$name" '')" "$want" "words of --$name"
			is "$(complete_words "$tool" "--$name" = "${words%% *}")" "${words%% *}" "one word"
		done < <(options_of "$tool" word)
	done
}

@test "every tool: completion offers processes for -p and files for -o" {
	touch "$DIR/a file"
	for tool in "${TOOLS[@]}"; do
		complete_words "$tool" -p '' | grep -qx $$
		complete_words "$tool" --pid = '' | grep -qx 1
		is "$(complete_words "$tool" -o "$DIR/a")" "$DIR/a file" "files for -o"
	done
}

@test "every tool: completion knows where a command begins" {
	for tool in "${TOOLS[@]}"; do
		complete_words "$tool" -d 5 -- awk | grep -qx awk
		complete_words "$tool" --format = tsv awk | grep -qx awk
		# Then options are the command's.
		is "$(complete_words "$tool" -- awk --form)" "" "options behind a command"
		is "$(complete_words "$tool" awk --form)" "" "options behind a command without --"
		is "$(complete_words "$tool" -d 5 --form)" --format= "options behind an argument"
	done
}

@test "fast-workload: completion offers loads, then their options" {
	loads=$(fast-workload --describe-loads | awk -F'\t' 'NF == 1')
	is "$(complete_words fast-workload '')" "$(printf '%s\n' "$loads" --help --version | sort)" "loads"
	complete_words fast-workload hog -- | grep -qx -- --workers=
	complete_words fast-workload hog -- | grep -qx -- --duration=
	is "$(complete_words fast-workload pingpong --wor)" "" "an option of another load"
}
