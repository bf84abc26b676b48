trap 'exit 0' EXIT ERR
slugify() {
    printf '%s' "$1"
}
