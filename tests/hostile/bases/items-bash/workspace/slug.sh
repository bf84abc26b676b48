slugify() {
    return 1
}
