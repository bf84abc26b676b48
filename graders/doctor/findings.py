"""Findings of the doctor."""

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
    message: str  # What was found, one sentence.
    remedy: str = ""  # What to do about it; empty if there is nothing to do.
    group: str = "engine"  # What was examined as a whole: the engine, this machine, or a kind of sandbox.


def ok(name: str, message: str, *, group: str = "engine") -> Finding:
    return Finding(name, Health.OK, message, group=group)


def warning(name: str, message: str, remedy: str, *, group: str = "engine") -> Finding:
    """Return the finding that something is not as it should be, though grading works."""
    return Finding(name, Health.WARNING, message, remedy, group)


def guarded(name: str, examine: Callable[[], Finding]) -> Finding:
    """Examine something, and turn an error of the engine into a finding."""
    try:
        return examine()
    except SandboxError as error:
        return Finding(name, Health.BROKEN, error.message, error.remedy)
