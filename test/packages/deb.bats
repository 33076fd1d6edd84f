#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The package for Debian: built twice from the tarball, checked, installed on a bare system,
# run, and removed without residue. CHROOT_CACHE may keep the bare system between runs.

load ../helpers

setup_file() {
	export OUT=$BATS_FILE_TMPDIR
	requires root cmd:dpkg-buildpackage cmd:lintian cmd:debootstrap
	for i in 1 22; do
		mkdir -p "$OUT/folder-$i"
		TMPDIR="$OUT/folder-$i" "$SOURCE_DIR/packaging/build" deb "$TARBALL" "$OUT/$i" >"$OUT/paths-$i"
	done
	DEB=$(grep -v dbgsym "$OUT/paths-1")
	export DEB
}

# bare_system DIR: a minimal Debian, of this machine's release.
bare_system() {
	local suite cached
	suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
	cached=${CHROOT_CACHE:-$OUT}/bare-$suite.tar
	if [ ! -e "$cached" ]; then
		debootstrap --variant=minbase "$suite" "$OUT/bare" "$("$SOURCE_DIR/test/kernels/packages" \
			"$OUT/state" "$(dpkg --print-architecture)" "$suite" mirror)" >"$OUT/debootstrap.log" 2>&1 ||
			{ tail "$OUT/debootstrap.log" >&2; return 1; }
		tar -c -f "$cached.new" -C "$OUT/bare" .
		mv "$cached.new" "$cached"
		rm -rf "$OUT/bare"
	fi
	mkdir -p "$1"
	tar -x -f "$cached" -C "$1"
}

# inside COMMAND...: on the bare system, with a /proc and /sys of its own.
inside() {
	unshare -m bash -c '
		mount --make-rprivate /
		mount -t proc proc "$0/proc" && mount -t sysfs sysfs "$0/sys" && mount --bind /dev "$0/dev"
		exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive "$@"' "$OUT/system" "$@"
}

# state_of SYSTEM: all its files with their type, mode and size, but for what apt keeps anyway.
state_of() {
	(cd "$1" && find . -path ./proc -prune -o -path ./sys -prune -o -path ./dev -prune -o \
		-path ./var/cache -prune -o -path ./var/lib/apt -prune -o -path ./var/log -prune -o \
		-path './var/lib/dpkg/*-old' -prune -o -path ./tmp -prune -o ! -type d -printf '%p %y %m %s\n') |
		grep -vE '^./var/lib/dpkg/(status|available|lock|triggers/)|ld.so.cache' | sort
}

@test "deb: two builds in different folders are identical" {
	[ "$(wc -l <"$OUT/paths-1")" = 2 ]
	while read -r path; do
		cmp "$path" "$OUT/22/${path##*/}"
	done <"$OUT/paths-1"
}

@test "deb: lintian finds no error and no warning" {
	lintian --allow-root --fail-on error,warning "$OUT"/1/*.changes 2>&1 | tee "$DIR/lintian" >&3
	run ! grep -E '^[EW]:' "$DIR/lintian"
}

@test "deb: it holds every tool with its page and completion, and nothing else" {
	local tool
	dpkg-deb -c "$DEB" | awk '$1 !~ /^d/ { print $6 }' | sort >"$DIR/files"
	for tool in "${TOOLS[@]}"; do
		printf './usr/%s\n' "sbin/$tool" "share/man/man8/$tool.8.gz" \
			"share/bash-completion/completions/$tool"
	done >"$DIR/want"
	printf './usr/%s\n' bin/fast-workload share/man/man8/fast-workload.8.gz \
		share/bash-completion/completions/fast-workload \
		share/doc/fast-tools/{changelog.Debian.gz,copyright} share/lintian/overrides/fast-tools >>"$DIR/want"
	diff "$DIR/files" <(sort "$DIR/want")
}

@test "deb: on a bare system it is installed by apt, runs, and is purged without residue" {
	bare_system "$OUT/system"
	cp "$DEB" "$OUT/system/tmp/"
	inside apt-get -q update
	inside apt-get -q -y install libbpf1 libelf1 libjansson4 >/dev/null
	state_of "$OUT/system" >"$DIR/before"
	inside apt-get -q -y install "/tmp/${DEB##*/}"
	is "$(inside fast-sched --version | head -1)" "fast-sched (fast-tools) $(fast-sched --version |
		sed -n '1s/.* //p')" "version of the installed program"
	inside fast-sched -T -d 1 -- fast-workload hog --workers=2 --duration=1 >"$DIR/report"
	is "$(column "$DIR/report" check difference name=runqueue_wait)" 0 "difference"
	inside apt-get -q -y purge fast-tools
	state_of "$OUT/system" >"$DIR/after"
	diff "$DIR/before" "$DIR/after"
}
