"""Requests, responses and errors as plain values, so that the app needs no socket to be called."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Request:
    """One HTTP request; header names are lower case."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def json(self) -> dict[str, Any]:
        """Return the body as a JSON object, or refuse the request."""
        try:
            payload = json.loads(self.body)
        except ValueError as error:
            raise HttpError(400, "the body is not JSON") from error
        if not isinstance(payload, dict):
            raise HttpError(400, "the body is not a JSON object")
        return payload


@dataclass(frozen=True)
class Response:
    """One HTTP response; a payload of None sends no body."""

    status: int
    payload: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


class HttpError(Exception):
    """A request that is refused; becomes a response with `{"error": message}`."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = dict(headers or {})

    def response(self) -> Response:
        return Response(self.status, {"error": self.message}, self.headers)
