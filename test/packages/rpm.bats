#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The package for Fedora, from the tarball. Elsewhere it is built without asking for the packages
# that it needs, whose names are Fedora's; what it holds is the same.

load ../helpers

setup_file() {
	export OUT=$BATS_FILE_TMPDIR
	requires cmd:rpmbuild cmd:rpmlint
	"$SOURCE_DIR/packaging/build" rpm "$TARBALL" "$OUT" >"$OUT/paths"
	RPM=$(grep -vE '\.src\.rpm$|debug' "$OUT/paths")
	export RPM
}

@test "rpm: rpmlint finds no error" {
	rpmlint -c "$SOURCE_DIR/packaging/rpm/rpmlint.toml" "$OUT"/*.rpm >"$DIR/rpmlint" 2>&1 || :
	cat "$DIR/rpmlint" >&3
	grep -q 'specfiles checked; 0 errors' "$DIR/rpmlint"
	run ! grep -E ': E: ' "$DIR/rpmlint"
}

@test "rpm: it holds every tool with its page and completion, and nothing else" {
	local tool
	for tool in "${TOOLS[@]}"; do
		printf '/usr/%s\n' "sbin/$tool" "share/man/man8/$tool.8" \
			"share/bash-completion/completions/$tool"
	done >"$DIR/want"
	printf '/usr/%s\n' bin/fast-workload share/man/man8/fast-workload.8 \
		share/bash-completion/completions/fast-workload share/doc/fast-tools \
		share/doc/fast-tools/{NEWS,README.md} share/licenses/fast-tools \
		share/licenses/fast-tools/COPYING >>"$DIR/want"
	# Outside of Fedora pages are not compressed, and the folders of documents have the version.
	rpm -qpl "$RPM" | grep -v /usr/lib/.build-id |
		sed -E 's/\.8\.[a-z]*$/.8/; s,/(doc|licenses)/fast-tools-[^/]*,/\1/fast-tools,' | sort >"$DIR/files"
	diff "$DIR/files" <(sort "$DIR/want")
}

@test "rpm: it has no scripts, and asks for the libraries that it is linked with" {
	is "$(rpm -qp --scripts --triggers "$RPM")" "" "scripts"
	rpm -qp --requires "$RPM" >"$DIR/requires"
	grep -q '^libbpf\.so\.1' "$DIR/requires"
	grep -q '^libjansson\.so\.4' "$DIR/requires"
	rpm -qp --requires "$OUT"/*.src.rpm | grep -q '^pkgconfig(libbpf) >= 1.0'
}
