"""Examines the engine and everything else that grading needs. Each finding has a remedy if something is wrong.

The engine's own claims are not trusted: a real sandbox is created for every profile, and programs in it try to exceed
each limit (`sandboxes`).
"""

from __future__ import annotations

import os
from contextlib import closing

from gradebox.graders.doctor.environment import environment, unreachable
from gradebox.graders.doctor.findings import Finding, Health
from gradebox.graders.doctor.sandboxes import sandboxes
from gradebox.sandbox.engines.connect import VARIABLE, connect
from gradebox.sandbox.errors import SandboxError

__all__ = ["Finding", "Health", "examine"]


def examine(host: str | None = None) -> list[Finding]:
    """Examine everything, but skip examinations that need something that is broken."""
    try:
        engine = connect(host)
    except SandboxError as error:
        return [Finding("engine", Health.BROKEN, error.message, error.remedy)]
    with closing(engine):
        try:
            info = engine.info()
        except SandboxError as error:
            return [unreachable(error, host or os.environ.get(VARIABLE, ""))]
        found = [*environment(engine, info), *sandboxes(engine, info)]
    # The sort is stable: a group stays together, in the order in which its findings were made.
    groups = list(dict.fromkeys(finding.group for finding in found))
    return sorted(found, key=lambda finding: groups.index(finding.group))
