# shellcheck shell=sh disable=SC2154
# Runs `go test` and tells whether all of its test binaries came to their ends: `sh -c SOURCE GO GOARCH RUNTIME TESTING ARGUMENTS`.
# `witness.sh` comes first.
#
# GOARCH, RUNTIME and TESTING are files of ours. Our image has them in the packages `internal/goarch`, `runtime` and
# `testing`; for another one they are laid over its Go, which then compiles its standard library once more.

export GRADEBOX_GO_TEST=1
goarch=$1 runtime=$2 testing=$3
shift 3

if ! root=$("$0" env GOROOT 2> /dev/null) || [ -z "$root" ]; then
    echo "$token missing $0" >&7
    exit 127
fi
# A result of before would come without its binary.
GOFLAGS="${GOFLAGS-} -count=1"
if ! [ -e "$root/src/internal/goarch/gradebox.go" ]; then
    place=$(mktemp -d)
    sed 's/^func (m \*M) Run() (code int) {$/func (m *M) gradeboxRun() (code int) {/' \
        "$root/src/testing/testing.go" > "$place/testing.go"
    printf '{"Replace": {"%s": "%s", "%s": "%s", "%s": "%s", "%s": "%s"}}\n' \
        "$root/src/internal/goarch/gradebox.go" "$goarch" "$root/src/runtime/gradebox.go" "$runtime" \
        "$root/src/testing/gradebox.go" "$testing" "$root/src/testing/testing.go" "$place/testing.go" > "$place/overlay.json"
    GOFLAGS="$GOFLAGS -overlay=$place/overlay.json"
fi
export GOFLAGS

witnessed "$0" test "$@"
concluded
