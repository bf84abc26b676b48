"""Connects to a container engine, chosen by the scheme of its address.

An engine is a package of `gradebox.sandbox.engines`, or an object that another distribution names as an entry point::

    [project.entry-points."gradebox.engines"]
    cloud = "gradebox_cloud.engine"

It defines `SCHEMES`, and `connect(url, timeout_seconds)`, which returns an `Engine`. Importing it must be cheap: every
engine is imported to learn its schemes, and only the chosen one loads its client. Our own schemes take precedence.
"""

from __future__ import annotations

import os
import pkgutil
from collections.abc import Collection, Iterator
from importlib import import_module
from typing import Protocol

from gradebox.sandbox import engines
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.errors import EngineUnavailable

ENTRY_POINTS = "gradebox.engines"
# The address that Docker's clients read from the environment.
VARIABLE = "DOCKER_HOST"
_DEFAULT_SCHEME = "unix"


class EngineKind(Protocol):
    """The interface of an engine's package.

    Attributes:
        SCHEMES: The schemes of its addresses, in lower case.
    """

    @property
    def SCHEMES(self) -> Collection[str]: ...  # noqa: N802 - a constant of a module

    def connect(self, url: str | None, timeout_seconds: int) -> Engine:
        """Return an engine; for None, the one that the environment names, or the default."""
        ...


def connect(url: str | None = None, *, timeout_seconds: int = 120) -> Engine:
    """Return the engine at an address. It may connect only on first use.

    Args:
        url: Such as ``unix:///run/docker.sock``, ``tcp://build:2376`` or ``ssh://user@host``; None for the address in
            the environment (DOCKER_HOST), otherwise the default socket.
        timeout_seconds: How long one answer may take.

    Raises:
        EngineUnavailable: If no engine or more than one plug-in has the scheme, or a plug-in cannot be loaded.
    """
    address = url or os.environ.get(VARIABLE) or ""
    known = {scheme: kind for kind in _own_kinds() for scheme in kind.SCHEMES}
    scheme = _scheme(address, known)
    if scheme not in known:
        known = {**_other_kinds(), **known}
    if scheme not in known:
        raise EngineUnavailable(
            f"No engine has the address {address}: the scheme {scheme!r} is unknown.",
            remedy=f"Use one of these schemes: {', '.join(sorted(known))}.",
        )
    return known[scheme].connect(url, timeout_seconds)


def _scheme(address: str, known: Collection[str]) -> str:
    if not address:
        return _DEFAULT_SCHEME
    scheme, colon, rest = address.partition(":")
    if colon and not rest.startswith("//") and scheme.lower() not in known:
        # Docker's clients accept HOST:PORT, too.
        return "tcp" if rest.split("/")[0].isdigit() else scheme.lower()
    return scheme.lower() if colon or scheme.lower() in known else "tcp"


def _own_kinds() -> Iterator[EngineKind]:
    for found in pkgutil.iter_modules(engines.__path__):
        if found.ispkg:
            yield import_module(f"{engines.__name__}.{found.name}")


def _other_kinds() -> dict[str, EngineKind]:
    """Return the engines of other distributions, by scheme."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow, and only an unknown scheme needs it

    kinds: dict[str, EngineKind] = {}
    names: dict[str, str] = {}
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            kind: EngineKind = entry.load()
        except Exception as error:
            raise EngineUnavailable(
                f"The engine plug-in {entry.name!r} ({entry.value}) cannot be loaded: {type(error).__name__}: {error}.",
                remedy="Update or uninstall the distribution that provides it.",
            ) from error
        for scheme in kind.SCHEMES:
            if scheme in names:
                raise EngineUnavailable(
                    f"Two engine plug-ins have the scheme {scheme!r}: {names[scheme]} and {entry.value}.",
                    remedy="Uninstall one of them.",
                )
            names[scheme], kinds[scheme] = entry.value, kind
    return kinds
