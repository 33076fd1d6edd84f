# SPDX-License-Identifier: GPL-2.0-or-later
# Packages, and what they hold besides programs and pages. Completions are made like pages: into
# the source tree, and distributed, so that a cross build need not run what it built.

completions = packaging/bash-completion/fast-sched packaging/bash-completion/fast-workload

completionsdir = $(datadir)/bash-completion/completions
dist_completions_DATA = $(completions)
MAINTAINERCLEANFILES += $(completions)
EXTRA_DIST += packaging/README.md packaging/bash-completion/tool.awk \
	packaging/bash-completion/workload.awk packaging/build packaging/debian/changelog.in \
	packaging/debian/control packaging/debian/copyright \
	packaging/debian/fast-tools.lintian-overrides packaging/debian/rules \
	packaging/debian/source/format packaging/rpm/fast-tools.spec.in packaging/rpm/rpmlint.toml
# rpmbuild looks for a spec file in the tarball.
EXTRA_DIST += packaging/rpm/fast-tools.spec packaging/debian/changelog

if !CROSS_COMPILING
packaging/bash-completion/fast-workload: packaging/bash-completion/workload.awk \
		workloads/fast-workload.c | fast-workload
	$(AM_V_GEN)./fast-workload --describe-loads | $(AWK) -f $< >$(srcdir)/$@-t && \
	mv $(srcdir)/$@-t $(srcdir)/$@

packaging/bash-completion/fast-sched: packaging/bash-completion/tool.awk tools/fast-sched.c \
		common/usage.c common/opt.c | fast-sched
	$(AM_V_GEN)./$(@F) --describe-options | $(AWK) -v tool=$(@F) -f $< >$(srcdir)/$@-t && \
	mv $(srcdir)/$@-t $(srcdir)/$@
endif

.PHONY: deb rpm
deb rpm: dist
	$(AM_V_at)$(srcdir)/packaging/build $@ $(distdir).tar.xz packaging/out
