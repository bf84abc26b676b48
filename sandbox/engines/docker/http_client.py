"""HTTP/1.1 requests to a Docker Engine over a socket, TCP or TLS, with only the standard library.

docker-py takes as long to import as all of gradebox, and grading needs only a dozen requests. Addresses and environment
variables have the same meaning as for Docker's own client. Connections are reused; no request is sent twice. This
module raises only errors of `sandbox`.
"""

from __future__ import annotations

import errno
import json
import os
import select
import socket
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from gradebox.sandbox.engines.docker.unreachable import reason, unreachable
from gradebox.sandbox.errors import EngineRefused, EngineUnavailable, ImageUnavailable

DEFAULT_ADDRESS = "unix:///var/run/docker.sock"
_NOT_FOUND = 404
_ERRORS_FROM = 400
_HTTP_1_1 = 11
_NO_IMAGE = ("no such image", "does not match the specified platform")


@contextmanager
def translated() -> Iterator[None]:
    """Translate the errors of a connection into ours."""
    try:
        yield
    except (HTTPException, OSError) as error:
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            message = "This process cannot connect to the engine: it has too many open files."
            raise EngineUnavailable(message, remedy="Raise the limit with `ulimit -n`, or use fewer --jobs.") from error
        raise unreachable(error) from error


def refused(status: int, text: str) -> EngineRefused | ImageUnavailable:
    """Return the exception for an error response of the engine."""
    sentence = text.strip() if text.strip().endswith(".") else f"{text.strip()}."
    if status == _NOT_FOUND and any(words in text.lower() for words in _NO_IMAGE):
        return ImageUnavailable(sentence)
    return EngineRefused(f"The engine refused: {sentence}", status=status)


class _UnixConnection(HTTPConnection):
    """A connection to a socket of this machine."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class _Answered(NamedTuple):
    connection: HTTPConnection
    socket: socket.socket
    answer: HTTPResponse


class HttpClient:
    """Sends requests to one engine, from any thread.

    Args:
        address: The engine's address, such as ``unix:///run/docker.sock`` or ``tcp://build:2376``.
        timeout_seconds: How long the engine may be silent.
    """

    def __init__(self, address: str, timeout_seconds: float) -> None:
        # Connections that no request uses at the moment. List methods are atomic, so no lock is needed.
        self._idle: list[HTTPConnection] = []
        self._timeout = timeout_seconds
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        self._parts = parts
        self._prefix = ""
        if parts.scheme not in {"unix", "http+unix"}:
            try:
                invalid = parts.port is None or parts.password or parts.query or parts.fragment
            except ValueError:
                invalid = True
            if invalid or parts.scheme not in {"tcp", "http", "https"}:
                raise EngineUnavailable(
                    f"{address} is not a valid address of an engine.", remedy="Write it like tcp://HOST:2376."
                )
            self._prefix = parts.path.rstrip("/")

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections that are not in use."""
        # Other threads may take the last connection, so only `pop` itself shows whether one is left.
        with suppress(IndexError):
            while True:
                self._idle.pop().close()

    def json(
        self, method: str, path: str, query: Mapping[str, object] | None = None, body: Mapping[str, Any] | None = None
    ) -> Any:
        """Send a request and return the decoded JSON answer; None for an empty one.

        Args:
            method: The HTTP method.
            path: The path; its parts are quoted here.
            query: The query; values that are mappings or lists are sent as JSON.
            body: The body, sent as JSON.

        Raises:
            EngineUnavailable: If the engine does not answer.
            EngineRefused: If it answers with an error.
            ImageUnavailable: If the error is that it has no such image.
        """
        sent = None if body is None else json.dumps(body).encode()
        answer = self.content(method, path, query, sent, "application/json")
        with translated():
            try:
                return json.loads(answer) if answer.strip() else None
            except ValueError as error:
                raise HTTPException(f"{path} was answered with something else than JSON") from error

    def content(
        self,
        method: str,
        path: str,
        query: Mapping[str, object] | None = None,
        body: bytes | None = None,
        kind: str = "application/x-tar",
    ) -> bytes:
        """Send a request with a body of MIME type `kind` and return the content of the answer. Raises as `json`."""
        with self._answer(method, path, query, body, {"Content-Type": kind} if body else {}) as found:
            content = found.answer.read()
            if not content and _is_cut_off(found.answer):
                raise IncompleteRead(content)
        self._idle.append(found.connection)
        return content

    def lines(self, path: str, query: Mapping[str, object], timeout_seconds: float) -> Generator[bytes, None, None]:
        """Yield the lines of an answer as they arrive. Raises as `json`."""
        with self._answer("GET", path, query, timeout_seconds=timeout_seconds) as found:
            try:
                yield from found.answer
            finally:
                found.connection.close()

    def hijack(self, path: str, query: Mapping[str, object]) -> tuple[socket.socket, HTTPResponse]:
        """Send a request, and return its connection and answer, which the caller then owns and must close."""
        with self._answer("POST", path, query, None, {"Connection": "Upgrade", "Upgrade": "tcp"}) as found:
            return found.socket, found.answer

    @contextmanager
    def _answer(
        self,
        method: str,
        path: str,
        query: Mapping[str, object] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        timeout_seconds: float | None = None,
    ) -> Iterator[_Answered]:
        connection = self._kept() or self._connection()
        try:
            with translated():
                if connection.sock is None:
                    connection.connect()
                # Keep the socket: a connection drops it when an answer has no length.
                used = connection.sock
                used.settimeout(timeout_seconds or self._timeout)
                connection.request(method, self._target(path, query), body, headers or {})
                answer = connection.getresponse()
                if answer.status >= _ERRORS_FROM:
                    raise refused(answer.status, _message(answer))
                yield _Answered(connection, used, answer)
        except BaseException:
            connection.close()
            raise

    def _kept(self) -> HTTPConnection | None:
        """Return a connection that is still open, if there is one."""
        with suppress(IndexError):
            while True:
                connection = self._idle.pop()
                poller = select.poll()
                if connection.sock is not None:
                    poller.register(connection.sock, select.POLLIN)
                    # No answer is due, so a readable socket means that the engine has closed it.
                    if not poller.poll(0):
                        return connection
                connection.close()
        return None

    def _target(self, path: str, query: Mapping[str, object] | None) -> str:
        written = {
            name: json.dumps(value) if isinstance(value, Mapping | list) else value
            for name, value in (query or {}).items()
        }
        return f"{self._prefix}{quote(path, safe='/:')}{f'?{urlencode(written)}' if written else ''}"

    def _connection(self) -> HTTPConnection:
        parts = self._parts
        if parts.scheme in {"unix", "http+unix"}:
            return _UnixConnection("/" + f"{parts.netloc}{parts.path}".lstrip("/"), self._timeout)
        host = parts.hostname or "127.0.0.1"
        directory = os.environ.get("DOCKER_CERT_PATH") or ""
        verify = bool(os.environ.get("DOCKER_TLS_VERIFY"))
        if parts.scheme == "https" or (parts.scheme == "tcp" and (directory or verify)):
            return HTTPSConnection(host, parts.port, timeout=self._timeout, context=_tls(directory, verify=verify))
        return HTTPConnection(host, parts.port, timeout=self._timeout)


def _tls(directory: str, *, verify: bool) -> Any:
    """Return the TLS context, with the certificates in a directory; by default those of Docker's own client."""
    import ssl  # noqa: PLC0415 - few engines are reached so

    place = Path(directory) if directory else Path.home() / ".docker"
    try:
        if not (directory or verify):
            return ssl.create_default_context()
        context = ssl.create_default_context(cafile=str(place / "ca.pem") if verify else None)
        if not verify:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        context.load_cert_chain(place / "cert.pem", place / "key.pem")
    except OSError as error:
        raise EngineUnavailable(
            f"The certificates in {place} cannot be used: {reason(error)}.",
            remedy="Set DOCKER_CERT_PATH to a directory with ca.pem, cert.pem and key.pem.",
        ) from error
    return context


def _is_cut_off(answer: HTTPResponse) -> bool:
    """Return whether the connection ended within the headers, which `http.client` takes for the end of the headers."""
    has_end = answer.chunked or answer.length is not None
    return answer.version == _HTTP_1_1 and not has_end and "close" not in answer.getheader("Connection", "").lower()


def _message(answer: HTTPResponse) -> str:
    text = answer.read().decode("utf-8", "replace")
    try:
        return str(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        return text or answer.reason
