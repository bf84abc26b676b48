"""The error for a Docker Engine that does not answer, with a remedy. `grade doctor` diagnoses this in more detail."""

from __future__ import annotations

from gradebox.sandbox.errors import EngineUnavailable

_REMEDY = "Start the Docker Engine, or set DOCKER_HOST to one that answers. `grade doctor` shows details."


def unreachable(error: BaseException, address: str = "") -> EngineUnavailable:
    """Return the error for an engine that does not answer; the message names the address if there is one."""
    said = f"No Docker Engine answers at {address}" if address else "The Docker Engine does not answer"
    return EngineUnavailable(f"{said}: {reason(error)}.", remedy=_REMEDY)


def reason(error: BaseException) -> str:
    """Return the operating system's message if the error has or wraps one, otherwise the error's own message."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, OSError) and inner.strerror:
            return inner.strerror
        inner = inner.__context__
    return str(error).rstrip(".") or type(error).__name__
