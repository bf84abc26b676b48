#!/bin/sh
# Starts a Docker Engine in this container, then becomes grade: nested.sh ARGUMENT...
set -eu

# An engine takes the bridge that it finds for its own, and removes or changes it.
if [ -e /sys/class/net/docker0 ]; then
    echo "This container has the network of a machine with an engine: run it without --network host." >&2
    exit 4
fi

# With cgroup version 2, a group that has processes of its own can give nothing to groups below it.
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
    mkdir -p /sys/fs/cgroup/init
    while read -r process; do
        echo "$process" > /sys/fs/cgroup/init/cgroup.procs 2> /dev/null || true
    done < /sys/fs/cgroup/cgroup.procs
    for controller in $(cat /sys/fs/cgroup/cgroup.controllers); do
        echo "+$controller" > /sys/fs/cgroup/cgroup.subtree_control
    done
fi

# What an engine that was killed with its container left in a volume or a layer names no process of this one.
rm -f /var/run/docker.pid /var/run/docker/containerd/containerd.pid

"$(dirname "$0")/engine.sh" >&2
exec grade "$@"
