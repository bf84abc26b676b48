# Ends the process with success when a function is called.
answer() {
    exit 0
}
