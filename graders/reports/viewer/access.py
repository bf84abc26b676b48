"""Access to the viewer: a browser needs the token in the address, and then the cookie. Pure.

| request from | is kept out by |
|---|---|
| another machine | the socket, which listens on the loopback interface |
| another user of this machine | the token: 256 random bits, compared in constant time |
| a page of another site, in this browser | the cookie's `SameSite=Strict`, and `Sec-Fetch-Site` |
| a host name that another site points to this machine | the `Host` header, which must name the loopback interface |
| a script that reads the cookie | `HttpOnly` |

The cookie holds another secret than the token. Its name contains the port, since browsers share cookies between ports.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping, Sequence
from enum import Enum

from gradebox.sandbox.records import dataclass

TOKEN = "token"  # noqa: S105 - the name of a field
_HOSTS = ("127.0.0.1", "localhost")
_BITS = 256
# Values of `Sec-Fetch-Site` for requests by our own pages, by the user, or by a browser without this header.
_OWN_SITES = frozenset({"", "none", "same-origin"})


class Admission(Enum):
    """The decision about a request."""

    ALLOWED = "allowed"
    WELCOME = "welcome"  # The request has the token, and its browser gets the cookie.
    REFUSED = "refused"
    WRONG_HOST = "wrong host"


@dataclass(frozen=True, slots=True)
class Access:
    """The secrets of one viewer."""

    port: int
    token: str
    session: str

    @classmethod
    def at(cls, port: int) -> Access:
        """Return new secrets."""
        return cls(port, secrets.token_urlsafe(_BITS // 8), secrets.token_urlsafe(_BITS // 8))

    def address(self, path: str = "/") -> str:
        """Return the address for a user to open, with a path that is already quoted."""
        return f"http://{_HOSTS[0]}:{self.port}{path}?{TOKEN}={self.token}"

    @property
    def cookie(self) -> str:
        """The value of the `Set-Cookie` header."""
        return f"{self._name}={self.session}; HttpOnly; SameSite=Strict; Path=/"

    @property
    def _name(self) -> str:
        return f"gradebox-{self.port}"

    def admission(
        self, hosts: Sequence[str], query: Mapping[str, str], cookies: Sequence[str], site: str = ""
    ) -> Admission:
        """Decide about a request by its `Host` headers, query, `Cookie` headers and `Sec-Fetch-Site`."""
        if len(hosts) != 1 or hosts[0].lower() not in {f"{host}:{self.port}" for host in _HOSTS}:
            return Admission.WRONG_HOST
        if _same(query.get(TOKEN, ""), self.token):
            return Admission.WELCOME
        if site not in _OWN_SITES:
            return Admission.REFUSED
        return (
            Admission.ALLOWED
            if any(_same(self._session_in(one), self.session) for one in cookies)
            else Admission.REFUSED
        )

    def _session_in(self, cookies: str) -> str:
        # `http.cookies` takes quadratic time, and reads the cookies of anyone who connects.
        pairs = (one.strip().partition("=") for one in cookies.split(";"))
        return next((value for name, _, value in pairs if name == self._name), "")


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())
