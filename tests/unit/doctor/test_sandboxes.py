"""What the doctor finds in sandboxes of every profile, and what an attempt to exceed a limit means."""

from __future__ import annotations

from dataclasses import replace

import pytest
from doctor_bench import DEFAULT, INFO, STRICT, Examined, found
from fake_engine import FakeEnd

from gradebox.graders.doctor import Health, examine
from gradebox.graders.doctor.sandboxes import TRIALS
from gradebox.sandbox import guarantees, profiles, supervisor_build
from gradebox.sandbox.engines import docker
from gradebox.sandbox.images import build as listed_images
from gradebox.sandbox.types import Ending, Outcome


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a fake sandbox show all that it was asked to keep to."""
    monkeypatch.setattr(guarantees, "gaps", lambda *_: ())


def test_what_a_sandbox_cannot_show_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(found(monkeypatch)) == {"not enforced"}


@pytest.mark.usefixtures("shown")
def test_every_profile_is_tried_in_its_own_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Examined()
    monkeypatch.setattr(docker, "connect", lambda *_: engine)
    monkeypatch.setattr(listed_images, "list_built", lambda *_: [])
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
    assert set(passed) == {trial.name for trial in TRIALS} | {"hidden"}
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
