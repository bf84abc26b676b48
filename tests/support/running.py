"""Runs the installed ``grade`` command against the real engine, as a person would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from gradebox.sandbox import owner
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.engines.engine import Leftover

GRADE = Path(sys.executable).with_name("grade")


class Ran(NamedTuple):
    """What a finished ``grade`` left."""

    code: int
    stdout: str
    stderr: str


def start(*arguments: object, cwd: Path, **environment: str) -> subprocess.Popen[str]:
    """Start ``grade`` without waiting for it."""
    return subprocess.Popen(
        [GRADE, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "COLUMNS": "120", "NO_COLOR": "1", **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def sandboxes(engine: DockerEngine, process: int) -> list[Leftover]:
    """Return the containers on the engine that a process of this machine owns."""
    return [
        found
        for found in engine.leftovers()
        if found.kind == "container" and found.labels.get(owner.LABEL_OWNER, "").split(":")[1:2] == [str(process)]
    ]
