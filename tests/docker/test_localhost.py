"""Servers that tests start are reached as ``localhost``, in images of ours and in others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Outcome, SandboxSpec

_JAVASCRIPT = """
const server = require("node:http").createServer((_, response) => response.end("heard"));
server.listen(0, "localhost", async () => {
  console.log(await (await fetch(`http://localhost:${server.address().port}/`)).text());
  server.close();
});
"""
SERVERS = {
    "base": ("sh", "-c", "getent hosts localhost >&2 && echo heard"),
    "python": (
        "python3",
        "-c",
        """if True:
            import socket
            server = socket.create_server(("localhost", 0))
            client = socket.create_connection(("localhost", server.getsockname()[1]))
            server.accept()[0].sendall(b"heard")
            print(client.recv(5).decode())
        """,
    ),
    "node": ("node", "-e", _JAVASCRIPT),
    "bun": ("bun", "-e", _JAVASCRIPT),
    "julia": (
        "julia",
        "-e",
        """
        using Sockets
        server = listen(getaddrinfo("localhost", IPv4), 20000)
        @async write(accept(server), "heard\\n")
        println(readline(connect("localhost", 20000)))
        """,
    ),
}


def run(sandbox: Sandbox, *argv: str) -> Outcome:
    return sandbox.run(Command(argv, env=sandbox.env, uid=sandbox.uid(1), wall_seconds=30.0))


@pytest.mark.parametrize("image", SERVERS)
def test_a_server_on_localhost_is_heard(engine: DockerEngine, image: str) -> None:
    with Sandbox(engine, SandboxSpec(reference(image))) as sandbox:
        outcome = run(sandbox, *SERVERS[image])
    assert outcome.stdout.text() == "heard\n", outcome.stderr.text()


def test_an_image_that_says_nothing_of_localhost_gets_it_from_the_engine(
    engine: DockerEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = replace(engine.image(reference("base")), labels={})
    monkeypatch.setattr(engine, "image", lambda _: without)
    with Sandbox(engine, SandboxSpec(without.reference)) as sandbox:
        hosts = run(sandbox, "cat", "/etc/hosts").stdout.text()
        servers = run(sandbox, "cat", "/etc/resolv.conf").stdout.text()
        assert sandbox.guarantees.interfaces == ()
    assert "127.0.0.1\tlocalhost\n" in hosts
    assert [line for line in servers.splitlines() if line.startswith("nameserver")] == ["nameserver 127.0.0.1"]
