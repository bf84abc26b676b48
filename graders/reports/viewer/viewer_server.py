"""The HTTP server of the viewer: one address of the loopback interface, GET and HEAD, and the headers of each answer.

`access` admits or refuses a request before anything else looks at it. Answers come from `pages`, or are our own style
sheets and scripts: the path of a request is never used as the path of a file.
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
# Seconds to wait for a silent browser.
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
    """The answer to a request."""

    body: bytes
    kind: str = "text/html; charset=utf-8"
    status: HTTPStatus = HTTPStatus.OK
    tag: str = ""  # The ETag, which changes when the answer does; empty for none.
    enters: bool = False  # Whether the answer sets the cookie.


class Site(Protocol):
    """The pages of the viewer."""

    def answer(self, path: str, query: Mapping[str, str], tag: str) -> Answer:
        """Return the page at a path; `tag` is that of the browser's copy. Raises GraderError if there is none."""

    def message(self, status: HTTPStatus, sentence: str, remedy: str = "") -> Answer:
        """Return a page with a message."""

    def welcome(self, path: str) -> Answer:
        """Return the page for a browser that came with the token; it leads to a path."""


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE_SECONDS
    server: ViewerServer

    def do_GET(self) -> None:
        self._send(self._answer())

    do_HEAD = do_GET  # noqa: N815 - the base class looks up this name

    def _answer(self) -> Answer:
        site, access = self.server.site, self.server.access
        target = urlsplit(self.path)
        query = _fields(target.query)
        if self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers:
            # The body would be read as the next request.
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
            # The base class sends no headers if a request names no version that it knows.
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
        """Answer an invalid request, or one with another method, with a page and the usual headers."""
        del message, explain
        self.close_connection = True
        status = HTTPStatus(code)
        if status is HTTPStatus.NOT_IMPLEMENTED:
            status = HTTPStatus.METHOD_NOT_ALLOWED
        self._send(self.server.site.message(status, f"{status.phrase}.", "The viewer only shows."))

    def version_string(self) -> str:
        return "gradebox"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the base class
        """Log nothing: stderr is the user's terminal."""


class ViewerServer(ThreadingHTTPServer):
    """Serves one site to one user."""

    daemon_threads = True
    block_on_close = False
    # Do not share a port with another program.
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
        """Ignore errors of one request, such as a closed connection: they must not stop the server."""
        del request, client_address


@contextmanager
def serving(server: ViewerServer) -> Iterator[None]:
    """Close a server at the end of the block, even after an error."""
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
