"""Statuses, endings and numbers as people read them."""

from __future__ import annotations

import pytest

from gradebox.graders.reports import wording
from gradebox.graders.runs.saved_evidence import SavedStep
from gradebox.sandbox.types import ResourceUsage


def step(ending: str, exit_code: int | None = None, signal: int | None = None) -> SavedStep:
    return SavedStep(None, "check", "a", ("true",), False, "", ending, exit_code, signal, 0.1)


@pytest.mark.parametrize(
    ("one", "shown"),
    [
        (step("exited", 0), "exit status 0"),
        (step("signalled", signal=9), "signal 9 (SIGKILL)"),
        (step("signalled", signal=99), "signal 99"),
        (step("timed_out"), "timed out"),
    ],
)
def test_endings(one: SavedStep, shown: str) -> None:
    assert wording.ending(one) == shown
    assert wording.ended(one) == f"{shown} after 0.10 s"


def test_memory_is_held_against_its_limit() -> None:
    assert wording.of_limit(2048, None) == "2.0 KiB"
    assert wording.of_limit(2048, 4096) == "2.0 KiB of 4.0 KiB"


@pytest.mark.parametrize(
    ("value", "shown"), [("MIT", "MIT"), (["ann", "bob"], "ann, bob"), ({"a": ["ü"]}, '{"a": ["ü"]}'), (1, "1")]
)
def test_fields_of_a_case(value: object, shown: str) -> None:
    assert wording.written(value) == shown


def test_nouns_agree_with_their_counts() -> None:
    assert [wording.counted(count, "line") for count in (0, 1, 1200)] == ["0 lines", "1 line", "1,200 lines"]
    assert wording.counted(2, "process", "processes") == "2 processes"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0.00 s"), (0.314, "0.31 s"), (9.99, "9.99 s"), (12.34, "12.3 s"), (59.94, "59.9 s"), (59.96, "1 min 0 s"),
     (75, "1 min 15 s"), (3599.6, "1 h 0 min"), (7384, "2 h 3 min")],
)  # fmt: skip
def test_durations(seconds: float, shown: str) -> None:
    assert wording.seconds(seconds) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (10240, "10 KiB"),
        (5 * 2**20, "5.0 MiB"),
        (3 * 2**50, "3072 TiB"),
    ],
)
def test_sizes(count: int, shown: str) -> None:
    assert wording.size(count) == shown


@pytest.mark.parametrize(("count", "shown"), [(0, "0"), (999, "999"), (1000, "1k"), (2500, "2.5k"), (40_000, "40k")])
def test_scales(count: int, shown: str) -> None:
    assert wording.short(count) == shown


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [(0, 9, "0 %"), (1, 900, "< 1 %"), (1, 3, "33 %"), (899, 900, "> 99 %"), (9, 9, "100 %")],
)
def test_shares_never_round_to_all_or_nothing(part: int, whole: int, shown: str) -> None:
    assert wording.percent(part, whole) == shown


def test_what_a_test_used_is_time_and_memory_if_that_is_known() -> None:
    assert wording.used(ResourceUsage(cpu_seconds=0.25, peak_rss_bytes=8 << 20)) == "0.25 s, 8.0 MiB"
    assert wording.used(ResourceUsage(cpu_seconds=0.25)) == "0.25 s"
