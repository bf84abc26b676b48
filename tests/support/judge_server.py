"""A server of chat completions on this machine that plays what a test says: replies, and faults of all kinds."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]


@dataclass(frozen=True)
class Play:
    """What the server does with one request.

    Attributes:
        text: The content of the reply.
        status: Of HTTP; other than 200, an error.
        body: Sent as it is, in place of a completion.
        cut: Whether the connection is cut in the middle of the body.
        wait_seconds: How long it takes.
        extra: Added to the completion.
    """

    text: str | None = None
    status: int = 200
    body: bytes | None = None
    cut: bool = False
    wait_seconds: float = 0.0
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class JudgeServer:
    """The running server: what it was asked, and what it plays next; the last play goes on for ever."""

    url: str
    play: Callable[[Request], Play]
    requests: list[Request] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def asked(self) -> int:
        return len(self.requests)


def said(reply: object, **more: Any) -> Play:
    """Return the play of a reply: JSON, or text as it is."""
    return Play(reply if isinstance(reply, str) else json.dumps(reply), **more)


def score(number: object, reasoning: str = "because") -> Play:
    return said({"reasoning": reasoning, "score": number})


def in_turn(plays: Iterable[Play]) -> Callable[[Request], Play]:
    """Return a script that plays one after the other, the last one again and again."""
    left = list(plays)
    lock = threading.Lock()

    def play(_: Request) -> Play:
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return play


@contextmanager
def judge_server(play: Callable[[Request], Play] | Play, *more: Play) -> Iterator[JudgeServer]:
    """Run a server that plays this."""
    script = in_turn([play, *more]) if isinstance(play, Play) else play
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    running = JudgeServer(f"http://127.0.0.1:{server.server_port}/v1", script)
    server.running = running  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield running
    finally:
        running.over.set()
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        running: JudgeServer = self.server.running  # type: ignore[attr-defined]
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        running.requests.append(asked)
        running.headers.append({name.lower(): value for name, value in self.headers.items()})
        play = running.play(asked)
        running.over.wait(play.wait_seconds)
        if play.status != 200 and play.body is None:
            self._send(play.status, json.dumps({"error": {"message": play.text or "no"}}).encode())
            return
        message = {"role": "assistant", "content": play.text}
        completion = {
            "id": "1", "object": "chat.completion", "created": 1, "model": f"{asked['model']}-0613",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }  # fmt: skip
        body = json.dumps(completion | dict(play.extra)).encode() if play.body is None else play.body
        self._send(play.status, body, cut=play.cut)

    def _send(self, status: int, body: bytes, *, cut: bool = False) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        # So that the client does not wait long before it tries again.
        self.send_header("retry-after-ms", "1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if cut else body)
        if cut:
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the signature of the library
        pass
