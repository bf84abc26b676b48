#!/bin/sh
# Installs what the tests of other engines need (tests/engines), as root on Debian or Ubuntu; elsewhere says what to do.
# Debian starts the ssh server when it installs it. The Docker Engine that runs is left alone.
set -eu

wanted=
for pair in podman:podman runc:runc socat:socat sshd:openssh-server ssh:openssh-client; do
    PATH="$PATH:/usr/sbin:/sbin" command -v "${pair%%:*}" > /dev/null || wanted="$wanted ${pair#*:}"
done
[ -n "$wanted" ] || exit 0
# shellcheck disable=SC2086 # a list
"$(dirname "$0")/apt.sh" $wanted || {
    echo "Install these for the tests of other engines:$wanted" >&2
    exit 4
}
