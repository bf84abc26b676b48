"""The findings about an engine, each with its remedy."""

from __future__ import annotations

import json
import platform
import shutil
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_engine import FakeEnd, FakeEngine, Script

from graders.doctor import (
    Finding,
    Health,
    examine,
    print_findings,
    worst,
)
from graders.doctor.surroundings import leftovers
from graders.doctor.trials import TRIALS
from graders.errors import ExitCode
from sandbox import hardening, profiles, supervisor_build
from sandbox.engines import docker
from sandbox.engines.engine import EngineInfo, Leftover
from sandbox.errors import EngineUnavailable, SandboxError
from sandbox.images import build as listed_images
from sandbox.images.recipes import ImageState, reference
from sandbox.owner import LABEL_OWNER, LABEL_UNTIL
from sandbox.types import GIB, Ending, Outcome

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

    def listed(rows: Any) -> list[Any]:
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


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a fake sandbox show all that it was asked to keep to."""
    monkeypatch.setattr(hardening, "gaps", lambda *_: ())


@pytest.mark.usefixtures("shown")
def test_a_sound_engine_has_nothing_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch) == {}


def test_what_a_sandbox_cannot_show_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(found(monkeypatch)) == {"not enforced"}


@pytest.mark.usefixtures("shown")
def test_every_profile_is_tried_in_its_own_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Examined()
    monkeypatch.setattr(docker, "connect", lambda *_: engine)
    monkeypatch.setattr(listed_images, "list_built", lambda _: [])
    monkeypatch.setattr(supervisor_build, "binary", lambda _: b"")
    findings = examine()
    assert [(spec.runtime, spec.filter) for spec in engine.created] == [
        (None, profiles.DEFAULT.filter),
        ("runsc", profiles.STRICT.filter),
    ]
    for group in (DEFAULT, STRICT):
        names = [finding.name for finding in findings if finding.group == group]
        assert {trial.name for trial in TRIALS} < set(names)
    groups = [finding.group for finding in findings]
    assert sorted(groups, key=list(dict.fromkeys(groups)).index) == groups


@pytest.mark.usefixtures("shown")
def test_an_engine_without_gvisor_falls_short_of_the_strict_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = found(monkeypatch, info_=replace(INFO, runtimes=("runc",)))["runtime"]
    assert finding.group == "sandbox, profile strict, runtime runc"
    assert "gVisor" in finding.message


@pytest.mark.usefixtures("shown")
def test_a_limit_that_was_passed_is_told_by_how_grave_that_is(monkeypatch: pytest.MonkeyPatch) -> None:
    passed = found(monkeypatch, script=lambda _: FakeEnd())
    assert {name for name, finding in passed.items() if finding.health is Health.BROKEN} == {
        trial.name for trial in TRIALS if trial.grave
    }
    assert set(passed) == {trial.name for trial in TRIALS}
    assert all(finding.remedy for finding in passed.values())


@pytest.mark.usefixtures("shown")
def test_on_the_engine_s_kernel_what_a_profile_hides_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = replace(INFO, runtimes=("runc",))
    assert "hidden" not in found(monkeypatch, info_=shared)
    finding = found(monkeypatch, info_=shared, script=lambda _: FakeEnd())["hidden"]
    assert finding.health is Health.WARNING
    assert finding.group == "sandbox, profile strict, runtime runc"


@pytest.mark.parametrize(
    ("name", "outcome", "health"),
    [
        ("memory", Outcome(Ending.EXITED, 0), Health.BROKEN),
        ("memory", Outcome(Ending.EXITED, 7), Health.OK),
        ("memory", Outcome(Ending.OUT_OF_MEMORY), Health.OK),
        ("memory", Outcome(Ending.TIMED_OUT), Health.WARNING),
        ("deadline", Outcome(Ending.TIMED_OUT), Health.OK),
        ("workspace", Outcome(Ending.OUT_OF_MEMORY), Health.WARNING),
        ("memory", Outcome(Ending.EXITED, 127), Health.WARNING),
        ("memory", Outcome(Ending.SANDBOX_LOST, detail="Gone."), Health.WARNING),
    ],
)
def test_a_trial_is_read_by_how_it_ended(name: str, outcome: Outcome, health: Health) -> None:
    finding = next(trial for trial in TRIALS if trial.name == name).finding(outcome)
    assert finding.health is health
    assert (finding.message.startswith("This could not be tried.")) is (health is Health.WARNING)


NO_SWAP = replace(INFO, warnings=("WARNING: No swap limit support",))
NO_GROUPS = replace(INFO, warnings=("WARNING: Running in rootless-mode without cgroups.",))
OPEN = replace(
    INFO, warnings=("[DEPRECATION NOTICE]: API is accessible on http://0.0.0.0:2375 without encryption.\n ",)
)
WANTING = (("base", ImageState.CURRENT), ("bun", ImageState.MISSING), ("node", ImageState.STALE))


@pytest.mark.parametrize(
    ("changes", "name", "health", "said", "remedy"),
    [
        ({"info_": replace(INFO, api_version="1.40")}, "api", Health.BROKEN, "1.40 is older than 1.41", "newer engine"),
        ({"info_": replace(INFO, api_version="1.9")}, "api", Health.BROKEN, "1.9 is older", "newer engine"),
        ({"info_": replace(INFO, security=())}, "seccomp", Health.WARNING, "does not filter", "seccomp"),
        ({"info_": NO_SWAP}, "engine", Health.WARNING, "No swap limit support.", "tried below"),
        ({"info_": NO_GROUPS}, "engine", Health.WARNING, "without cgroups.", "tried below"),
        ({"info_": OPEN}, "engine", Health.WARNING, "2375 without encryption.", "TLS"),
        ({"info_": replace(INFO, time=time.time() - 500)}, "clock", Health.WARNING, "s apart", "Synchronise"),
        ({"rows": WANTING}, "images", Health.WARNING, "bun is missing, node is stale.", "build bun node"),
        ({"rows": SandboxError("No list.", remedy="Wait.")}, "images", Health.BROKEN, "No list.", "Wait."),
        ({"present": ()}, "sandbox", Health.BROKEN, "There is no image", "grade images build base"),
        ({"script": lambda _: FakeEnd(exit_code=1)}, "memory", Health.WARNING, "could not be tried", ""),
        ({"script": lambda _: FakeEnd(lost=True)}, "sandbox", Health.BROKEN, "closed", ""),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], name: str, health: Health, said: str, remedy: str
) -> None:
    finding = found(monkeypatch, **changes)[name]
    assert finding.health is health
    assert said in finding.message
    assert remedy in finding.remedy


@pytest.mark.usefixtures("shown")
@pytest.mark.parametrize(
    "warning", ["No blkio throttle.read_bps_device support", "bridge-nf-call-iptables is disabled"]
)
def test_no_alarm_is_raised_about_what_no_sandbox_asks_for(monkeypatch: pytest.MonkeyPatch, warning: str) -> None:
    assert found(monkeypatch, info_=replace(INFO, warnings=(f"WARNING: {warning}",))) == {}


@pytest.mark.usefixtures("shown")
@pytest.mark.parametrize(("machine", "looked_at"), [(platform.node(), True), ("elsewhere", False)])
def test_the_disk_of_another_machine_is_not_looked_for_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: str, looked_at: bool
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    there = replace(INFO, root_directory=str(tmp_path), machine=machine)
    assert ("engine disk" in found(monkeypatch, info_=there)) is looked_at


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
    assert leftovers(engine).message == "1 container of crashed runs was removed."  # type: ignore[arg-type]
    assert engine.removed == ["old"]
    assert leftovers(engine).message == "No crashed run left anything."  # type: ignore[arg-type]


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
        ["engine"],
        ["ok", "api", "Fine [bold]really[/]."],
        ["broken", "disk", "Full."],
        ["Make", "room."],
    ]


def test_findings_for_programs_are_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    print_findings(FINDINGS, as_json=True)
    assert json.loads(capsys.readouterr().out) == {
        "ok": False,
        "findings": [
            {"name": "api", "health": "ok", "message": "Fine [bold]really[/].", "remedy": "", "group": "engine"},
            {"name": "disk", "health": "broken", "message": "Full.", "remedy": "Make room.", "group": "engine"},
        ],
    }
