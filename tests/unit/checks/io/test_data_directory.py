"""Tests of a directory: their order, their groups, their answers."""

from __future__ import annotations

from pathlib import Path

from gradebox.graders.checks.io.data_directory import pairs


def test_numbers_are_in_order_and_directories_are_groups(tmp_path: Path) -> None:
    for name in ("10.in", "10.ans", "9.in", "9.out", "secret/1.in", "secret/1.ans", "alone.in", "other.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found = pairs(tmp_path)
    assert [(pair.name, pair.group) for pair in found] == [
        ("9", ""), ("10", ""), ("alone", ""), ("secret/1", "secret"),
    ]  # fmt: skip
    assert [pair.answer and pair.answer.name for pair in found] == ["9.out", "10.ans", None, "1.ans"]


def test_a_directory_without_tests_has_none(tmp_path: Path) -> None:
    assert pairs(tmp_path) == ()
