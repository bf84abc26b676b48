"""Families of sockets that nobody here needs; one of them reaches the machine around this one, others load drivers."""

import socket

from attacker import attempt, over

VSOCK, ALG, CAN, TIPC, RDS, XDP, KCM, SMC, BLUETOOTH, QIPCRTR, X25, AX25, APPLETALK = 40, 38, 29, 30, 21, 44, 41, 43, 31, 42, 9, 3, 5
SCTP, DCCP, L2TP, UDP_LITE, MPTCP, DCCP_KIND = 132, 33, 115, 136, 262, 6


def reach(address):
    with socket.socket(VSOCK, socket.SOCK_STREAM) as channel:
        channel.settimeout(1)
        channel.connect(address)


attempt("a socket to the machine around this one", socket.socket, VSOCK, socket.SOCK_STREAM)
for cid in (0, 1, 2, 3):
    for port in (22, 52, 1024, 2375, 5000, 9999, 10000):
        attempt(f"reached {cid}:{port} of the machines around this one", reach, (cid, port))
for family in (ALG, CAN, TIPC, RDS, XDP, KCM, SMC, BLUETOOTH, QIPCRTR, X25, AX25, APPLETALK):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_RAW):
        attempt(f"a socket of family {family}", socket.socket, family, kind)
# The internet's own family, with transports that are modules of the kernel.
for family in (socket.AF_INET, socket.AF_INET6):
    for kind, protocol in ((socket.SOCK_STREAM, SCTP), (socket.SOCK_SEQPACKET, SCTP), (DCCP_KIND, DCCP), (DCCP_KIND, 0), (socket.SOCK_DGRAM, L2TP), (socket.SOCK_DGRAM, UDP_LITE), (socket.SOCK_STREAM, MPTCP)):
        attempt(f"a socket for the transport {protocol}", socket.socket, family, kind, protocol)
over()
