# shellcheck shell=sh disable=SC2034,SC2154
# Runs CTest and tells whether all of its programs of tests came to their ends: `sh -c SOURCE CTEST WITNESS ARGUMENTS`.
# `witness.sh`, `counted.sh` and `native.sh` come first. Every program that is no part of the image is witnessed.

if ! command -v "$0" > /dev/null; then
    echo "$token missing $0" >&7
    exit 127
fi
compiled "$1"
shift
[ "$1" != --build-and-test ] || since=$now
counted '/^[0-9]+% tests passed, / { ran += $9; failed += $4 }' env LD_PRELOAD="$library" "$0" "$@"
concluded
