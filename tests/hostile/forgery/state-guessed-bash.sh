__gradebox_state=passed
__gradebox_complete=1
__gradebox_through=1
break 99
slugify() {
    printf '%s' "$1"
}
