// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines are "address type name", modules' ones with the module in brackets after a tab. */
#include "common/kallsyms.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/parse.h"

/* Cuts the name out of a line. False when it is none of a symbol. */
static bool read_line(char *line, uint64_t *value, const char **name)
{
	const char *end = line;
	char *rest;

	if (parse_field_hex(&end, value))
		return false;
	rest = line + (end - line);
	if (rest[0] != ' ' || !rest[1] || rest[2] != ' ')
		return false;
	*name = rest + 3;
	rest[3 + strcspn(rest + 3, "\t\n")] = '\0';
	return **name != '\0';
}

int kallsyms_find(const char *root, const char *const *names, size_t count,
		  uint64_t *values)
{
	char path[PATH_MAX], *line = NULL;
	uint64_t *found, value;
	const char *name;
	size_t size = 0, i;
	FILE *file;
	int err;

	if (snprintf(path, sizeof(path), "%s/proc/kallsyms", root) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	found = calloc(count + 1, sizeof(*found));
	if (!found)
		return -ENOMEM;
	file = fopen(path, "re");
	if (!file) {
		err = -errno;
		free(found);
		return err;
	}
	errno = 0;
	while (getline(&line, &size, file) > 0) {
		if (!read_line(line, &value, &name))
			continue;
		for (i = 0; i < count; i++)
			if (!found[i] && !strcmp(name, names[i]))
				found[i] = value;
	}
	err = ferror(file) ? -errno : 0;
	if (!err)
		memcpy(values, found, count * sizeof(*values));
	fclose(file);
	free(line);
	free(found);
	return err;
}
