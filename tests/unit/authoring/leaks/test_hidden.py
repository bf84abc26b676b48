"""What of a case is hidden."""

from __future__ import annotations

from pathlib import Path

from planted_leaks import ANSWER, TESTS, written_case

from gradebox import load_case
from gradebox.graders.authoring.leaks.hidden import Hidden, hidden_of
from gradebox.graders.submissions.source import read_reference


def hidden(place: Path) -> Hidden:
    case = load_case(place)
    return hidden_of(case, read_reference(case))


def test_the_reference_and_the_tests_are(tmp_path: Path) -> None:
    found = hidden(written_case(tmp_path / "case"))
    assert [each.name for each in found.texts] == ["grading/test_intervals.py", "the reference's intervals.py"]
    assert {b"covered_length", b"joined", b"append"} <= found.texts[1].names


def test_what_the_workspace_has_is_not(tmp_path: Path) -> None:
    place = written_case(tmp_path / "case")
    (place / "workspace").mkdir()
    (place / "workspace/example.py").write_text(ANSWER.replace("joined", "out"))
    assert [each.name for each in hidden(place).texts] == ["grading/test_intervals.py"]


def test_nor_is_what_the_task_says(tmp_path: Path) -> None:
    place = written_case(tmp_path / "case", "criteria: |\n" + "".join(f"  {line}\n" for line in TESTS.splitlines()))
    assert [each.name for each in hidden(place).texts] == ["the reference's intervals.py"]


def test_short_texts_are_named(tmp_path: Path) -> None:
    place = written_case(tmp_path / "case")
    (place / "reference/intervals.py").write_text("def merge_intervals(pairs, gap=0): return [*sorted(pairs)]\n")
    assert hidden(place).too_short == ("the reference's intervals.py",)


def test_a_change_of_either_changes_the_hash(tmp_path: Path) -> None:
    place = written_case(tmp_path / "case")
    first = hidden(place).digest
    assert hidden(place).digest == first
    (place / "reference/intervals.py").write_text(ANSWER + "\nGAP = 1\n")
    assert hidden(place).digest != first
