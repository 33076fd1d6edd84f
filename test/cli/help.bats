#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --help, --version and the man pages of all tools.

load ../helpers

# What a tool and fast-workload print and then exit.
INFO=(--help --version --columns --describe-options)

# man_page TOOL: its source with plain dashes, or a failure when there is none.
man_page() {
	sed 's/\\-/-/g' "$SOURCE_DIR/man/$1.8" 2>/dev/null
}

has_man_page() { [ -e "$SOURCE_DIR/man/$1.8" ]; }

@test "every tool: --help is on stdout, silent on stderr, and ends with 0" {
	for tool in "${TOOLS[@]}" fast-workload; do
		run_tool "$tool" --help
		is "$(cat "$DIR/err")" "" "stderr of $tool"
		is "$(sed -n '1s/ .*//p' "$DIR/out")" "Usage:" "the first word of $tool"
	done
}

@test "every tool: no line of --help is wider than 80 columns" {
	for tool in "${TOOLS[@]}" fast-workload; do
		is "$("$tool" --help | awk 'length > 80')" "" "long lines of $tool"
	done
}

@test "every tool: no line of --help ends in a blank" {
	for tool in "${TOOLS[@]}" fast-workload; do
		is "$("$tool" --help | grep ' $')" "" "such lines of $tool"
	done
}

@test "every tool: --help has each option with its letter and argument" {
	local name letter arg
	for tool in "${TOOLS[@]}"; do
		"$tool" --help >"$DIR/help"
		while IFS=$'\t' read -r name letter arg _; do
			[ "$name" = describe-options ] && continue # for completion and tests
			[ "$letter" = - ] && letter="   " || letter="-$letter,"
			[ "$arg" = - ] && arg="" || arg="=$arg"
			is "$(grep -cE "^  $letter --$name$arg( |$)" "$DIR/help")" 1 \
				"lines of --$name$arg in $tool --help"
		done < <(options_of "$tool")
	done
}

@test "every tool: --help has no option that the tool does not take" {
	for tool in "${TOOLS[@]}"; do
		options_of "$tool" | cut -f1 >"$DIR/names"
		while read -r name; do
			is "$(grep -cx -e "$name" "$DIR/names")" 1 "--$name of $tool --help"
		done < <("$tool" --help | sed -nE 's/^  (-.,|   ) --([^ =]+).*/\2/p')
	done
}

@test "every tool: an option in the examples of --help is one that it takes" {
	local status words
	for tool in "${TOOLS[@]}"; do
		while read -r -a words; do
			status=0
			"$tool" --help "${words[@]}" >"$DIR/out" 2>"$DIR/err" || status=$?
			is "$status" 0 "status of $tool ${words[*]}"
		done < <("$tool" --help |
			sed -n "/^Examples:/,/^$/s/^  $tool \(.*[^ ]\)   *[^ ].*/\1/p")
		is "$(test -s "$DIR/out" && echo shown)" shown "the examples of $tool"
	done
}

@test "every tool: -h and --help are the same, as are -V and --version" {
	for tool in "${TOOLS[@]}"; do
		is "$("$tool" -h)" "$("$tool" --help)" "$tool -h"
		is "$("$tool" -V)" "$("$tool" --version)" "$tool -V"
	done
}

@test "every tool: --version is 'TOOL (fast-tools) VERSION' in its first line" {
	for tool in "${TOOLS[@]}" fast-workload; do
		run_tool "$tool" --version
		is "$(cat "$DIR/err")" "" "stderr of $tool"
		is "$(sed -nE '1s/ [0-9]+\.[0-9]+[^ ]*$/ VERSION/p' "$DIR/out")" \
			"$tool (fast-tools) VERSION" "the form of $tool --version"
	done
}

@test "every tool: all programs of a build have one version" {
	for tool in "${TOOLS[@]}"; do
		is "$("$tool" --version | sed -n '1s/.* //p')" \
			"$(fast-workload --version | sed -n '1s/.* //p')" "version of $tool"
	done
}

@test "every tool: --help is printed whatever flags come before or after it" {
	local flags before after
	for tool in "${TOOLS[@]}"; do
		"$tool" --help >"$DIR/help"
		mapfile -t flags < <(options_of "$tool" flag | cut -f1)
		for before in "${flags[@]}"; do
			for after in "${flags[@]}"; do
				run_tool "$tool" "--$before" "--$after" --help
				cmp "$DIR/help" "$DIR/out"
			done
			run_tool "$tool" --help "--$before"
			cmp "$DIR/help" "$DIR/out"
		done
	done
}

@test "every tool: --help does not look at the target" {
	for tool in "${TOOLS[@]}"; do
		run_tool "$tool" -p 4194304 --help
		run_tool "$tool" --help -p 4194304 no such command
		run_tool "$tool" --help -- no such command
	done
}

@test "every tool: a --help behind the command is the command's" {
	for tool in "${TOOLS[@]}"; do
		usage_error "$tool" -p 1 echo --help
	done
}

@test "every tool: a full disk makes --help and its like end with 1 and say why" {
	local status option
	for tool in "${TOOLS[@]}"; do
		for option in "${INFO[@]}"; do
			status=0
			"$tool" "$option" >/dev/full 2>"$DIR/err" || status=$?
			is "$status" 1 "status of $tool $option"
			is "$(cat "$DIR/err")" "$tool: write error: No space left on device" \
				"stderr of $tool $option"
		done
	done
	status=0
	fast-workload --help >/dev/full 2>"$DIR/err" || status=$?
	is "$status" 1 "status of fast-workload --help"
	is "$(wc -l <"$DIR/err")" 1 "its lines on stderr"
}

@test "every tool: a closed stdout makes --help and its like end with 1 and say so" {
	local status option
	for tool in "${TOOLS[@]}"; do
		for option in "${INFO[@]}"; do
			status=0
			"$tool" "$option" >&- 2>"$DIR/err" || status=$?
			is "$status" 1 "status of $tool $option"
			is "$(cat "$DIR/err")" "$tool: write error: Bad file descriptor" \
				"stderr of $tool $option"
		done
	done
	status=0
	fast-workload --help >&- 2>"$DIR/err" || status=$?
	is "$status" 1 "status of fast-workload --help"
	is "$(wc -l <"$DIR/err")" 1 "its lines on stderr"
}

@test "every tool: the man page has each option" {
	local name letter arg
	for tool in "${TOOLS[@]}"; do
		has_man_page "$tool" || skip "no man page"
		man_page "$tool" | sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' >"$DIR/man"
		while IFS=$'\t' read -r name letter arg _; do
			[ "$name" = describe-options ] && continue
			[ "$letter" = - ] && letter="" || letter="\\fB-$letter\\fR, "
			[ "$arg" = - ] && arg="" || arg="=\\fI\\,$arg\\/\\fR"
			is "$(grep -cxF -e "$letter\\fB--$name\\fR$arg" "$DIR/man")" 1 \
				"entries of --$name in the page of $tool"
		done < <(options_of "$tool")
	done
}

@test "every tool: the man page's NAME line is the one that whatis finds" {
	requires cmd:lexgrog
	for tool in "${TOOLS[@]}" fast-workload; do
		has_man_page "$tool" || skip "no man page"
		lexgrog "$SOURCE_DIR/man/$tool.8" >"$DIR/name"
		is "$(cut -d'"' -f2 "$DIR/name" | sed 's/ - .*//')" "$tool" "name in the page"
	done
}

@test "every tool: man has nothing to complain about in the page" {
	requires cmd:man
	for tool in "${TOOLS[@]}" fast-workload; do
		has_man_page "$tool" || skip "no man page"
		man --warnings -E UTF-8 -l -Tutf8 -Z "$SOURCE_DIR/man/$tool.8" \
			>"$DIR/out" 2>"$DIR/err"
		is "$(cat "$DIR/err")" "" "what man says about $tool"
		grep -q . "$DIR/out"
	done
}
