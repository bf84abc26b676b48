"""The checks of a case together: their order, and the names by which they speak of each other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from check_table import PLACE, ROWS

from gradebox.graders.cases import Loaded
from gradebox.graders.checks.base import Check
from gradebox.graders.checks.check_reference import CheckReference
from gradebox.graders.checks.composite import Composite
from gradebox.graders.model.case import Case, Place

CaseOf = Callable[..., Case]
LoadText = Callable[..., Loaded]
OTHER = {"type": "code-grader", "name": "other", "command": "true"}
ROW_OF = {row.type: row for row in ROWS}


def somewhere(spec: Any) -> Any:
    """Return a check without the places at which it and its members are written."""
    changes: dict[str, Any] = {"place": PLACE}
    if isinstance(spec, Composite):
        changes["assertions"] = tuple(somewhere(member) for member in spec.assertions)
    return spec.model_copy(update=changes)


def first_check(case: Case) -> Check:
    assert isinstance(somewhere(case.checks[0]).place, Place)
    return case.checks[0]


def written(*checks: Any, **fields: Any) -> str:
    return json.dumps({"assertions": [*checks, OTHER], **fields})


def test_a_check_can_take_the_result_of_one_of_its_suite(tmp_path: Path) -> None:
    from gradebox.graders.cases import load

    suite = {
        "assertions": [{"type": "code-grader", "name": "build", "command": "make"}, {"type": "check", "check": "own"}],
        "tests": [
            {"id": "a", "rubrics": [{"check": "build"}], "assertions": [{**OTHER, "name": "own"}]},
            {"id": "b", "assertions": [OTHER]},
        ],
    }
    (tmp_path / "EVAL.yaml").write_text(json.dumps(suite))
    loaded = load(tmp_path / "EVAL.yaml", environ={})
    (case,) = loaded.cases
    assert [check.name for check in case.checks] == ["own", "rubrics", "build", "check"]
    assert isinstance(case.checks[3], CheckReference)
    (error,) = loaded.errors
    assert error.message == "check: no check of the case is called `own`"
    assert [broken.id for broken in loaded.broken] == ["b"]


@pytest.mark.parametrize(
    ("checks", "places"),
    [
        ([{"type": "check", "name": "a", "check": "a"}], ["a"]),
        (
            [
                {"type": "check", "name": "a", "check": "b"},
                {"type": "rubrics", "name": "b", "rubrics": [{"check": "a"}]},
            ],
            ["b", "a"],
        ),
    ],
)
def test_checks_that_take_each_others_results_are_refused(
    checks: list[Any], places: list[str], load_text: LoadText
) -> None:
    text = written(*checks)
    found = load_text(text).errors
    assert [error.column for error in found] == [text.index(f'"check": "{name}"') + 10 for name in places]
    assert all("result" in error.message for error in found)
