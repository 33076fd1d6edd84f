# SPDX-License-Identifier: GPL-2.0-or-later
# unit: C, TAP. cli: bats, no root. tools: bats, root and BPF, against workloads.

unit_tests = \
	test/unit/cgroup \
	test/unit/fmt \
	test/unit/fuzz \
	test/unit/hist \
	test/unit/hist_bpf \
	test/unit/kallsyms \
	test/unit/opt \
	test/unit/out \
	test/unit/parse \
	test/unit/proc

check_PROGRAMS += $(unit_tests) test/account/fast-sched-account test/bench/bench-load
TESTS += $(unit_tests)

test_unit_cgroup_SOURCES = test/unit/cgroup.c test/unit/tap.h
test_unit_cgroup_LDADD = libcommon.a
test_unit_fmt_SOURCES = test/unit/fmt.c test/unit/tap.h
test_unit_fmt_LDADD = libcommon.a
test_unit_fuzz_SOURCES = test/unit/fuzz.c test/unit/fuzz.h test/unit/tap.h
test_unit_fuzz_LDADD = libcommon.a
test_unit_hist_SOURCES = test/unit/hist.c test/unit/tap.h
test_unit_hist_LDADD = libcommon.a -lm
test_unit_hist_bpf_SOURCES = test/unit/hist_bpf.c test/unit/tap.h
test_unit_hist_bpf_CPPFLAGS = $(AM_CPPFLAGS) -iquote test/bpf
test_unit_hist_bpf_LDADD = $(LIBBPF_LIBS)
test/unit/hist_bpf-hist_bpf.$(OBJEXT): test/bpf/hist_slots.skel.h
test_unit_kallsyms_SOURCES = test/unit/kallsyms.c test/unit/tap.h
test_unit_kallsyms_LDADD = libcommon.a
test_unit_opt_SOURCES = test/unit/opt.c test/unit/tap.h
test_unit_opt_LDADD = libcommon.a
test_unit_out_SOURCES = test/unit/out.c test/unit/tap.h
test_unit_out_LDADD = libcommon.a $(JANSSON_LIBS) -lm
test_unit_parse_SOURCES = test/unit/parse.c test/unit/tap.h
test_unit_parse_LDADD = libcommon.a
test_unit_proc_SOURCES = test/unit/proc.c test/unit/tap.h
test_unit_proc_LDADD = libcommon.a

test_account_fast_sched_account_SOURCES = tools/main.c test/account/fast-sched-account.c \
	$(sched_reader)
test_account_fast_sched_account_CPPFLAGS = $(AM_CPPFLAGS) -DTOOL=fast_sched
test_account_fast_sched_account_LDADD = $(tool_libs)
test/account/fast_sched_account-fast-sched-account.$(OBJEXT): bpf/account.skel.h

# Starts the smallest libbpf program there is, and one that does nothing at each switch.
test_bench_bench_load_SOURCES = test/bench/bench-load.c
test_bench_bench_load_CPPFLAGS = $(AM_CPPFLAGS) -iquote test/bpf
test_bench_bench_load_LDADD = $(LIBBPF_LIBS)
test/bench/bench_load-bench-load.$(OBJEXT): test/bpf/empty.skel.h test/bpf/pid1.skel.h

unprivileged_tests = \
	test/cli/columns.bats \
	test/cli/completion.bats \
	test/cli/help.bats \
	test/cli/options.bats \
	test/cli/workload.bats

bats_tests = $(unprivileged_tests) \
	test/cli/style.bats \
	test/tools/account.bats \
	test/tools/fast-sched-check.bats \
	test/tools/fast-sched-culprit.bats \
	test/tools/fast-sched-follow.bats \
	test/tools/fast-sched-output.bats \
	test/tools/fast-sched-target.bats \
	test/tools/fast-sched-threads.bats \
	test/tools/fast-sched.bats

if HAVE_BATS
TESTS += $(bats_tests)
endif

EXTRA_DIST += $(bats_tests) test/helpers.bash test/data \
	test/bpf/empty.bpf.c test/bpf/hist_slots.bpf.c test/bpf/pid1.bpf.c test/bench/bench test/long/run \
	test/kernels test/packages

TEST_EXTENSIONS = .bats
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
BATS_LOG_DRIVER = $(LOG_DRIVER)
BATS_LOG_COMPILER = $(BATS)
AM_BATS_LOG_FLAGS = --tap
AM_TESTS_ENVIRONMENT = \
	PATH="$(abs_top_builddir):$(abs_top_builddir)/test/account:$(abs_top_builddir)/test/bench:/usr/sbin:$$PATH"; export PATH; \
	BUILD_DIR="$(abs_top_builddir)"; export BUILD_DIR; \
	SOURCE_DIR="$(abs_top_srcdir)"; export SOURCE_DIR; \
	srcdir="$(srcdir)"; export srcdir;

.PHONY: bench check-kernels check-kernels-long check-long check-packages check-unprivileged
bench: all $(check_PROGRAMS)
	PATH="$(abs_top_builddir):$(abs_top_builddir)/test/bench:$$PATH" \
		$(srcdir)/test/bench/bench

# Without root and BPF: what builders of packages can run anywhere.
check-unprivileged:
	$(MAKE) $(AM_MAKEFLAGS) check \
		TESTS="$(filter-out test/unit/hist_bpf,$(unit_tests)) $(unprivileged_tests)"

# Packages from a fresh tarball, installed and removed again.
check-packages: dist
	$(AM_TESTS_ENVIRONMENT) TARBALL=$(abs_builddir)/$(distdir).tar.xz \
		$(BATS) --tap $(srcdir)/test/packages

# On other kernels, see the script.
check-kernels: all $(check_PROGRAMS)
	BUILD_DIR=$(abs_builddir) SOURCE_DIR=$(abs_srcdir) $(srcdir)/test/kernels/run $(FILES)

check-kernels-long: all $(check_PROGRAMS)
	BUILD_DIR=$(abs_builddir) SOURCE_DIR=$(abs_srcdir) $(srcdir)/test/kernels/run --all

# Hours rather than minutes: each proof many times over.
check-long: all $(check_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) $(srcdir)/test/long/run
