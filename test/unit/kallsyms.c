// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>

#include "common/kallsyms.h"
#include "common/util.h"
#include "test/unit/tap.h"

static const struct {
	const char *tree, *name;
	int err;
	uint64_t want;
	const char *what;
} rows[] = {
	{"kallsyms", "runqueues", 0, 0x33440, "an offset within the CPUs' areas"},
	{"kallsyms", "__preempt_count", 0, 0x1fb80, "another one"},
	{"kallsyms", "_stext", 0, 0xffffffff81000000, "an address"},
	{"kallsyms", "twice", 0, 0xffffffff81000010, "the first of a name counts"},
	{"kallsyms", "in_module", 0, 0xffffffffc0000000, "a module's symbol"},
	{"kallsyms", "last_without_newline", 0, 0xffffffffc0000010, "the last line"},
	{"kallsyms", "runqueue", 0, 0, "the beginning of a name is not it"},
	{"kallsyms", "broken", 0, 0, "an address with another letter"},
	{"kallsyms", "glued", 0, 0, "an address with its type at once"},
	{"kallsyms", "too_long", 0, 0, "an address of more than 64 bits"},
	{"kallsyms", "", 0, 0, "a line without a name"},
	{"kallsyms-hidden", "runqueues", 0, 0, "hidden"},
	{"none", "runqueues", -ENOENT, 7, "a system without /proc leaves the value"},
};

int main(void)
{
	static const char *const two[] = {"runqueues", "__preempt_count"};
	uint64_t values[] = {7, 7};
	char path[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t value = 7;

		snprintf(path, sizeof(path), "%s/test/data/%s", tap_srcdir(),
			 rows[i].tree);
		is_int(kallsyms_find(path, &rows[i].name, 1, &value), rows[i].err,
		       "%s: %s: result", rows[i].tree, rows[i].what);
		is_u64(value, rows[i].want, "%s: %s", rows[i].tree, rows[i].what);
	}
	snprintf(path, sizeof(path), "%s/test/data/kallsyms", tap_srcdir());
	is_int(kallsyms_find(path, two, 2, values), 0, "two at once");
	is_u64(values[0] - values[1], 0x138c0, "in the order of the names");
	return done_testing();
}
