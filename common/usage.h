// SPDX-License-Identifier: GPL-2.0-or-later
/* A tool's command line: the common options, --help, --version, --columns. */
#pragma once

#include "common/tool.h"

/* What to do after parsing: go on, or exit with the status. */
struct usage_result {
	bool done;
	int status;
	char **command; /* NULL when -p was given */
};

/* Parses and checks the command line, prints help and the like. */
struct usage_result usage_parse(struct session *session, int argc, char **argv);
