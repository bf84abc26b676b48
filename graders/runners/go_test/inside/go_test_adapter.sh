# shellcheck shell=sh
# Runs `go test` and tells whether all of its test binaries came to their ends: `sh -c SOURCE GO RUNTIME TESTING ARGUMENTS`.
# The protocol is described in graders/runners/adapter.py.
#
#     this shell (the token) --- go test --- test binaries: the tests, what they test, and two files of ours
#
# RUNTIME and TESTING are the two files. Our image has them in the packages `runtime` and `testing`; for another one they
# are laid over its Go, which then compiles its standard library once more. Every binary takes a line with the token from
# descriptor 8, before anything of the candidate's is initialised. On descriptor 9 it says that it has begun, and when its
# tests have ended. Neither leaves a test binary for the programs that it starts.

IFS= read -r token
exec 7>&3 3>&-
export GRADEBOX_GO_TEST=1
runtime=$1 testing=$2
shift 2

if ! root=$("$0" env GOROOT 2> /dev/null) || [ -z "$root" ]; then
    echo "$token missing $0" >&7
    exit 127
fi
# A result of before would come without its binary.
GOFLAGS="${GOFLAGS-} -count=1"
if ! [ -e "$root/src/testing/gradebox.go" ]; then
    place=$(mktemp -d)
    sed 's/^func (m \*M) Run() (code int) {$/func (m *M) gradeboxRun() (code int) {/' \
        "$root/src/testing/testing.go" > "$place/testing.go"
    printf '{"Replace": {"%s": "%s", "%s": "%s", "%s": "%s"}}\n' \
        "$root/src/runtime/gradebox.go" "$runtime" "$root/src/testing/gradebox.go" "$testing" \
        "$root/src/testing/testing.go" "$place/testing.go" > "$place/overlay.json"
    GOFLAGS="$GOFLAGS -overlay=$place/overlay.json"
fi
export GOFLAGS

exec 4>&1 5<&0
said=$(
    while echo "$token"; do :; done 2> /dev/null 4>&- 5>&- 7>&- | {
        "$0" test "$@" 8<&0 0<&5 9>&1 1>&4 4>&- 5>&- 7>&-
        echo "$token status $?"
    }
)
exec 4>&- 5<&-

begun=0 ended=0 ran=0 failed=0 status=1
while read -r word what one other; do
    [ "$word" = "$token" ] || continue
    case $what in
        begin) begun=$((begun + 1)) ;;
        end) ended=$((ended + 1)) ran=$((ran + one)) failed=$((failed + other)) ;;
        status) status=$one ;;
    esac
done << END
$said
END
[ "$begun" -ne "$ended" ] || echo "$token done $ran $failed" >&7
exit "$status"
