"""Tests in a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from promptfoo_files import PLAIN, SUITE, cases, loaded, said

HEAD = "language,__expected,__expected2,__description,__metadata:kind,__threshold,__config:__expected2:threshold\n"


def test_a_line_is_a_test(tmp_path: Path) -> None:
    lines = 'French,contains: bonjour,python: len(output) / 9,"Says, in French",greeting,,0.5\nPolish,cześć,,,,0.7,\n'
    (tmp_path / "t.csv").write_text(HEAD + lines)
    french, polish = cases(tmp_path, {"prompts": ["In {{language}}"], "tests": "file://t.csv"})
    assert (french.id, french.metadata, french.place.line) == ("Says-in-French", {"kind": "greeting"}, 2)
    assert [(check.type, check.min_score) for check in french.checks] == [("contains", None), ("python", 0.5)]
    assert (polish.input[0].content, polish.threshold, polish.place.line) == ("In Polish", 0.7, 3)
    assert [check.type for check in polish.checks] == ["equals"]


@pytest.mark.parametrize(
    ("cell", "kind", "fields"),
    [
        ("Paris", "equals", {"value": "Paris"}),
        ("Note: this", "equals", {"value": "Note: this"}),
        ("not-icontains: sorry", "icontains", {"value": "sorry", "negate": True}),
        ("contains-any: a, b", "contains-any", {"value": ("a", "b")}),
        ("is-json", "is-json", {}),
        ("latency(500)", "latency", {"threshold": 500}),
        ("levenshtein(2): abc", "levenshtein", {"value": "abc", "threshold": 2}),
        ("fn: output.length > 3", "javascript", {"value": "output.length > 3"}),
        ("grade: is polite", "llm-grader", {"prompt": "is polite"}),
    ],
)
def test_a_cell_is_a_check(cell: str, kind: str, fields: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f'a,__expected\n1,"{cell}"\n')
    (case,) = cases(tmp_path, {"prompts": ["p"], "tests": ["t.csv"]})
    (check,) = case.checks
    assert (check.type, {name: getattr(check, name) for name in fields}) == (kind, fields)


def test_a_file_that_is_no_table_is_reported(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('a,__expected\n1,"' + "x" * 200_000 + '"\n')
    assert "is not CSV in line" in said(loaded(tmp_path, {"prompts": ["p"], "tests": "t.csv"}))


@pytest.mark.parametrize(("name", "ids"), [(SUITE, ["hi", "row-2"]), (PLAIN, ["test-1", "test-1-2"])])
def test_the_column_id_has_ids_in_files_of_agentv(name: str, ids: list[str], tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,w,__expected\nhi,x,y\n,x,y\n")
    found = cases(tmp_path, {"prompts": ["{{id}}"], "tests": "t.csv"}, name)
    assert [case.id for case in found] == ids
    assert found[0].input[0].content == "hi"
