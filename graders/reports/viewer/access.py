"""Who may ask the viewer: whoever has the token of its address, and then the browser that has its cookie. Pure.

| from | is kept out by |
|---|---|
| another machine | the socket, which is of the loopback interface |
| another user of this machine | the token: 256 random bits, compared in constant time |
| a page of another site, in this browser | the cookie's `SameSite=Strict`, and `Sec-Fetch-Site` |
| a name that another site points at this machine | the `Host` header, which has to be of the loopback interface |
| a script that reads the cookie | `HttpOnly` |

The cookie holds another secret than the address, and is named after the port: browsers do not separate cookies by port.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping, Sequence
from enum import Enum
from http.cookies import CookieError, SimpleCookie

from gradebox.sandbox.records import dataclass

TOKEN = "token"  # noqa: S105 - the name of a field
_HOSTS = ("127.0.0.1", "localhost")
_BITS = 256
# What a browser says of a request that a page of ours made, or its user.
_OWN_SITES = frozenset({"", "none", "same-origin"})


class Admission(Enum):
    """What becomes of a request."""

    ALLOWED = "allowed"
    WELCOME = "welcome"  # It has the token, and gets the cookie.
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
        """Where a person opens it, at a path that is quoted already."""
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
        """Decide about a request by its `Host` headers, its query, its `Cookie` headers and its `Sec-Fetch-Site`."""
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
        try:
            found = SimpleCookie(cookies).get(self._name)
        except CookieError:
            return ""
        return found.value if found else ""


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())
