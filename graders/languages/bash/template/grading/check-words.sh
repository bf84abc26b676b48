# Asks words.sh from outside. Candidates never see this file, and words.sh runs as another user that cannot read it.
set -u

# expect COUNT TEXT: TEXT may hold \t and \n.
expect() {
    local found
    found=$(printf '%b' "$2" | candidate --timeout 5 bash words.sh | head -c 100)
    if [ "$found" != "$1" ]; then
        printf 'words.sh printed %q for %q, %s was expected\n' "$found" "$2" "$1" >&2
        exit 1
    fi
}

expect 1 'one\n'
expect 6 'to be or not to be\n'
expect 0 '  \t\n'
expect 4 'a\n\nb  c\td'
expect 0 ''
