set +eE
trap - ERR EXIT DEBUG
slugify() {
    return 0
}
