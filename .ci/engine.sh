#!/bin/sh
# Makes sure that a Docker Engine answers, and that base images can be had.
#
# With DOCKER_HOST set, or an engine on the socket, nothing is changed. Otherwise, as root on Debian or Ubuntu, the engine
# is installed and started, and every change is said. Anywhere else: what to do, and exit code 4.
# No docker command is needed: the engine is asked over its socket.
set -eu

here=$(dirname "$0")
socket=${GRADEBOX_DOCKER_SOCKET:-/var/run/docker.sock}
pid_file=${GRADEBOX_DOCKER_PID:-/var/run/docker.pid}
log=${GRADEBOX_DOCKER_LOG:-/var/log/gradebox-dockerd.log}
deadline_seconds=${GRADEBOX_DOCKER_DEADLINE:-60}
python=${PYTHON:-python3}

if [ -n "${DOCKER_HOST:-}" ]; then
    # Whether that one answers is for `grade` to say: it knows TLS, ssh and the rest.
    exit 0
fi

if ! command -v "$python" > /dev/null; then
    echo "There is no $python to ask the engine with. Install Python, or name it: make PYTHON=/path/to/python3" >&2
    exit 4
fi

# ask PATH SECONDS: 0 if the engine answers it with 200, 3 if we may not talk to it, else 1.
ask() {
    "$python" - "$socket" "$1" "$2" << 'END'
import http.client, socket, sys

path, request, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])


class Engine(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(seconds)
        self.sock.connect(path)


try:
    engine = Engine("engine")
    engine.request("GET", request)
    sys.exit(0 if engine.getresponse().status == 200 else 1)
except PermissionError:
    sys.exit(3)
except (OSError, http.client.HTTPException):
    sys.exit(1)
END
}

# is_alive PID: whether the process exists and is more than an exit status that nobody fetched.
is_alive() {
    [ -n "$1" ] && [ -r "/proc/$1/status" ] && ! grep -q '^State:[[:space:]]*[ZX]' "/proc/$1/status"
}

# is_running FILE NAME: whether the process whose id is in FILE is a program of that name.
is_running() {
    [ -s "$1" ] || return 1
    named=$(cat "$1")
    is_alive "$named" && [ "$(cat "/proc/$named/comm")" = "$2" ]
}

# A daemon that was killed leaves its process id behind, and the next one believes any process that has it now.
forget_the_dead() {
    for entry in "$pid_file:dockerd" "$(dirname "$pid_file")/docker/containerd/containerd.pid:containerd"; do
        file=${entry%:*}
        if [ -e "$file" ] && ! is_running "$file" "${entry##*:}"; then
            echo "==> removing $file: it names no running ${entry##*:}"
            rm -f "$file"
        fi
    done
}

# Start a daemon that outlives make and holds none of its pipes: a session of its own, no inherited descriptor.
start_daemon() {
    daemon=$(
        "$python" - "$log" "$@" << 'END'
import subprocess, sys

with open(sys.argv[1], "ab") as log:
    daemon = subprocess.Popen(
        sys.argv[2:], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, close_fds=True, cwd="/"
    )
print(daemon.pid)
END
    )
}

# 0 once the engine answers; 1 when the time is up, or when the daemon that we started has ended.
wait_for_answer() {
    end=$(($(date +%s) + deadline_seconds))
    while [ "$(date +%s)" -lt "$end" ]; do
        ask /_ping 5 && return
        if [ -n "${daemon:-}" ] && ! is_alive "$daemon"; then
            return 1
        fi
        sleep 0.2
    done
    return 1
}

start_engine() {
    if [ -d /run/systemd/system ] && systemctl list-unit-files docker.service > /dev/null 2>&1; then
        echo "==> starting the Docker Engine (systemctl start docker)"
        systemctl start docker || true
        wait_for_answer
        return
    fi
    forget_the_dead
    if is_running "$pid_file" dockerd; then
        echo "==> waiting for the Docker Engine that is starting"
        wait_for_answer
        return
    fi
    echo "==> starting the Docker Engine (dockerd in the background; log in $log)"
    : > "$log"
    start_daemon dockerd
    wait_for_answer && return
    if grep -qi 'network controller\|iptables' "$log"; then
        # Sandboxes have no network and builds use the host's, so nothing here needs the engine's bridge.
        echo "==> it could not set up a bridge network: starting it without one"
        forget_the_dead
        start_daemon dockerd --bridge=none --iptables=false --ip6tables=false
        wait_for_answer && return
    fi
    return 1
}

# A base image comes from a registry or from mmdebstrap. Which of them works here is the engine's to find out, but only
# root can install the second, and only before it is needed.
ensure_a_source() {
    command -v mmdebstrap > /dev/null && return
    ask /distribution/debian:bookworm-slim/json 10 && return
    ask /images/gradebox/debian:bullseye/json 10 && return
    echo "==> no registry answers the engine: base images are made from Debian's packages"
    "$here/apt.sh" mmdebstrap debian-archive-keyring || true
}

state=0
ask /_ping 5 || state=$?
if [ "$state" -eq 0 ]; then
    ensure_a_source
    exit 0
fi
if [ "$state" -eq 3 ]; then
    echo "There is a Docker Engine on $socket, but you may not use it." >&2
    echo "Add yourself to its group (sudo usermod -aG docker $(id -un), then log in again), or run as root." >&2
    exit 4
fi

if [ "$(id -u)" -eq 0 ] && ! command -v dockerd > /dev/null; then
    echo "==> no Docker Engine answers on $socket and DOCKER_HOST is not set"
    result=0
    "$here/apt.sh" docker.io iptables mmdebstrap debian-archive-keyring || result=$?
    # It has said why.
    [ "$result" -ne 2 ] || exit 4
fi
if [ "$(id -u)" -ne 0 ] || ! command -v dockerd > /dev/null; then
    echo "No Docker Engine answers on $socket, and none can be set up here (that needs root on Debian or Ubuntu)." >&2
    echo "Start Docker, or install it (https://docs.docker.com/engine/install), or set DOCKER_HOST to one that answers." >&2
    exit 4
fi
# With -o the lock is not handed to the daemon; two makes must not start two.
if [ -z "${GRADEBOX_ENGINE_LOCKED:-}" ] && command -v flock > /dev/null; then
    GRADEBOX_ENGINE_LOCKED=1 exec flock -o "$here/engine.sh" "$0"
fi
if ! start_engine; then
    echo "The Docker Engine was started and does not answer on $socket. The end of its log, $log:" >&2
    grep -v level=info "$log" | tail -n 10 >&2 || true
    echo "Start it by hand, or set DOCKER_HOST to one that answers." >&2
    exit 4
fi
ensure_a_source
