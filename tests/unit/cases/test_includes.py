"""Cases of other files in a list of cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gradebox.graders.cases import load

Tree = Callable[[Mapping[str, str | bytes]], Path]

CHECK = "assertions: [{type: code-grader, command: [own]}]\n"

INCLUDED = {
    "cases/a.cases.yaml": f"- {{id: a-1, {CHECK.strip()}}}\n- {{id: a-2, {CHECK.strip()}}}\n",
    "cases/b.cases.yaml": f"- {{id: b-1, {CHECK.strip()}}}\n",
    "suites/x.eval.yaml": f"tags: [inner]\nexecution: {{targets: [m, n]}}\ntests: [{{id: x-1, {CHECK.strip()}}}]\n",
    "suites/broken.eval.yaml": f"tests: [{{id: y-1, {CHECK.strip()}, crieria: x}}, {{id: y-2, {CHECK.strip()}}}]\n",
}


@pytest.mark.parametrize(
    ("entry", "ids"),
    [
        ("include: ./cases/*.cases.yaml", ["a-1", "a-2", "b-1"]),
        ("include: ./cases/*.cases.yaml, type: tests, select: a-1", ["a-1"]),
        ("include: ./cases/*.cases.yaml, select: ['*-1']", ["a-1", "b-1"]),
        ("include: ./cases/a.cases.yaml, select: {test_ids: a-2}", ["a-2"]),
        ("include: ./suites/x.eval.yaml, type: suite", ["x-1", "x-1"]),
    ],
)
def test_cases_of_other_files_are_included(entry: str, ids: list[str], tree: Tree) -> None:
    root = tree({"EVAL.yaml": f"tags: [outer]\ntests: [{{{entry}}}, {{id: own, {CHECK.strip()}}}]\n", **INCLUDED})
    loaded = load(root / "EVAL.yaml")
    assert not loaded.errors
    assert [case.id for case in loaded.cases] == [*ids, "own"]
    is_suite = "suite" in entry
    assert {case.tags for case in loaded.cases[:-1]} == {("inner",) if is_suite else ("outer",)}
    assert {case.target for case in loaded.cases[:-1]} == ({"m", "n"} if is_suite else {None})


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("include: ./cases/a.cases.yaml, select: [c]", "no case has one of these ids"),
        ("include: ./cases/none.yaml", "does not exist"),
        ("include: ./cases/a.cases.yaml, type: suite", "is not a suite"),
        ("include: ./EVAL.yaml, type: suite", "`EVAL.yaml` names itself"),
        ("include: ./cases/a.cases.yaml, type: suit", "type"),
        ("include: ./cases/a.cases.yaml, selct: [a]", "unknown key `selct`"),
        ("include: ./suites/broken.eval.yaml, type: suite", "unknown key `crieria`"),
    ],
)
def test_a_mistake_in_what_is_included_is_reported(entry: str, message: str, tree: Tree) -> None:
    root = tree({"EVAL.yaml": f"tests: [{{{entry}}}, {{id: own, {CHECK.strip()}}}]\n", **INCLUDED})
    loaded = load(root / "EVAL.yaml")
    assert any(message in str(error) for error in loaded.errors), loaded.errors
    # A broken case stops no other.
    assert [case.id for case in loaded.cases] == (["y-2", "own"] if "broken" in entry else [])
