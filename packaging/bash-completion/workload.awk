# SPDX-License-Identifier: GPL-2.0-or-later
# fast-workload's --describe-loads to a bash completion.
# A line with one field is a load; others have its name or -, an option, its argument or -.

BEGIN { FS = "\t" }

NF == 1 {
	loads = loads " " $1
	next
}

{
	option = " --" $2 ($3 == "-" ? "" : "=")
	if ($1 == "-")
		common = common option
	else
		own[$1] = own[$1] option
}

END {
	print "# fast-workload(8) completion                                -*- shell-script -*-"
	print "# Generated from the program's option tables.\n"
	print "_fast_workload() {"
	print "\tlocal cur=${COMP_WORDS[COMP_CWORD]} options"
	print ""
	print "\tCOMPREPLY=()"
	print "\tif [ \"$COMP_CWORD\" = 1 ]; then"
	printf "\t\toptions=\"%s --help --version\"\n", substr(loads, 2)
	print "\telse"
	printf "\t\toptions=\"%s\"\n", substr(common, 2)
	print "\t\tcase ${COMP_WORDS[1]} in"
	n = split(substr(loads, 2), names, " ")
	for (i = 1; i <= n; i++)
		if (names[i] in own)
			printf "\t\t%s) options+=\"%s\" ;;\n", names[i], own[names[i]]
	print "\t\tesac"
	print "\tfi"
	print "\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")"
	print "\t[[ ${COMPREPLY[0]-} = *= ]] && compopt -o nospace"
	print "}\n"
	print "complete -F _fast_workload fast-workload"
}
