"""What a profile changes in the grading of a case, and what of a sandbox gets into the verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_engine import FakeEnd
from grading_bench import Bench, check, command

from gradebox.graders.model.tampering import TamperingKind
from gradebox.graders.model.verdict import Status
from gradebox.graders.model.verdict_document import document
from gradebox.sandbox.errors import ProtocolError
from gradebox.sandbox.guarantees import Guarantees, TmpfsSize
from gradebox.sandbox.limits import Limits, Network
from gradebox.sandbox.profiles import DEFAULT, STRICT, Profile
from gradebox.sandbox.protocol import frames
from gradebox.sandbox.protocol.frames import PROTOCOL_VERSION, Tag
from gradebox.sandbox.protocol.payloads import guarantees
from gradebox.sandbox.types import Filter


def test_a_sandbox_is_what_its_profile_says(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.settings = replace(bench.settings, profile=STRICT, runtime="runsc")
    graded = bench.grade(bench.case(check("judge"), limits=Limits(pids=99)))
    (spec,) = bench.engine.created
    assert (spec.filter, spec.masked, spec.runtime) == (Filter.STRICT, STRICT.masked, "runsc")
    assert (spec.limits.pids, spec.limits.memory_bytes) == (99, STRICT.limits.memory_bytes)
    written = document(graded)
    assert (written.profile, written.runtime) == ("strict", "runsc")


def test_what_a_sandbox_does_not_show_is_in_the_verdict(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.settings = replace(bench.settings, profile=STRICT)
    graded = bench.grade(bench.case(check("judge")))
    assert graded.verdict.status is Status.PASSED
    assert any("is for gVisor" in gap for gap in graded.not_enforced)
    assert any("memory limit cannot be read" in gap for gap in document(graded).not_enforced)


@pytest.mark.parametrize(
    ("network", "with_setup", "profile", "connected", "taken_off"),
    [
        (Network.NONE, True, DEFAULT, Network.NONE, 0),
        (Network.SETUP, True, DEFAULT, Network.SETUP, 1),
        (Network.SETUP, True, STRICT, Network.SETUP, 1),
        (Network.SETUP, False, DEFAULT, Network.NONE, 0),
        (Network.BRIDGE, True, DEFAULT, Network.BRIDGE, 0),
        (Network.BRIDGE, False, STRICT, Network.BRIDGE, 0),
    ],
)
def test_a_network_for_setup_is_gone_before_anything_is_judged(
    tmp_path: Path, network: Network, with_setup: bool, profile: Profile, connected: Network, taken_off: int
) -> None:
    bench = Bench(tmp_path)
    bench.settings = replace(bench.settings, profile=profile)
    setup = (command("prepare"),) if with_setup else ()
    graded = bench.grade(bench.case(check("judge"), setup=setup, limits=Limits(network=network)))
    assert graded.verdict.status is Status.PASSED
    assert bench.engine.created[0].limits.network is connected
    assert len(bench.engine.disconnected) == taken_off


def test_a_protected_file_that_was_replaced_while_a_check_ran_is_tampering(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"judge": lambda _: FakeEnd(replaced=("tests/t.py",))})
    graded = bench.grade(bench.case(check("judge"), check("other")))
    assert graded.verdict.status is Status.FAILED
    (seen,) = graded.verdict.tampering
    assert (seen.kind, seen.evidence, seen.check) == (TamperingKind.PROTECTED_FILE_CHANGED, "tests/t.py", "judge")


READY: list[tuple[Tag, int | str]] = [
    (Tag.VERSION, PROTOCOL_VERSION),
    (Tag.FILTER, 2),
    (Tag.CPUS, 500_000),
    (Tag.PATH, "/workspace"),
    (Tag.BYTES, 4096),
    (Tag.COUNT, 10),
    (Tag.PATH, "/tmp"),
    (Tag.BYTES, 8192),
    (Tag.COUNT, 0),
]


def greeting(*fields: tuple[Tag, int | str]) -> Guarantees:
    return guarantees(frames.parse_fields(frames.fields(fields)))


def test_a_greeting_tells_filter_quota_and_rooms() -> None:
    seen = greeting(*READY)
    assert (seen.filter, seen.cpus, seen.swap_bytes, seen.own_kernel) == (Filter.STRICT, 0.5, None, False)
    assert seen.tmpfs_sizes == {"/workspace": TmpfsSize(4096, 10), "/tmp": TmpfsSize(8192, 0)}


def test_a_filter_that_nobody_knows_breaks_the_protocol() -> None:
    with pytest.raises(ProtocolError, match="unknown filter level 3"):
        greeting((Tag.VERSION, PROTOCOL_VERSION), (Tag.FILTER, 3))


@pytest.mark.parametrize(("profile", "status"), [(DEFAULT, Status.PASSED), (STRICT, Status.ERROR)])
def test_what_does_not_fit_into_a_smaller_profile_is_the_cases_own_where_its_files_are(
    tmp_path: Path, profile: Profile, status: Status
) -> None:
    bench = Bench(tmp_path)
    bench.settings = replace(bench.settings, profile=replace(profile, limits=replace(profile.limits, disk_bytes=8192)))
    if profile is DEFAULT:
        bench.settings = replace(bench.settings, profile=profile)
    case = bench.case(check("judge"), files={"workspace/large": "x" * 20_000})
    assert bench.grade(case, bench.submission({"small": "x"})).verdict.status is status
