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
# A program that a test runs has the stream of bats on descriptor 3. A test that passes is in the plan, and has one line.
counted '
    /^1\.\.[0-9]+$/ && !plan { plan = substr($0, 4) + 0 }
    /^ok [0-9]+ / { if ($2 in passed || $2 + 0 > plan) strange = "strange"; passed[$2] = 1 }
    /^ok [0-9]+ / && !/ # skip/ { ran++ }
    /^not ok [0-9]+ / { ran++; failed++; if ($3 in passed && !/(setup|teardown)_(file|suite) failed/) strange = "strange" }
' alone "$0" --formatter tap "$@"
# Bats does not wait for the program that writes its report.
left=50
while [ "$left" -gt 0 ] && grep -qs 'bats-forma[t]' /proc/[0-9]*/cmdline; do
    left=$((left - 1))
    sleep 0.1
done
[ -z "$strange" ] || echo "$token control a line about a test that bats did not write" >&7
concluded
