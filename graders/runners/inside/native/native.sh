# shellcheck shell=sh disable=SC2154
# Compiles the witness of native programs, which `gradebox_main.c` describes. `witness.sh` comes first.

# compiled SOURCE: leaves the path of the library in `library`, below a new directory, `place`, and the time in `now`.
compiled() {
    # shellcheck disable=SC2034
    now=$(date +%s%N)
    place=$(mktemp -d)
    library=$place/gradebox_main.so
    if ! cc -shared -fPIC -O1 -o "$library" -x c "$1" -ldl; then
        command -v cc > /dev/null && exit 1
        echo "$token missing cc" >&7
        exit 127
    fi
}
