# Turns every end of the shell into success, by a trap.
trap 'trap - EXIT; exit 0' EXIT
