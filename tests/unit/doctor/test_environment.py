"""What the doctor finds around sandboxes, each with its remedy."""

from __future__ import annotations

import platform
import shutil
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from doctor_bench import INFO, OLD, Examined, found
from fake_engine import FakeEnd

from gradebox.graders.doctor import Health, examine
from gradebox.graders.doctor.environment import leftovers
from gradebox.sandbox import guarantees
from gradebox.sandbox.errors import EngineRefused, EngineUnavailable, SandboxError
from gradebox.sandbox.images.recipes import ImageState


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a fake sandbox show all that it was asked to keep to."""
    monkeypatch.setattr(guarantees, "gaps", lambda *_: ())


@pytest.mark.usefixtures("shown")
def test_a_sound_engine_has_nothing_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch) == {}


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
        ({"info_": replace(INFO, time=time.time() - 500)}, "clock", Health.WARNING, "differ by", "Synchronise"),
        ({"info_": replace(INFO, version="29.4.2")}, "version", Health.WARNING, "Engine 29.4.2 is old", "29.4.3"),
        ({"info_": replace(INFO, runc="1.1.5+ds1")}, "version", Health.WARNING, "runc 1.1.5+ds1 is older", "1.2.8"),
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


def test_an_engine_that_is_no_server_says_itself_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = found(monkeypatch, info_=EngineRefused("It is not installed.", remedy="Install it."))
    assert [(finding.message, finding.remedy) for finding in findings.values()] == [
        ("It is not installed.", "Install it.")
    ]


def test_an_address_of_no_engine_is_reported_with_the_known_schemes() -> None:
    (finding,) = examine("moon://there")
    assert finding.health is Health.BROKEN
    assert "'moon' is unknown" in finding.message
    assert "unix" in finding.remedy


@pytest.mark.parametrize("apart", [0.0, 3.0, -3.0])
def test_clocks_may_differ_a_little(monkeypatch: pytest.MonkeyPatch, apart: float) -> None:
    assert "clock" not in found(monkeypatch, info_=replace(INFO, time=time.time() + apart))


def test_what_crashed_runs_left_is_removed_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Examined(extra=(OLD,))
    assert leftovers(engine).message == "Removed 1 leftover of crashed runs."  # type: ignore[arg-type]
    assert engine.removed == ["old"]
    assert leftovers(engine).message == "No crashed run left anything."  # type: ignore[arg-type]
