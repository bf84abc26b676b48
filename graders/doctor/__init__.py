"""Examines the engine and all else that grading needs: a finding each, with a remedy where something is wrong.

What an engine claims is not taken on trust: for every profile a real sandbox is made, and programs in it try to pass
each limit (`trials`).
"""

from __future__ import annotations

import os

from graders.doctor.findings import (
    Finding,
    Health,
    print_findings,
    worst,
)
from graders.doctor.kinds import kinds
from graders.doctor.surroundings import surroundings, unreachable
from sandbox.engines.connect import VARIABLE, connect
from sandbox.errors import SandboxError

__all__ = ["Finding", "Health", "examine", "print_findings", "worst"]


def examine(host: str | None = None) -> list[Finding]:
    """Examine everything; what depends on a broken thing is left out."""
    address = host or os.environ.get(VARIABLE, "")
    try:
        engine = connect(host)
    except SandboxError as error:
        return [unreachable(error, address)]
    try:
        try:
            info = engine.info()
        except SandboxError as error:
            return [unreachable(error, address)]
        found = [*surroundings(engine, info), *kinds(engine, info)]
    finally:
        engine.close()
    # Stable: what belongs together is shown together, in the order in which it was found.
    groups = list(dict.fromkeys(finding.group for finding in found))
    return sorted(found, key=lambda finding: groups.index(finding.group))
