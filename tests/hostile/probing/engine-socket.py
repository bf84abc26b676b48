"""The engine's socket, under the names that it has everywhere, and any other socket in the file system."""

import os
import socket
import stat

from attacker import breach, over

KNOWN = (
    "/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock",
    "/run/crio/crio.sock", "/run/user/1000/docker.sock", "/var/run/dockershim.sock", "/run/systemd/private",
    "/run/dbus/system_bus_socket", "/host/var/run/docker.sock", "/run/snapd.socket", "/run/buildkit/buildkitd.sock",
)
found = set(KNOWN)
for directory, names, files in os.walk("/"):
    names[:] = [name for name in names if f"{directory}/{name}" not in ("//proc", "//sys")]
    for name in files:
        try:
            if stat.S_ISSOCK(os.lstat(f"{directory}/{name}").st_mode):
                found.add(f"{directory}/{name}")
                breach(f"there is a socket {directory}/{name}")
        except OSError:
            continue
for path in sorted(found):
    try:
        with socket.socket(socket.AF_UNIX) as channel:
            channel.connect(path)
            channel.send(b"GET /containers/json HTTP/1.0\r\n\r\n")
            breach(f"{path} answered {channel.recv(200)!r}")
    except OSError as error:
        print("held:", path, "-", error)
over()
