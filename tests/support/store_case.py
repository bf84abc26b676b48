"""A case with a tiny service: a store of names and values, made from the shipped image of Python."""

from __future__ import annotations

from pathlib import Path

from grading_bench import write

STORE = '''\
"""A store: `put NAME VALUE`, `get NAME`, `clear`, `die`, `eat`, `hang`; a line for each, and one for each answer."""
import os
import socketserver
import threading

names = {}


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            word, *rest = line.decode().split()
            reply = "ok"
            if word == "put":
                names[rest[0]] = rest[1]
            elif word == "get":
                reply = names.get(rest[0], "none")
            elif word == "clear":
                names.clear()
            elif word == "die":
                print("told to die", flush=True)
                os._exit(3)
            elif word == "eat":
                names["eaten"] = b"x" * (512 << 20)
            elif word == "hang":
                threading.Thread(target=server.shutdown).start()
            self.wfile.write(reply.encode() + b"\\n")


socketserver.ThreadingTCPServer.allow_reuse_address = True
server = socketserver.ThreadingTCPServer(("127.0.0.1", 7000), Handler)
print("the store is open", flush=True)
server.serve_forever()
server.server_close()
threading.Event().wait()
'''
ASK = """\
import socket
import sys


def ask(*lines, host="store"):
    with socket.create_connection((host, 7000), 5) as connection:
        for line in lines:
            connection.sendall(line.encode() + b"\\n")
            got = connection.recv(99).decode().strip()
    return got
"""
LOOK = ASK + 'got = ask("get colour")\nprint(got)\nsys.exit(got != "green")\n'
CLEAR = ASK + 'ask("clear")\n'
WORK = ASK + 'print(ask("put colour green"))\n'

CASE = """\
id: store
image: gradebox/python
services:
  store:
    image: gradebox/python
    command: [python3, grading/store.py]
    env: {SECRET: only-of-the-service}
    ready: {port: 7000}
    limits: {memory: 96MB, pids: 32}
%s
assertions:
  - {name: runs, type: code-grader, command: [python3, work.py]}
  - {name: stored, type: code-grader, command: [python3, grading/look.py], after: candidate, required: true}
"""
LASTING = "    per: run\n    reset: [python3, grading/clear.py]"


def write_store_case(place: Path, *, lasting: bool = False) -> Path:
    """Write the case into a directory, and return that."""
    files = {"store.py": STORE, "look.py": LOOK, "clear.py": CLEAR}
    write(place, {"case.yaml": CASE % (LASTING if lasting else ""), "workspace/README": "Write work.py."})
    write(place, {f"grading/{name}": text for name, text in files.items()})
    return place
