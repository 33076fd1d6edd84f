#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --columns of all tools: what records are called, and in which units.
# shellcheck disable=SC2016

load ../helpers

# lines_where CONDITION: the columns of all tools for which it holds, TOOL before each.
lines_where() {
	local tool
	for tool in "${TOOLS[@]}"; do
		"$tool" --columns | sed 1d |
			awk -F'\t' -v tool="$tool" "$1"' { print tool ": " $1 "." $2, $3 }'
	done
}

@test "every tool: --columns is TSV of five fields under a header" {
	for tool in "${TOOLS[@]}"; do
		run_tool "$tool" --columns
		is "$(head -n1 "$DIR/out")" $'#record\tcolumn\tunit\tkind\tmeaning' "its header"
		is "$(cat "$DIR/err")" "" "stderr of $tool"
		between 20 "$(wc -l <"$DIR/out")" 1000 "lines of $tool"
	done
	is "$(lines_where 'NF != 5')" "" "lines of another length"
}

@test "every tool: --columns has the records that all tools write" {
	for tool in "${TOOLS[@]}"; do
		for record in run check cost end; do
			between 1 "$("$tool" --columns | grep -c "^$record"$'\t')" 100 \
				"columns of $record in $tool"
		done
	done
}

@test "every tool: names of records and columns are snake_case" {
	is "$(lines_where '$1 !~ /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/')" "" "other records"
	is "$(lines_where '$2 !~ /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/')" "" "other columns"
}

@test "every tool: a record has no column twice, and none called type" {
	is "$(lines_where 'seen[$1, $2]++')" "" "columns seen twice"
	is "$(lines_where '$2 == "type"')" "" "columns that JSON could not tell from the record"
}

@test "every tool: the columns of a record stand together" {
	is "$(lines_where '$1 != last { if (seen[$1]++) found = 1 } { last = $1 } found')" "" \
		"from the first column that does not"
}

@test "every tool: each column has a meaning, a unit and a kind" {
	is "$(lines_where '$5 !~ /[a-z]/')" "" "without a meaning"
	is "$(lines_where '$3 !~ /^(-|ns|bytes|pct|per_s|hz)$/')" "" "with an unknown unit"
	is "$(lines_where '$4 !~ /^(integer|signed|ratio|time|word|text)$/')" "" \
		"with an unknown kind"
}

@test "every tool: a quantity ends in its unit" {
	is "$(lines_where '$3 != "-" && $2 !~ ("_" $3 "$")')" "" "units without the name"
}

@test "every tool: a name that ends in a unit has that unit" {
	is "$(lines_where '$3 == "-" && $2 ~ /_(ns|us|ms|s|bytes|kb|pct|per_s|hz)$/')" "" \
		"names without the unit"
}

@test "every tool: no meaning is longer than 160 characters or ends in a dot" {
	is "$(lines_where 'length($5) > 160 || $5 ~ /\.$/')" "" "such meanings"
}

@test "every tool: OUTPUT in the man page has an entry for each record" {
	for tool in "${TOOLS[@]}"; do
		[ -e "$SOURCE_DIR/man/$tool.8" ] || skip "no man page"
		sed -n '/^\.SH OUTPUT/,/^\.SH [^O]/p' "$SOURCE_DIR/man/$tool.8" |
			sed -n '/^\.TP$/{n;s/^\.B //p}' | sort >"$DIR/man"
		"$tool" --columns | sed 1d | cut -f1 | sort -u >"$DIR/records"
		is "$(cat "$DIR/man")" "$(cat "$DIR/records")" "entries in the page of $tool"
	done
}

@test "every tool: a column that the man page names exists" {
	for tool in "${TOOLS[@]}"; do
		[ -e "$SOURCE_DIR/man/$tool.8" ] || skip "no man page"
		"$tool" --columns | cut -f2 | sort -u >"$DIR/columns"
		"$tool" --columns | sed 1d | cut -f3-5 | tr -c 'a-z0-9_' '\n' |
			sort -u >"$DIR/words"
		sed -n '/^\.SH OUTPUT/,/^\.SH [^O]/p' "$SOURCE_DIR/man/$tool.8" |
			grep -oE '\b[a-z0-9]+(_[a-z0-9]+)+\b' | sort -u |
			comm -23 - "$DIR/columns" | comm -23 - "$DIR/words" >"$DIR/unknown"
		is "$(cat "$DIR/unknown")" "" "names in the page of $tool"
	done
}
