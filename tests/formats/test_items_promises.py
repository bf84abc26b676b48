"""What items and `definition.toml` promise: how many programs there are, and what each of them is made of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradebox.graders.cases import load
from gradebox.graders.grading.prepare import prepare
from gradebox.graders.model.case import Case
from gradebox.graders.model.submission import UNTOUCHED

DEFINITION = """\
[code_generation]
name = "add"
contributor = "ann"
criteria = ["parsed", "executed", "passed_unit_tests", "executed_examples"]
prompt = "Write add(a, b)."
version = "1.0"
examples = ["add(1, 2)"]
unit_tests = ["@assert add(1, 2) == 3"]
imports = []
reference_solution = "add(a, b) = a + b"
"""


def case_of(root: Path, text: str) -> Case:
    (root / "case.yaml").write_text(text)
    loaded = load(root / "case.yaml", environ={})
    assert not loaded.errors, loaded.errors
    return loaded.cases[0]


@pytest.mark.parametrize("language", ["python", "julia", "bash", "javascript", "typescript"])
def test_each_item_is_a_process_of_its_own_unless_they_share_one(language: str, tmp_path: Path) -> None:
    items = json.dumps(["true", {"name": "last", "code": "true", "weight": 2, "setup": "true", "teardown": "true"}])
    case = case_of(tmp_path, f"language: {language}\nexamples: {items}\nunit_tests: {items}\n")
    assert [check.type for check in case.checks] == ["examples", "unit-tests"]
    stages = prepare(case, UNTOUCHED, image="image").stages
    assert [len(stage.steps) for stage in stages] == [1, 1, 1, 1]
    shared = case_of(
        tmp_path, f"language: {language}\nassertions: [{{type: examples, items: {items}, isolation: shared}}]\n"
    )
    assert [len(stage.steps) for stage in prepare(shared, UNTOUCHED, image="image").stages] == [1]


def test_setup_and_teardown_of_case_and_item_are_around_the_item(tmp_path: Path) -> None:
    text = """
language: python
examples_setup: case_setup()
examples_teardown: [case_teardown(), more()]
examples: [{code: item(), setup: own_setup(), teardown: own_teardown()}]
"""
    (stage,) = prepare(case_of(tmp_path, text), UNTOUCHED, image="image").stages
    stdin = stage.steps[0].stdin.decode()
    words = ["case_setup()", "own_setup()", "item()", "own_teardown()", "case_teardown()", "more()"]
    assert sorted(words, key=stdin.index) == words


@pytest.mark.parametrize(
    "field",
    ["name", "contributor", "criteria", "prompt", "version", "examples", "unit_tests", "imports", "reference_solution"],
)
def test_a_field_of_a_definition_that_is_missing_is_named_by_itself(field: str, tmp_path: Path) -> None:
    place = tmp_path / "code_generation" / "utility" / "add"
    place.mkdir(parents=True)
    lines = [line for line in DEFINITION.splitlines() if not line.startswith(f"{field} =")]
    (place / "definition.toml").write_text("\n".join(lines))
    errors = load(place, environ={}).errors
    assert len(errors) == 1
    assert f"`{field}`" in errors[0].message


@pytest.mark.parametrize(
    "above",
    [
        "",
        "code_generation",
        "code_generation/utility",
        "code_generation/utility/add",
        "code_generation/utility/add/definition.toml",
    ],
)
def test_any_directory_above_a_definition_is_a_suite(above: str, tmp_path: Path) -> None:
    place = tmp_path / "code_generation" / "utility" / "add"
    place.mkdir(parents=True)
    (place / "definition.toml").write_text(DEFINITION)
    (case,) = load(tmp_path / above, environ={}).cases
    assert (case.id, case.language) == ("add", "julia")
    assert [check.name for check in case.checks] == ["parsed", "executed", "passed_unit_tests", "executed_examples"]
    assert [check.weight for check in case.checks] == [1, 1, 1, 1]
