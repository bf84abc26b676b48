# shellcheck shell=bash
# Runs calls in one process, and those after a call that ended it, or took too long, in another:
# `bash --norc --noprofile -c SOURCE bash CPU_CENTISECONDS TICKS PROGRAM...`
#
# Stdin is a line that names the file or module, and a line for each call. PROGRAM gets all of it on its stdin, and as its
# last word the number of the first call that it shall make. It writes what came of a call, a line of JSON, to descriptor
# 3, which is the report, and then the number of the call, on a line, to descriptor 4, which only this shell reads. A line
# of ours on the report is `NUMBER WHY`. All that is here is the candidate's: what is expected of a call is not.
#
# A tick is a tenth of a second in which the process wanted nothing of a processor: a busy machine makes no call late.

cpu=$1 most=$2
shift 2
if ! type -P -- "$1" > /dev/null; then
    printf 'missing %s\n' "$1" >&3
    exit 127
fi
calls=$(
    cat
    printf .
)
calls=${calls%.}
count=$(printf %s "${calls#*$'\n'}" | wc -l)
next=0

look() {
    local stat
    read -r stat 2> /dev/null < "/proc/$child/stat" || stat=
    # shellcheck disable=SC2086 # words
    set -- ${stat##*) }
    [[ $1 == R ]] || ticks=$((ticks + 1))
    used=$((${12:-0} + ${13:-0}))
    # What earlier calls took is not this one's.
    [[ $before ]] || before=$used
}

exec 5>&1
while ((next < count)); do
    exec {steps}< <(exec "$@" "$next" 4>&1 1>&5 5>&- < <(printf %s "$calls"))
    child=$! why= ticks=0 before=0 used=0
    while ((next < count)); do
        IFS= read -r -t 0.1 -u "$steps" line
        status=$?
        if ((status == 0)); then
            if [[ $line == "$next" ]]; then
                next=$((next + 1)) ticks=0 before=
            fi
        elif ((status < 128)) || ! kill -0 "$child" 2> /dev/null; then
            break
        else
            look
            ((used - before < cpu && ticks < most)) || why="it took too long"
            [[ ! $why ]] || break
        fi
    done
    kill -9 "$child" 2> /dev/null
    exec {steps}<&-
    wait "$child" 2> /dev/null
    status=$?
    if ((next < count)); then
        ((status < 128)) && how="with exit status $status" || how="by signal $((status - 128))"
        printf '\n%d %s\n' "$next" "${why:-it ended the process $how}" >&3
        next=$((next + 1))
    fi
done
exit 0
