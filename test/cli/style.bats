#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later

load ../helpers

@test "style: the source holds its own rules" {
	requires cmd:clang-format cmd:shellcheck
	run "$SOURCE_DIR/build-aux/check-style"
	echo "$output"
	is "$status" 0 "status of check-style"
}

@test "the completion scripts have no fault that shellcheck sees" {
	requires cmd:shellcheck
	shellcheck -s bash "$SOURCE_DIR"/packaging/bash-completion/fast-{sched,workload}
}
