"""The sockets of the viewer: one address of the loopback interface, GET and HEAD, and the headers of each answer.

A request is decided about (`access`) before anything else of it is looked at. What is answered comes from `pages`, or
is one of our own style sheets and scripts: no path of a request is ever a path of a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

from gradebox.graders.errors import GraderError, UsageRefused
from gradebox.graders.reports.viewer.access import Access, Admission

_LOOPBACK = "127.0.0.1"
# Of a browser that says nothing.
_PATIENCE_SECONDS = 60
_FIELDS_MAX = 40
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}


class Answer(NamedTuple):
    """What a request is answered with."""

    body: bytes
    kind: str = "text/html; charset=utf-8"
    status: HTTPStatus = HTTPStatus.OK
    tag: str = ""  # What changes when the answer does; empty if nobody asks again.
    enters: bool = False  # Whether the browser gets the cookie.


class Site(Protocol):
    """What the viewer shows."""

    def answer(self, path: str, query: Mapping[str, str], tag: str) -> Answer:
        """Return the page of an address; `tag` is that of what the browser has. Raises GraderError."""

    def message(self, status: HTTPStatus, sentence: str, remedy: str = "") -> Answer:
        """Return a page that says a sentence."""

    def welcome(self, path: str) -> Answer:
        """Return the page of whoever has come with the token, which leads to a path."""


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE_SECONDS
    server: ViewerServer

    def do_GET(self) -> None:
        self._send(self._answer())

    do_HEAD = do_GET  # noqa: N815 - as the base class looks it up

    def _answer(self) -> Answer:
        site, access = self.server.site, self.server.access
        target = urlsplit(self.path)
        query = _fields(target.query)
        if self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers:
            # What follows is not a request.
            self.close_connection = True
        admission = access.admission(
            self.headers.get_all("Host", []), query, self.headers.get_all("Cookie", []),
            self.headers.get("Sec-Fetch-Site", ""),
        )  # fmt: skip
        match admission:
            case Admission.WRONG_HOST:
                return site.message(HTTPStatus.MISDIRECTED_REQUEST, "This address is not the viewer's.")
            case Admission.REFUSED:
                remedy = "Open the address that grade view printed, with its token."
                return site.message(HTTPStatus.FORBIDDEN, "This browser is not allowed in.", remedy)
            case Admission.WELCOME:
                return site.welcome(unquote(target.path))
        try:
            return site.answer(unquote(target.path), query, self.headers.get("If-None-Match", ""))
        except GraderError as error:
            return site.message(HTTPStatus.NOT_FOUND, error.message, error.remedy)
        except Exception as error:  # noqa: BLE001 - an error of one page ends none of the others
            sentence = f"Internal error in gradebox ({type(error).__name__}: {error})."
            return site.message(HTTPStatus.INTERNAL_SERVER_ERROR, sentence, "Please report it.")

    def _send(self, answer: Answer) -> None:
        if self.request_version != "HTTP/1.1":
            # The base class sends no headers to whoever names no version that it knows.
            self.request_version, self.close_connection = "HTTP/1.0", True
        self.send_response(answer.status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        if answer.enters:
            self.send_header("Set-Cookie", self.server.access.cookie)
        if answer.status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET, HEAD")
        if answer.tag:
            self.send_header("ETag", answer.tag)
        if self.close_connection:
            self.send_header("Connection", "close")
        if answer.status is not HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD" and answer.status is not HTTPStatus.NOT_MODIFIED:
            self.wfile.write(answer.body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what is not a request, or one of another method, as everything else is answered."""
        del message, explain
        self.close_connection = True
        status = HTTPStatus(code)
        if status is HTTPStatus.NOT_IMPLEMENTED:
            status = HTTPStatus.METHOD_NOT_ALLOWED
        self._send(self.server.site.message(status, f"{status.phrase}.", "The viewer only shows."))

    def version_string(self) -> str:
        return "gradebox"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the base class has it
        """Say nothing: stderr is the terminal of whoever looks at the pages."""


class ViewerServer(ThreadingHTTPServer):
    """Serves one site to one user."""

    daemon_threads = True
    block_on_close = False
    # The port of another program is not to be shared.
    allow_reuse_address = True
    allow_reuse_port = False

    def __init__(self, site: Site, port: int = 0) -> None:
        """Listen on a port, any free one if it is 0. Raises UsageRefused if another program has it."""
        self.site = site
        try:
            super().__init__((_LOOPBACK, port), Handler)
        except (OSError, OverflowError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise UsageRefused(
                f"Port {port} cannot be used: {why}.", remedy="Choose another --port, or leave it out."
            ) from error
        self.access = Access.at(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that has gone, and end nothing for any error of one request."""
        del request, client_address


@contextmanager
def serving(server: ViewerServer) -> Iterator[None]:
    """Close a server in the end, whatever ends it."""
    try:
        yield
    finally:
        with suppress(OSError):
            server.server_close()


def _fields(query: str) -> dict[str, str]:
    try:
        return dict(parse_qsl(query, max_num_fields=_FIELDS_MAX, errors="replace"))
    except ValueError:
        return {}
