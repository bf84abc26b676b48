shopt -s expand_aliases
alias [[='true' [='true' if='true'
slugify() {
    printf '%s' "$1"
}
