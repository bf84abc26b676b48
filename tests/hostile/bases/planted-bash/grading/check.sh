# Starts the candidate in a shell of its own, and compares in another one.
answer() {
    bash -c '. ./slug.sh && slugify "$1"' - "$1"
}

same() {
    bash -l -c '[ "$1" = "$2" ]' - "$1" "$2"
}

same "$(answer 'Ada Lovelace')" ada-lovelace && same "$(answer 'Route 66')" route-66

# @canary@
