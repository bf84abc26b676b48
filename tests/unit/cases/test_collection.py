"""Cases are collected one after the other: a broken one stops no other."""

from __future__ import annotations

from pathlib import Path

from gradebox.graders.cases.collection import CaseCollector, in_order
from gradebox.graders.documents.diagnostics import Diagnostic

SOUND = '{"id": "%s", "input": "x", "assertions": [{"type": "contains", "value": "x"}]}'


def collected(tmp_path: Path, *lines: str) -> CaseCollector:
    (tmp_path / "cases.jsonl").write_text("".join(f"{line}\n" for line in lines))
    collector = CaseCollector({})
    collector.cases_file(tmp_path / "cases.jsonl")
    return collector


def test_a_broken_line_is_a_broken_case_and_the_others_are_read(tmp_path: Path) -> None:
    loaded = collected(tmp_path, SOUND % "a", "{", SOUND % "b", '{"id": "c", "inptu": 1}').loaded()
    assert [case.id for case in loaded.cases] == ["a", "b"]
    assert [(case.id, case.place.line) for case in loaded.broken] == [("line 2", 2), ("c", 4)]
    assert all(broken.diagnostics for broken in loaded.broken)
    assert set(loaded.errors) == {found for broken in loaded.broken for found in broken.diagnostics}


def test_two_cases_with_one_id_are_an_error_of_the_second(tmp_path: Path) -> None:
    loaded = collected(tmp_path, SOUND % "a", SOUND % "a").loaded()
    assert [case.id for case in loaded.cases] == ["a"]
    assert loaded.errors[0].message == f"the case in {tmp_path / 'cases.jsonl'}:1:1 already has the id `a`"


def test_dependencies_must_exist_and_have_no_circle(tmp_path: Path) -> None:
    line = SOUND[:-1] + ', "depends_on": ["%s"]}'
    loaded = collected(tmp_path, line % ("a", "b"), line % ("b", "a"), line % ("c", "z")).loaded()
    assert loaded.cases == ()
    messages = {found.message.partition(":")[0] for found in loaded.errors}
    assert messages == {"these cases depend on each other", "depends on the case `z`, which does not exist here"}


def test_an_empty_file_has_no_cases(tmp_path: Path) -> None:
    assert [found.message for found in collected(tmp_path).loaded().errors] == ["this file has no cases"]


def test_diagnostics_are_sorted_within_their_file_and_files_stay_in_order() -> None:
    found = [Diagnostic(Path(file), line, 1, "", "x") for file, line in (("b", 2), ("a", 1), ("b", 1))]
    assert [(str(one.file), one.line) for one in in_order(found)] == [("b", 1), ("b", 2), ("a", 1)]
