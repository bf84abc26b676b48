#!/bin/sh
# Installs Debian packages for the other scripts here: apt.sh NAME...
# Only as root on Debian or Ubuntu, and saying so; on anything else it does nothing and exits with 1, so that the caller
# can say what to do instead. Exit code 2: it tried and could not.
set -eu

[ "$(id -u)" -eq 0 ] || exit 1
command -v apt-get > /dev/null || exit 1
grep -Eq '^ID(_LIKE)?=.*(debian|ubuntu)' "${GRADEBOX_OS_RELEASE:-/etc/os-release}" || exit 1

log=${GRADEBOX_APT_LOG:-/var/log/gradebox-apt.log}
echo "==> installing on this machine: $* (apt-get; log in $log)"
# Scripts of one run may want packages at the same time, and apt-get update waits for nobody.
exec 9> "$log.lock"
flock 9
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update -q && apt-get install -yq --no-install-recommends "$@"; } > "$log" 2>&1 < /dev/null 9>&-; then
    tail -n 20 "$log" >&2
    echo "apt-get could not install $*: see above. Check that this machine reaches its package mirror." >&2
    exit 2
fi
