"""Profiles: which limits, runtime and restrictions a sandbox gets, and what is said when one cannot be had."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest
from fake_engine import FakeEngine

from gradebox.graders.cases import load
from gradebox.graders.errors import UsageRefused
from gradebox.graders.grading.grader import Grader
from gradebox.sandbox import profiles
from gradebox.sandbox.engines.engine import EngineInfo
from gradebox.sandbox.guarantees import is_gvisor
from gradebox.sandbox.limits import GIB, MIB, Limits, Network
from gradebox.sandbox.profiles import DEFAULT, SETUP, STRICT
from gradebox.sandbox.types import Filter

ENGINE = EngineInfo("Engine", "1", "1.41", "x86_64", default_runtime="runc", runtimes=("runc",))
WITH_GVISOR = replace(ENGINE, runtimes=("runc", "runsc"))


def test_the_default_profile_changes_no_limit() -> None:
    for wanted in (Limits(), Limits(memory_bytes=1, disk_bytes=2, network=Network.BRIDGE)):
        assert profiles.limits(DEFAULT, wanted) == wanted


def test_the_strict_profile_narrows_what_a_case_leaves_open() -> None:
    narrowed = profiles.limits(STRICT, Limits())
    assert narrowed == STRICT.limits
    for field in fields(Limits):
        strict, usual = getattr(STRICT.limits, field.name), getattr(Limits(), field.name)
        assert strict == usual or strict < usual


def test_what_a_case_sets_wins_even_where_it_sets_the_default() -> None:
    stated = Limits(memory_bytes=1 * GIB, disk_bytes=900 * MIB, stated=frozenset({"memory_bytes", "disk_bytes"}))
    narrowed = profiles.limits(STRICT, stated)
    assert (narrowed.memory_bytes, narrowed.disk_bytes, narrowed.file_bytes) == (1 * GIB, 900 * MIB, 900 * MIB)
    assert narrowed.pids == STRICT.limits.pids
    assert profiles.limits(STRICT, Limits(pids=1000)).pids == 1000


def test_loading_remembers_which_limits_were_set(tmp_path: Path) -> None:
    text = "limits: {memory: 1g, network: setup}\nassert: [{type: contains, value: x}]\n"
    (tmp_path / "case.yaml").write_text(text)
    (case,) = load(tmp_path).cases
    assert case.limits.stated == {"memory_bytes", "network"}
    assert case.limits.network is Network.SETUP


@pytest.mark.parametrize(
    ("profile", "asked", "engine", "named"),
    [
        (DEFAULT, None, WITH_GVISOR, None),
        (DEFAULT, "runsc", WITH_GVISOR, "runsc"),
        (STRICT, None, WITH_GVISOR, "runsc"),
        (STRICT, "runc", WITH_GVISOR, "runc"),
        (STRICT, None, ENGINE, None),
        # Its own processes need room in the limits, so it is known by name even where nobody asked for it.
        (DEFAULT, None, replace(WITH_GVISOR, default_runtime="runsc"), "runsc"),
    ],
)
def test_the_runtime_is_what_was_asked_else_the_profile_s_best(
    profile: profiles.Profile, asked: str | None, engine: EngineInfo, named: str | None
) -> None:
    assert profiles.runtime(profile, asked, engine) == named


@pytest.mark.parametrize(("name", "gvisor"), [("runsc", True), ("runsc-kvm", True), ("runc", False), (None, False)])
def test_a_strict_sandbox_without_gvisor_says_so(name: str | None, gvisor: bool) -> None:
    assert is_gvisor(name) is gvisor
    assert bool(profiles.shortfall(STRICT, name)) is not gvisor
    assert profiles.shortfall(DEFAULT, name) == ()


def test_both_profiles_hide_what_sandboxes_share_and_what_engines_hide() -> None:
    assert {"/proc/locks", "/proc/loadavg", "/proc/pressure", "/proc/sys/fs/file-nr", "/proc/kcore"} <= set(
        DEFAULT.masked
    )
    assert set(DEFAULT.masked) < set(STRICT.masked)


def test_no_reason_hides_the_same_path_twice_and_none_is_needed_by_programs() -> None:
    assert len(set(STRICT.masked)) == len(STRICT.masked)
    assert not {"/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu"} & set(
        STRICT.masked
    )


def test_only_while_setup_runs_is_there_a_network_for_setup() -> None:
    assert SETUP.networks - DEFAULT.networks == {Network.SETUP}
    assert Network.NONE not in SETUP.networks
    assert STRICT.filter is Filter.STRICT


def test_an_unknown_profile_is_refused_with_the_nearest_of_those_there_are() -> None:
    with pytest.raises(UsageRefused) as refused:
        Grader(engine=FakeEngine(), profile="strickt")
    assert refused.value.remedy == "Did you mean `strict`?"


def test_what_a_run_uses_is_told_in_a_line() -> None:
    grader = Grader(engine=FakeEngine(), profile="strict")
    assert grader.description == "profile strict, runtime of the engine"
    assert grader.lacking == (
        "The profile strict is for gVisor, which was not used: the sandbox shares the engine's kernel.",
    )


def test_whoever_insists_on_the_runtime_of_a_profile_gets_no_other() -> None:
    with pytest.raises(UsageRefused, match="strict! requires gVisor, but sandboxes would use the runtime of the eng"):
        _ = Grader(engine=FakeEngine(), profile="strict!").engine
    with pytest.raises(UsageRefused, match="would use the runtime runc"):
        _ = Grader(engine=FakeEngine(), profile="strict!", runtime="runc").engine
    grader = Grader(engine=FakeEngine(), profile="strict!", runtime="runsc")
    assert (grader.description, grader.lacking) == ("profile strict, runtime runsc", ())
