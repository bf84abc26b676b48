"""The kernel's own socket: interfaces, routes, filters, audit, and what happens to processes and devices."""

import fcntl
import os
import socket
import struct

from attacker import attempt, breach, over

ROUTE, AUDIT, CONNECTOR, NETFILTER, GENERIC, CRYPTO = 0, 9, 11, 12, 16, 21
NEW_LINK, GET_LINK, NEW_ADDRESS, NEW_ROUTE = 16, 18, 20, 24
REQUEST, ACK, CREATE, DUMP = 1, 4, 0x400, 0x300


def ask(protocol, kind, flags, body):
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol) as channel:
        channel.settimeout(2)
        channel.bind((0, 0))
        channel.send(struct.pack("=IHHII", 16 + len(body), kind, REQUEST | flags, 1, 0) + body)
        answer = channel.recv(65536)
    length, got, _, _, _ = struct.unpack("=IHHII", answer[:16])
    if got == 2:
        number = struct.unpack("=i", answer[16:20])[0]
        if number:
            raise OSError(-number, f"error {-number}")
    return answer


def attribute(kind, value):
    return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


link = struct.pack("=BxHiII", 0, 0, 0, 1, 0xFFFFFFFF)
attempt("made an interface", ask, ROUTE, NEW_LINK, ACK | CREATE, link + attribute(3, b"planted\0") + attribute(18, attribute(1, b"dummy")))
attempt("gave loopback an address", ask, ROUTE, NEW_ADDRESS, ACK | CREATE, struct.pack("=BBBBi", 2, 24, 0, 0, 1) + attribute(2, bytes([10, 9, 8, 7])))
attempt("made a route", ask, ROUTE, NEW_ROUTE, ACK | CREATE, struct.pack("=BBBBBBBBI", 2, 0, 0, 0, 254, 3, 0, 1, 0) + attribute(4, struct.pack("=i", 1)))
attempt("changed a table of filters", ask, NETFILTER, 10 << 8, ACK | CREATE, struct.pack("=BBH", 2, 0, 0) + attribute(1, b"planted\0"))
attempt("spoke to audit", ask, AUDIT, 1000, ACK, b"")
attempt("listed the ciphers", ask, CRYPTO, 0x13, ACK, bytes(224))


def listen(protocol, groups):
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, protocol) as channel:
        channel.bind((0, groups))


attempt("listened to audit", listen, AUDIT, 1)


def hear_of_processes():
    """Ask to be told of all processes of the machine, and wait for one that is ours."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, CONNECTOR) as channel:
        channel.settimeout(1)
        channel.bind((0, 1))
        wanted = struct.pack("=IIIIHHI", 1, 1, 0, 0, 4, 0, 1)
        channel.send(struct.pack("=IHHII", 16 + len(wanted), 3, 0, 0, 0) + wanted)
        if os.fork() == 0:
            os._exit(0)
        os.wait()
        while len(channel.recv(4096)) < 60:
            pass


attempt("heard of processes", hear_of_processes)
try:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14x", b"lo", 0)
        attempt("shut loopback down", fcntl.ioctl, any_socket, 0x8914, request)
    names = [name for _, name in socket.if_nameindex()]
except OSError as error:
    print("held:", error)
    names = []
# Tunnels that some kernels put everywhere are down and lead nowhere.
usable = [name for name in names if name != "lo" and "LOWER_UP" in open(f"/sys/class/net/{name}/operstate").read().upper()]
if usable:
    breach(f"interfaces {usable}")
over()
