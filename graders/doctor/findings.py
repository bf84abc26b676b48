"""The findings of ``grade doctor``."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from gradebox.sandbox.errors import SandboxError
from gradebox.sandbox.records import dataclass


class Health(StrEnum):
    OK = "ok"
    WARNING = "warning"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one examination."""

    name: str
    health: Health
    message: str  # One sentence about the result.
    remedy: str = ""  # What to do; empty if there is nothing to do.
    group: str = "engine"  # The subject of the examination: the engine, this machine, or a kind of sandbox.


def ok(name: str, message: str, *, group: str = "engine") -> Finding:
    return Finding(name, Health.OK, message, group=group)


def warning(name: str, message: str, remedy: str, *, group: str = "engine") -> Finding:
    """Return a finding about a fault that does not prevent grading."""
    return Finding(name, Health.WARNING, message, remedy, group)


def guarded(name: str, examine: Callable[[], Finding]) -> Finding:
    """Examine something, and turn an error of the engine into a finding."""
    try:
        return examine()
    except SandboxError as error:
        return Finding(name, Health.BROKEN, error.message, error.remedy)
