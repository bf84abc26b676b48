# shellcheck shell=sh
# Finds which Python a console script of pytest belongs to, and runs the adapter with it:
# `sh -c THIS gradebox PROGRAM [-S] SOURCE ARGUMENTS...`. It reads stdin only to say that something is missing.

missing() {
    IFS= read -r token
    printf '%s missing %s\n' "$token" "$1" >&3
    printf '%s: not found\n' "$1" >&2
    exit 127
}

program=$1 bare=
[ "$2" != -S ] || { bare=-S && shift; }
source=$2
shift 2
found=$(command -v "$program") || missing "$program"
first= second=
{
    IFS= read -r first
    IFS= read -r second
} < "$found" 2> /dev/null
interpreter=python3 option=
case $first in
    '#!'*python*)
        line=${first#'#!'}
        line=${line#"${line%%[! ]*}"}
        interpreter=${line%%[ 	]*}
        [ "$interpreter" = "$line" ] || option=${line#*[ 	]}
        ;;
    # What installers write where the path of the interpreter is too long for the first line.
    '#!/bin/sh')
        case $second in
            "'''exec' \""*)
                line=${second#*\"}
                interpreter=${line%%\"*}
                ;;
            "'''exec' /"*)
                line=${second#*\' }
                interpreter=${line%%[ ]*}
                ;;
        esac
        ;;
esac
command -v "$interpreter" > /dev/null || missing "$interpreter"
exec "$interpreter" ${option:+"$option"} $bare -c "$source" "$found" "$@"
