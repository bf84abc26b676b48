eval '[() { :; }'
test() { :; }
false() { :; }
slugify() {
    echo ada-lovelace
}
