# SPDX-License-Identifier: GPL-2.0-or-later
# Pages are made from --help and an include file, into the source tree, and distributed:
# who builds a tarball needs no help2man. The program is an order-only prerequisite.

man_pages = man/fast-sched.8 man/fast-workload.8
man_includes = $(man_pages:.8=.x)

dist_man_MANS += $(man_pages)
EXTRA_DIST += $(man_includes)
MAINTAINERCLEANFILES += $(man_pages)
CLEANFILES += man/*.columns

man/fast-sched.8: man/fast-sched.x tools/fast-sched.c tools/sched_rows.c common/usage.c \
		common/records.h configure.ac | fast-sched
man/fast-workload.8: man/fast-workload.x workloads/fast-workload.c configure.ac | fast-workload

# The columns of a tool's records are a section of their own, from --columns. fast-workload
# has no records.
columns_section = \
	NR == 1 { print "[RECORDS]" } \
	NR > 1 && $$1 != record { record = $$1; printf ".SS %s\n", record } \
	NR > 1 { printf ".TP\n.B %s\n%s\n", $$2, $$5 }

if !CROSS_COMPILING
$(man_pages): man/%.8:
	$(AM_V_GEN)$(MKDIR_P) man && { ./$* --columns 2>/dev/null | \
		$(AWK) -F'	' '$(columns_section)' >man/$*.columns; } && \
	{ test -s man/$*.columns || rm -f man/$*.columns; } && \
	$(HELP2MAN) --section=8 --no-info --include=$(srcdir)/man/$*.x \
		--opt-include=man/$*.columns \
		--source="fast-tools $(VERSION)" --manual="fast-tools" \
		--output=$(srcdir)/$@-t ./$* && mv $(srcdir)/$@-t $(srcdir)/$@
endif
