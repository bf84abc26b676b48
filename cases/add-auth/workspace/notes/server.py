"""The bridge from `http.server` to the app: bytes in, bytes out, nothing about notes."""

from __future__ import annotations

import json
import socketserver
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from notes.messages import HttpError, Request, Response

MAX_BODY_BYTES = 64 * 1024
MAX_DRAINED_BYTES = 16 * MAX_BODY_BYTES


class NotesServer(ThreadingHTTPServer):
    daemon_threads = True

    def server_bind(self) -> None:
        # HTTPServer would look up the host's full name here, which can wait for a DNS server.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])


def make_server(handle: Callable[[Request], Response], host: str, port: int) -> NotesServer:
    """Return a server that is bound and listening, but serves nothing until `serve_forever`."""

    class Handler(BaseHTTPRequestHandler):
        wbufsize = -1
        timeout = 30

        def _serve(self) -> None:
            try:
                response = handle(self._read_request())
            except HttpError as error:
                response = error.response()
            self._send(response)

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _serve

        def _read_request(self) -> Request:
            address = urlsplit(self.path)
            length = self.headers.get("Content-Length", "0")
            if not length.isdigit():
                raise HttpError(400, "Content-Length is not a number")
            if int(length) > MAX_BODY_BYTES:
                # A client that is still sending would lose the answer to a connection reset.
                self.rfile.read(min(int(length), MAX_DRAINED_BYTES))
                raise HttpError(413, f"the body is larger than {MAX_BODY_BYTES} bytes")
            return Request(
                method=self.command,
                path=address.path,
                query=dict(parse_qsl(address.query)),
                headers={name.lower(): value for name, value in self.headers.items()},
                body=self.rfile.read(int(length)),
            )

        def _send(self, response: Response) -> None:
            body = b"" if response.payload is None else json.dumps(response.payload).encode()
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            if body:
                self.send_header("Content-Type", "application/json")
            if response.status != 204:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Stay quiet: bodies and headers hold what people wrote to themselves."""

    return NotesServer((host, port), Handler)
