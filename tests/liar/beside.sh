# shellcheck shell=bash
# What a grader's process starts in place of the program `candidate`, for JavaScript and Julia:
#
#     beside.sh lie DIRECTORY PROGRAM...   a liar answers: two pipes in the directory lead to it
#     beside.sh tap DIRECTORY PROGRAM...   the program runs, and what both sides say is kept in two files
#
# Both sides are one user here, so that nothing is to be done when files are lent.
what=$1 place=$2
shift 2
case $1 in
    --lend | --reclaim) exit 0 ;;
esac
name=$place/$$
if [ "$what" = tap ]; then
    tee "$name.grader" | "$@" | tee "$name.candidate"
else
    mkfifo "$name.grader" "$name.candidate"
    mv "$(mktemp "$place/XXXXXX")" "$name.asked"
    exec 4<&0
    cat "$name.candidate" &
    cat <&4 > "$name.grader"
    wait
fi
