"""The findings about an engine, each with its remedy."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from graders import doctor
from graders.doctor import Finding, Health, examine, print_findings, worst
from graders.errors import ExitCode
from sandbox import supervisor_build
from sandbox.engine import EngineInfo, Leftover
from sandbox.errors import EngineUnavailable, SandboxError
from sandbox.fake_engine import FakeEnd, FakeEngine, Script
from sandbox.hardening import LABEL_OWNER, LABEL_UNTIL
from sandbox.image_recipes import State, reference
from sandbox.types import GIB

INFO = EngineInfo(
    "Docker Engine",
    "20.10.24",
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
OLD = Leftover("container", "old", {LABEL_OWNER: "elsewhere:1:1", LABEL_UNTIL: "0"}, 0.0)


@dataclass
class Examined:
    """A scripted engine with what only `doctor` asks of one."""

    info_: EngineInfo | Exception = INFO
    rows: tuple[tuple[str, State], ...] | Exception = (("base", State.CURRENT), ("python", State.CURRENT))
    script: Script = lambda _: FakeEnd()
    present: tuple[str, ...] = (reference("base"),)
    extra: tuple[Leftover, ...] = ()
    engine: FakeEngine = field(init=False)
    closed: int = 0

    def __post_init__(self) -> None:
        self.engine = FakeEngine(self.script, images=self.present, extra=list(self.extra))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    def info(self) -> EngineInfo:
        if isinstance(self.info_, Exception):
            raise self.info_
        return self.info_

    def images(self) -> Any:
        return self.rows

    def close(self) -> None:
        self.closed += 1


def found(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> dict[str, Finding]:
    """Examine an engine and return what is not OK by its name."""
    engine = Examined(**changes)

    def listed(rows: Any) -> list[Any]:
        if isinstance(rows, Exception):
            raise rows
        return [SimpleNamespace(name=name, state=state) for name, state in rows]

    monkeypatch.setattr(doctor, "DockerEngine", lambda _: engine)
    monkeypatch.setattr(doctor.images, "list_built", listed)
    monkeypatch.setattr(supervisor_build, "binary", lambda _: b"x" * 30_000)
    findings = examine()
    assert engine.open_containers == ()
    assert engine.closed == (0 if isinstance(engine.info_, Exception) else 1)
    return {finding.name: finding for finding in findings if finding.health is not Health.OK}


def test_a_sound_engine_has_nothing_wrong_but_what_a_fake_cannot_show(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(found(monkeypatch)) == {"limits"}


NO_SWAP = replace(INFO, warnings=("WARNING: No swap limit support",))
WANTING = (("base", State.CURRENT), ("bun", State.MISSING), ("node", State.STALE))


@pytest.mark.parametrize(
    ("changes", "name", "health", "said", "remedy"),
    [
        ({"info_": replace(INFO, api_version="1.40")}, "api", Health.BROKEN, "1.40 is older than 1.41", "newer engine"),
        ({"info_": replace(INFO, api_version="1.9")}, "api", Health.BROKEN, "1.9 is older", "newer engine"),
        ({"info_": replace(INFO, security=())}, "seccomp", Health.WARNING, "does not filter", "seccomp"),
        ({"info_": NO_SWAP}, "engine", Health.WARNING, "No swap limit support.", "cannot enforce"),
        ({"info_": replace(INFO, time=time.time() - 500)}, "clock", Health.WARNING, "s apart", "Synchronise"),
        ({"rows": WANTING}, "images", Health.WARNING, "bun is missing, node is stale.", "build bun node"),
        ({"rows": SandboxError("No list.", remedy="Wait.")}, "images", Health.BROKEN, "No list.", "Wait."),
        ({"present": ()}, "sandbox", Health.BROKEN, "There is no image", "grade images build base"),
        ({"script": lambda _: FakeEnd(exit_code=1)}, "sandbox", Health.BROKEN, "did not run", ""),
        ({"script": lambda _: FakeEnd(lost=True)}, "sandbox", Health.BROKEN, "sandbox_lost", ""),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], name: str, health: Health, said: str, remedy: str
) -> None:
    finding = found(monkeypatch, **changes)[name]
    assert finding.health is health
    assert said in finding.message
    assert remedy in finding.remedy


def test_without_an_engine_nothing_else_is_examined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://build:2376")
    findings = found(monkeypatch, info_=EngineUnavailable("It does not answer."))
    assert set(findings) == {"engine"}
    assert findings["engine"].health is Health.BROKEN
    assert "tcp://build:2376" in findings["engine"].message
    assert "DOCKER_HOST" in findings["engine"].remedy


@pytest.mark.parametrize("apart", [0.0, 3.0, -3.0])
def test_clocks_may_differ_a_little(monkeypatch: pytest.MonkeyPatch, apart: float) -> None:
    assert "clock" not in found(monkeypatch, info_=replace(INFO, time=time.time() + apart))


def test_what_crashed_runs_left_is_removed_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Examined(extra=(OLD,))
    assert doctor._leftovers(engine).message == "1 container of crashed runs was removed."  # type: ignore[arg-type]
    assert engine.removed == ["old"]
    assert doctor._leftovers(engine).message == "No crashed run left anything."  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("healths", "code"),
    [
        ([], ExitCode.PASSED),
        ([Health.OK, Health.WARNING], ExitCode.PASSED),
        ([Health.OK, Health.BROKEN, Health.WARNING], ExitCode.NOT_GRADED),
    ],
)
def test_only_what_is_broken_makes_a_bad_exit_code(healths: list[Health], code: ExitCode) -> None:
    assert worst([Finding("x", health, "y") for health in healths]) is code


FINDINGS = [Finding("api", Health.OK, "Fine [bold]really[/]."), Finding("disk", Health.BROKEN, "Full.", "Make room.")]


def test_findings_for_people_carry_their_remedy_below(capsys: pytest.CaptureFixture[str]) -> None:
    print_findings(FINDINGS, as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=2) for line in lines] == [
        ["ok", "api", "Fine [bold]really[/]."],
        ["broken", "disk", "Full."],
        ["Make", "room."],
    ]


def test_findings_for_programs_are_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    print_findings(FINDINGS, as_json=True)
    assert json.loads(capsys.readouterr().out) == {
        "ok": False,
        "findings": [
            {"name": "api", "health": "ok", "message": "Fine [bold]really[/].", "remedy": ""},
            {"name": "disk", "health": "broken", "message": "Full.", "remedy": "Make room."},
        ],
    }
