"""Packets as they are on the wire, past every filter of addresses and ports."""

import socket

from attacker import attempt, over

for family in (socket.AF_INET, socket.AF_INET6):
    for protocol in (socket.IPPROTO_RAW, socket.IPPROTO_ICMP, socket.IPPROTO_TCP):
        attempt(f"a raw socket {family.name} {protocol}", socket.socket, family, socket.SOCK_RAW, protocol)
for kind in (socket.SOCK_RAW, socket.SOCK_DGRAM):
    attempt(f"a packet socket {kind.name}", socket.socket, socket.AF_PACKET, kind, 0x0300)
own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
attempt("bound to an interface by name", own.setsockopt, socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"eth0\0")
over()
