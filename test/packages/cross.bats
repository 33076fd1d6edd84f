#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The build for another architecture.

load ../helpers

@test "arm64: everything is built by a cross compiler, without a warning" {
	requires cmd:aarch64-linux-gnu-gcc
	TOOL_TIMEOUT=600 run_tool "$SOURCE_DIR/test/kernels/cross" \
		"${FAST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/fast-tools}" "$SOURCE_DIR" "$DIR/arm64"
	run ! grep -i 'warning:' "$DIR/out" "$DIR/err"
	for program in "${TOOLS[@]}" fast-workload; do
		is "$(od -An -tu2 -j18 -N2 "$DIR/arm64/$program" | tr -d ' ')" 183 "EM_AARCH64 of $program"
	done
}
