"""Anything outside: the metadata of a cloud, the engine behind its bridge, the machine, its neighbours, the world."""

import socket

from attacker import breach, over

ADDRESSES = (
    "169.254.169.254", "169.254.170.2", "100.100.100.200", "172.17.0.1", "172.18.0.1", "10.0.2.2", "10.0.0.1",
    "192.168.65.2", "192.168.65.254", "192.168.0.1", "1.1.1.1", "192.0.2.1", "255.255.255.255", "224.0.0.1",
    "fd00:ec2::254", "2606:4700:4700::1111",
)
for address in ADDRESSES:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for port in (80, 443, 22, 53, 2375, 2376):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            try:
                with socket.socket(family, kind) as channel:
                    channel.settimeout(0.2)
                    channel.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
                    channel.connect((address, port))
                    channel.send(b"GET /latest/meta-data/ HTTP/1.0\r\n\r\n")
            except OSError as error:
                last = error
                continue
            breach(f"sent to {address}:{port}")
    print("held:", address, "-", last)
over()
