# shellcheck shell=bash
# Runs calls in one process, and those after a call that ended it, or took too long, in another:
# `bash --norc --noprofile -c SOURCE bash CPU_CENTISECONDS TICKS PROGRAM...`
#
# Stdin is a line that names the file or module, and a line for each call. PROGRAM reads from descriptor 3 the first line,
# and then the line of a call, when that of the call before is answered. Its last word is the number of the first call that
# it shall make. It writes what came of a call, a line of JSON, to descriptor 4. So no process of the candidate sees what
# a later call is given. Only answers to the call in turn reach the report. A line of ours there is `NUMBER WHY`.
#
# This shell is shielded: nobody else reads its memory or its descriptors. What is expected of a call is not here, either.
#
# A tick is a tenth of a second in which the process wanted nothing of a processor: a busy machine makes no call late.

cpu=$1 most=$2
shift 2
if ! type -P -- "$1" > /dev/null; then
    printf 'missing %s\n' "$1" >&3
    exit 127
fi
PIECE=1000 LONGEST=3000000
IFS=$'\n'
set -f
# shellcheck disable=SC2207 # lines
lines=($(cat))
unset IFS
count=$((${#lines[@]} - 1)) next=0

say() {
    # A long line has to wait until the program reads it.
    if ((${#1} < 1000)); then
        printf '%s\n' "$1" >&"$asked"
    else
        printf '%s\n' "$1" >&"$asked" &
        sayers+=("$!")
    fi
}

look() {
    local stat
    read -r stat 2> /dev/null < "/proc/$child/stat" || stat=
    # shellcheck disable=SC2086 # words
    set -- ${stat##*) }
    # Who waits until we have read does not dawdle.
    [[ $1 == R || $line ]] || ticks=$((ticks + 1))
    used=$((${12:-0} + ${13:-0}))
    # What earlier calls took is not this one's.
    [[ $before ]] || before=$used
}

exec 5>&1
while ((next < count)); do
    # A pipe that we may both read and write.
    exec {asked}<> <(:)
    exec {answered}< <(exec "$@" "$next" 3< "/dev/fd/$asked" 4>&1 1>&5 5>&- {asked}>&- < /dev/null)
    child=$! why= ticks=0 before=0 used=0 said= sayers=()
    say "${lines[0]}"
    say "${lines[next + 1]}"
    while ((next < count)); do
        IFS= read -r -t 0.1 -n "$PIECE" -u "$answered" line
        status=$? said+=$line
        # We read each byte alone, so that nothing is missed of the next line, and there is none yet.
        ((status || ${#line} < PIECE)) || said+=$(head -n 1 <&"$answered" | head -c "$LONGEST")
        if ((${#said} > LONGEST)); then
            why='did not return data: its answer is too long'
            break
        elif ((status == 0)); then
            [[ $said == '["'[=!]'",'"$next,"* || $said == "$next "* ]] || said="$next sent a reply that cannot be read"
            printf '%s\n' "$said" >&3
            next=$((next + 1)) ticks=0 before= said=
            ((next == count)) || say "${lines[next + 1]}"
        elif ((status < 128)) || ! kill -0 "$child" 2> /dev/null; then
            break
        else
            look
            ((used - before < cpu && ticks < most)) || why="took too long"
            [[ ! $why ]] || break
        fi
    done
    kill -9 "$child" "${sayers[@]}" 2> /dev/null
    exec {answered}<&- {asked}>&-
    wait "$child" 2> /dev/null
    status=$?
    if ((next < count)); then
        ((status < 128)) && how="with exit status $status" || how="by signal $((status - 128))"
        printf '\n%d %s\n' "$next" "${why:-ended the process $how}" >&3
        next=$((next + 1))
    fi
done
exit 0
