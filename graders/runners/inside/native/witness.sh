# shellcheck shell=sh
# Runs a command that starts programs of tests, and learns from each whether it came to its end. The protocol is described
# in graders/runners/adapter.py.
#
#     this shell (the token) --- the command --- programs of tests
#
# Every program takes a line with the token from descriptor 8 before anything of the candidate's runs in it. On descriptor 9
# it says that it has begun, and when it has ended. It leaves neither for the programs that it starts.

IFS= read -r token
exec 7>&3 3>&-
begun=0 ended=0 ran=0 failed=0 status=
# A compiled program also says when its file was changed last, and when it began. All must have been made before the first
# one began, and not before the build, if there is one.
made=0 first= since=0 foreign=

# witnessed COMMAND...: runs it, and counts in the variables above.
witnessed() {
    exec 4>&1 5<&0
    said=$(
        while echo "$token"; do :; done 2> /dev/null 4>&- 5>&- 7>&- | {
            "$@" 8<&0 0<&5 9>&1 1>&4 4>&- 5>&- 7>&-
            echo "$token status $?"
        }
    )
    exec 4>&- 5<&-
    while read -r word what one other; do
        [ "$word" = "$token" ] || continue
        case $what in
            begin)
                begun=$((begun + 1))
                [ -n "$one" ] || continue
                [ "$one" -gt "$since" ] || foreign=1
                [ "$one" -le "$made" ] || made=$one
                [ -n "$first" ] && [ "$first" -le "$other" ] || first=$other
                ;;
            control) echo "$token control the function $one" >&7 ;;
            end) ended=$((ended + 1)) ran=$((ran + ${one:-0})) failed=$((failed + ${other:-0})) ;;
            status) status=${status:-$one} ;;
        esac
    done << END
$said
END
}

# concluded: reports the end, if there was one, and leaves as the command did.
concluded() {
    [ "${first:-1}" -gt "$made" ] || foreign=1
    [ -z "$foreign" ] || echo "$token control a program of tests that another program wrote" >&7
    [ "$begun" -ne "$ended" ] || echo "$token done $ran $failed" >&7
    exit "${status:-1}"
}
