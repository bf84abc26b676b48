# shellcheck shell=sh disable=SC2034,SC2154
# Runs `cargo test` and tells whether all of its test binaries came to their ends: `sh -c SOURCE CARGO WITNESS ARGUMENTS`.
# `witness.sh`, `counted.sh` and `native.sh` come first. Cargo starts each test binary with the witness. It builds in a new directory:
# what a submission brings in `target` is not run. Tests in comments (doctests) run without the witness.

if ! host=$(rustc -vV 2> /dev/null | sed -n 's/^host: //p') || [ -z "$host" ] || ! command -v "$0" > /dev/null; then
    echo "$token missing $0" >&7
    exit 127
fi
compiled "$1"
since=$now
shift
runner=CARGO_TARGET_$(echo "$host" | tr 'a-z-' 'A-Z_')_RUNNER
export CARGO_TARGET_DIR="$place/target" CARGO_INCREMENTAL=0 "$runner=env LD_PRELOAD=$library"
counted '/^test result: / { ran += $4 + $6; failed += $6 }' "$0" test "$@"
concluded
