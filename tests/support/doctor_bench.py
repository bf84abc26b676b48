"""An engine for the doctor to examine, and what it finds there."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from fake_engine import FakeEnd, FakeEngine, Script

from gradebox.graders.doctor import Finding, Health, examine
from gradebox.sandbox import supervisor_build
from gradebox.sandbox.engines import docker
from gradebox.sandbox.engines.engine import EngineInfo, Leftover
from gradebox.sandbox.images import build as listed_images
from gradebox.sandbox.images.recipes import ImageState, reference
from gradebox.sandbox.limits import GIB
from gradebox.sandbox.owner import LABEL_OWNER, LABEL_UNTIL

INFO = EngineInfo(
    "Docker Engine",
    "29.4.3",
    "1.41",
    "x86_64",
    "1",
    "runc",
    ("runc", "runsc"),
    ("seccomp",),
    2,
    8 * GIB,
    None,
    "/nowhere",
)
# What a program ends with that was refused what it tried.
REFUSED = FakeEnd(exit_code=7)
STRICT = "sandbox, profile strict, runtime runsc"
DEFAULT = "sandbox, profile default, runtime runc"
OLD = Leftover("container", "old", {LABEL_OWNER: "elsewhere:1:1", LABEL_UNTIL: "0"}, 0.0)


@dataclass
class Examined:
    """A scripted engine with what only `doctor` asks of one."""

    info_: EngineInfo | Exception = INFO
    rows: tuple[tuple[str, ImageState], ...] | Exception = (
        ("base", ImageState.CURRENT),
        ("python", ImageState.CURRENT),
    )
    script: Script = lambda _: REFUSED
    present: tuple[str, ...] = (reference("base"),)
    extra: tuple[Leftover, ...] = ()
    engine: FakeEngine = field(init=False)
    closed: int = 0

    def __post_init__(self) -> None:
        self.engine = FakeEngine(self.script, references=self.present, extra=list(self.extra))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    def info(self) -> EngineInfo:
        if isinstance(self.info_, Exception):
            raise self.info_
        return self.info_

    @property
    def images(self) -> Any:
        return self.rows

    def close(self) -> None:
        self.closed += 1


def found(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> dict[str, Finding]:
    """Examine an engine and return what is not OK by its name."""
    engine = Examined(**changes)

    def listed(rows: Any, _: object) -> list[Any]:
        if isinstance(rows, Exception):
            raise rows
        return [SimpleNamespace(name=name, state=state) for name, state in rows]

    monkeypatch.setattr(docker, "connect", lambda *_: engine)
    monkeypatch.setattr(listed_images, "list_built", listed)
    monkeypatch.setattr(supervisor_build, "binary", lambda _: b"x" * 30_000)
    findings = examine()
    assert engine.open_containers == ()
    assert engine.closed == 1
    return {finding.name: finding for finding in findings if finding.health is not Health.OK}
