"""Sockets that have a name but no file: they belong to a network, and the engine's own helpers have used them."""

import socket

from attacker import breach, over

own = socket.socket(socket.AF_UNIX)
own.bind("\0planted")
own.listen()
with open("/proc/net/unix") as file:
    names = [line.split()[7] for line in file.readlines()[1:] if len(line.split()) > 7]
for name in names:
    if name != "@planted":
        breach(f"saw the socket {name}")
for name in ("\0/containerd-shim/moby/shim.sock", "\0/containerd-shim/x.sock", "\0dbus", "\0/tmp/.X11-unix/X0", "\0docker", "\0gradebox"):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        try:
            socket.socket(socket.AF_UNIX, kind).connect(name)
        except OSError as error:
            print("held:", name[1:], "-", error)
        else:
            breach(f"reached {name[1:]}")
over()
