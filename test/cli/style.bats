#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later

load ../helpers

@test "style: the source holds its own rules" {
	requires cmd:clang-format cmd:shellcheck
	run "$SOURCE_DIR/build-aux/check-style"
	echo "$output"
	is "$status" 0 "status of check-style"
}
