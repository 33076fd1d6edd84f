# SPDX-License-Identifier: GPL-2.0-or-later
# A tool's --describe-options to a bash completion. -v tool=NAME
# Fields: name, letter or -, argument or -, type, words.

BEGIN { FS = "\t" }

$1 == "describe-options" { next } # for programs

{
	options = options " --" $1 ($3 == "-" ? "" : "=")
	if ($2 != "-")
		options = options " -" $2
	if ($3 == "-")
		next
	pattern = "--" $1 ($2 == "-" ? "" : " | -" $2)
	if ($4 == "pid")
		reply = "$(cd /proc && compgen -G '[0-9]*')"
	else if ($4 == "word")
		reply = $5
	else if ($4 == "string")
		reply = "FILE"
	else
		reply = ""
	cases = cases "\t" pattern ")\n"
	if (reply == "FILE")
		cases = cases "\t\tcompopt -o filenames\n\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	else if (reply != "")
		cases = cases "\t\tmapfile -t COMPREPLY < <(compgen -W \"" reply "\" -- \"$cur\")\n"
	cases = cases "\t\treturn\n\t\t;;\n"
	arguments = arguments (arguments == "" ? "" : " | ") pattern
}

END {
	name = tool
	gsub(/-/, "_", name)
	printf "# %s(8) completion                                   -*- shell-script -*-\n", tool
	printf "# Generated from the program's option table.\n\n"
	printf "_%s() {\n", name
	printf "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i\n\n"
	printf "\tCOMPREPLY=()\n"
	printf "\t# --option=word comes as three words.\n"
	printf "\tif [ \"$cur\" = = ]; then\n\t\tcur=\n\telif [ \"$prev\" = = ]; then\n"
	printf "\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n\tfi\n"
	printf "\t# Behind a COMMAND everything is the command's.\n"
	printf "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	printf "\t\tcase ${COMP_WORDS[i]} in\n"
	printf "\t\t--)\n\t\t\t_%s_command $((i + 1))\n\t\t\treturn\n\t\t\t;;\n", name
	printf "\t\t%s)\n\t\t\ti=$((i + 1))\n", arguments
	printf "\t\t\t[ \"${COMP_WORDS[i]}\" != = ] || i=$((i + 1))\n\t\t\t;;\n"
	printf "\t\t-*) ;;\n"
	printf "\t\t*)\n\t\t\t_%s_command \"$i\"\n\t\t\treturn\n\t\t\t;;\n", name
	printf "\t\tesac\n\tdone\n"
	printf "\tcase $prev in\n%s\tesac\n", cases
	printf "\tcase $cur in\n\t-*)\n"
	printf "\t\tmapfile -t COMPREPLY < <(compgen -W \"%s\" -- \"$cur\")\n", substr(options, 2)
	printf "\t\t[[ ${COMPREPLY[0]-} = *= ]] && compopt -o nospace\n\t\t;;\n"
	printf "\t*) mapfile -t COMPREPLY < <(compgen -c -- \"$cur\") ;;\n\tesac\n}\n\n"
	printf "# _%s_command FIRST: the words from there on are another command's.\n", name
	printf "_%s_command() {\n", name
	printf "\tif declare -F _command_offset >/dev/null; then\n\t\t_command_offset \"$1\"\n"
	printf "\telif [ \"$1\" = \"$COMP_CWORD\" ]; then\n"
	printf "\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$cur\")\n"
	printf "\telse\n\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n\tfi\n}\n\n"
	printf "complete -F _%s %s\n", name, tool
}
