"""Options that put other kernel code behind an ordinary socket: IPsec and L2TP in UDP, TLS and IPsec on TCP."""

import socket

from attacker import attempt, over

UDP_ENCAP, TCP_ULP = 100, 31


def set_option(kind, level, option, value):
    with socket.socket(socket.AF_INET, kind) as channel, socket.socket(socket.AF_INET, kind) as peer:
        if kind == socket.SOCK_STREAM:
            peer.bind(("127.0.0.1", 0))
            peer.listen()
            channel.connect(peer.getsockname())
        channel.setsockopt(level, option, value)


for encapsulation in range(1, 7):
    attempt(f"encapsulation {encapsulation} in UDP", set_option, socket.SOCK_DGRAM, socket.IPPROTO_UDP, UDP_ENCAP, encapsulation)
for name in (b"tls", b"espintcp", b"smc", b"mptcp"):
    attempt(f"{name.decode()} on TCP", set_option, socket.SOCK_STREAM, socket.IPPROTO_TCP, TCP_ULP, name)
over()
