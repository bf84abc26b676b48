#!/bin/sh
# Registers gVisor with the Docker Engine as the runtime `runsc`, so that the tests that want it can have it.
#
# Only for an engine on this machine's socket, and as root on Debian or Ubuntu: everywhere else it says why it could not
# and succeeds, since gVisor is an extra. What is there already is left as it is. The engine is told to read its
# settings again; it is never restarted, and running containers notice nothing.
set -eu

socket=${GRADEBOX_DOCKER_SOCKET:-/var/run/docker.sock}
pid_file=${GRADEBOX_DOCKER_PID:-/var/run/docker.pid}
settings=${GRADEBOX_DOCKER_SETTINGS:-/etc/docker/daemon.json}
python=${PYTHON:-python3}
# The first release of Debian whose gVisor has the platform systrap, which needs neither KVM nor ptrace.
release=trixie

could_not() {
    echo "==> gVisor could not be set up: $1"
    exit 0
}

# The names of the runtimes that the engine has now, one a line.
runtimes() {
    "$python" - "$socket" << 'END_PYTHON'
import http.client, json, socket, sys


class Engine(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(10)
        self.sock.connect(sys.argv[1])


try:
    engine = Engine("engine")
    engine.request("GET", "/info")
    print(*json.loads(engine.getresponse().read()).get("Runtimes") or {}, sep="\n")
except (OSError, ValueError, http.client.HTTPException) as error:
    sys.exit(f"The engine on {sys.argv[1]} does not answer: {error}.")
END_PYTHON
}

is_registered() {
    runtimes 2> /dev/null | grep -qx runsc
}

# Add the runtime to the engine's settings and keep all else that is in them.
register() {
    "$python" - "$settings" "$1" << 'END_PYTHON'
import json, os, sys, tempfile
from pathlib import Path

# Sandboxes have no network, and gVisor's own stack refuses to start on kernels where it mistakes the container's
# network namespace for the machine's. The engine's limits stay in force: its cgroups are not ignored.
ARGUMENTS = ["--platform=systrap", "--network=none"]

path, program = Path(sys.argv[1]), sys.argv[2]
try:
    settings = json.loads(path.read_text() or "{}") if path.exists() else {}
    runtimes = settings.setdefault("runtimes", {})
except (OSError, ValueError, AttributeError) as error:
    sys.exit(f"{path} cannot be read: {error}.")
runtimes.setdefault("runsc", {"path": program, "runtimeArgs": ARGUMENTS})
path.parent.mkdir(parents=True, exist_ok=True)
with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".daemon-", delete=False) as file:
    json.dump(settings, file, indent=2)
    file.write("\n")
os.chmod(file.name, path.stat().st_mode & 0o777 if path.exists() else 0o644)
os.replace(file.name, path)
END_PYTHON
}

# The mirror that this machine uses already, empty if none of its sources is Debian's.
debian_mirror() {
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 2> /dev/null | awk '$1 == "Debian" && !/security/ { print $2; exit }'
}

# Fetch the package of one release without adding that release to this machine's sources, and install it.
install_runsc() {
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    [ -e "$keyring" ] || return 1
    mirror=$(debian_mirror)
    if [ -z "$mirror" ]; then
        # Nothing was fetched from the sources yet, or none of them is Debian's.
        apt-get update -q > "$scratch/log" 2>&1 < /dev/null || true
        mirror=$(debian_mirror)
    fi
    [ -n "$mirror" ] || return 1
    mkdir -p "$scratch/lists/partial" "$scratch/cache/archives/partial" "$scratch/empty"
    echo "deb [signed-by=$keyring] $mirror $release main" > "$scratch/sources.list"
    set -- -q -o "Dir::Etc::SourceList=$scratch/sources.list" -o "Dir::Etc::SourceParts=$scratch/empty" \
        -o "Dir::State::Lists=$scratch/lists" -o "Dir::Cache=$scratch/cache" -o APT::Sandbox::User=root \
        -o Acquire::Languages=none
    echo "==> installing on this machine: runsc (gVisor, from Debian $release)"
    (cd "$scratch" && apt-get "$@" update && apt-get "$@" download runsc) > "$scratch/log" 2>&1 < /dev/null &&
        dpkg --install "$scratch"/runsc_*.deb >> "$scratch/log" 2>&1 < /dev/null && return
    tail -n 5 "$scratch/log" >&2
    return 1
}

[ -z "${DOCKER_HOST:-}" ] || could_not "DOCKER_HOST names an engine that is not this script's to change."
if is_registered; then
    exit 0
fi
runtimes > /dev/null || could_not "no engine answers."
[ "$(id -u)" -eq 0 ] || could_not "that needs root. See docs/security.md for how to do it by hand."
if [ -z "${GRADEBOX_GVISOR_LOCKED:-}" ] && command -v flock > /dev/null; then
    GRADEBOX_GVISOR_LOCKED=1 exec flock -o "$0" "$0"
fi
if ! command -v runsc > /dev/null; then
    command -v apt-get > /dev/null || could_not "this is neither Debian nor Ubuntu. Install runsc, then call this again."
    install_runsc || could_not "its package could not be had. See docs/security.md for how to do it by hand."
fi
runsc=$(command -v runsc)
[ -s "$pid_file" ] || could_not "there is no $pid_file, so nobody can be told to read $settings again."
register "$runsc" || could_not "$settings could not be changed."
echo "==> registering $runsc with the Docker Engine ($settings)"
kill -HUP "$(cat "$pid_file")"
for _ in 1 2 3 4 5 6 7 8 9 10; do
    is_registered && exit 0
    sleep 0.2
done
could_not "the engine has not taken up $settings; restart it to see runsc."
