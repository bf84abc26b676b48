#!/bin/sh
# Starts a Docker Engine in this container, then runs grade: nested.sh ARGUMENT...
set -eu

# An engine treats an existing bridge as its own, and removes or changes it.
if [ -e /sys/class/net/docker0 ]; then
    echo "This container shares the network of a machine that has an engine. Run it without --network host." >&2
    exit 4
fi

# With cgroup version 2, a group with processes of its own cannot delegate controllers to the groups below it.
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
    mkdir -p /sys/fs/cgroup/init
    while read -r process; do
        echo "$process" > /sys/fs/cgroup/init/cgroup.procs 2> /dev/null || true
    done < /sys/fs/cgroup/cgroup.procs
    # shellcheck disable=SC2013 # words of one line
    for controller in $(cat /sys/fs/cgroup/cgroup.controllers); do
        echo "+$controller" > /sys/fs/cgroup/cgroup.subtree_control
    done
fi

# Remove the process ids that a killed engine left in a volume or a layer: they name no process of this container.
rm -f /var/run/docker.pid /var/run/docker/containerd/containerd.pid

"$(dirname "$0")/engine.sh" >&2
exec grade "$@"
