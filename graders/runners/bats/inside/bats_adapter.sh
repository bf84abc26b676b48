# shellcheck shell=sh disable=SC2154
# Runs bats and tells whether it came to its end: `sh -c SOURCE BATS ARGUMENTS`. `witness.sh` and `counted.sh` come first.
# Each test has a process of its own, in which bats notices an early `exit`. None of them gets the token.

if ! command -v "$0" > /dev/null; then
    echo "$token missing $0" >&7
    exit 127
fi
alone() {
    "$@" 8<&- 9>&-
}
counted '/^ok [0-9]+ / && !/ # skip/ { ran++ } /^not ok [0-9]+ / { ran++; failed++ }' alone "$0" --formatter tap "$@"
# Bats does not wait for the program that writes its report.
left=50
while [ "$left" -gt 0 ] && grep -qs 'bats-forma[t]' /proc/[0-9]*/cmdline; do
    left=$((left - 1))
    sleep 0.1
done
concluded
