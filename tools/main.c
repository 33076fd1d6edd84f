// SPDX-License-Identifier: GPL-2.0-or-later
/* Compiled once for each tool, with TOOL as the name of its descriptor. */
#include "common/tool.h"

extern const struct tool TOOL;

int main(int argc, char **argv)
{
	return tool_main(&TOOL, argc, argv);
}
