# shellcheck shell=sh disable=SC2034,SC2154
# Counts the tests that a test runner names in what it prints. `witness.sh` comes first.

# counted AWK-RULES COMMAND...: runs the command and passes on what it prints. The rules add to `ran` and `failed`, and may
# set `strange`.
counted() {
    rules=$1 strange=
    shift
    witnessed passed_on "$rules" "$@"
    while read -r word one other more; do
        [ "$word" != counts ] || ran=$one failed=$other strange=$more
    done << END
$said
END
}

passed_on() {
    rules=$1
    shift
    {
        "$@"
        echo "$token status $?" >&9
    } |
        awk "{ print; fflush() } $rules END { printf \"counts %d %d %s\\n\", ran, failed, strange > \"/dev/stderr\" }" 2>&9 8<&- 9>&-
}
