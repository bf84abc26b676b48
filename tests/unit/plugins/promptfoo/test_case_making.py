"""From tests, prompts and variables to cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from promptfoo_files import PLAIN, SUITE, cases, loaded, said

CHECK = {"type": "contains", "value": "x"}


def test_each_prompt_makes_a_case_of_each_test(tmp_path: Path) -> None:
    prompts = ["a {{w}}", {"id": "terse", "raw": "b {{ vars.w }}"}]
    rows = [{"id": "one", "vars": {"w": "1"}, "assert": [CHECK]}, {"vars": {"w": "2"}, "assert": [CHECK]}]
    found = cases(tmp_path, {"prompts": prompts, "tests": rows}, SUITE)
    assert [(case.id, case.input[0].content) for case in found] == [
        ("one__prompt_prompt-a60e5b335c98", "a 1"),
        ("one__prompt_terse", "b 1"),
        ("test-2-prompt-1", "a 2"),
        ("test-2-terse", "b 2"),
    ]


def test_a_test_may_name_its_prompts(tmp_path: Path) -> None:
    prompts = [{"label": "group:a", "raw": "1"}, {"label": "group:b", "raw": "2"}, {"label": "other", "raw": "3"}]
    rows = [{"id": "x", "prompts": ["other"], "assert": ["w"]}, {"id": "y", "prompts": ["group"], "assert": ["w"]}]
    found = cases(tmp_path, {"prompts": prompts, "tests": rows}, PLAIN)
    assert [(case.id, case.input[0].content) for case in found] == [("x", "3"), ("y-group-a", "1"), ("y-group-b", "2")]


@pytest.mark.parametrize(("name", "count"), [(PLAIN, 4), (SUITE, 1)])
def test_in_files_of_promptfoo_a_list_of_values_is_one_case_each(name: str, count: int, tmp_path: Path) -> None:
    row = {"vars": {"a": ["1", "2"], "b": ["x", "y"]}, "assert": ["w"]}
    plain = {"prompts": ["{{a}}{{b}}"], "tests": [row]}
    if name == PLAIN:
        found = cases(tmp_path, plain)
        assert [case.input[0].content for case in found] == ["1x", "1y", "2x", "2y"]
        assert len({case.id for case in found}) == count
        (one,) = cases(tmp_path, {**plain, "tests": [{**row, "options": {"disableVarExpansion": True}}]})
    else:
        (one,) = cases(tmp_path, plain, name)
    assert one.input[0].content == '["1", "2"]["x", "y"]'


def test_messages_may_be_a_variable(tmp_path: Path) -> None:
    messages = [{"role": "system", "content": "Be {{how}}."}, {"role": "user", "content": "Go."}]
    row = {"vars": {"input": messages, "how": "terse", "expected_output": [{"role": "assistant", "content": "ok"}]}}
    (case,) = cases(tmp_path, {"prompts": ["{{ input }}"], "tests": [{**row, "assert": ["w"]}]}, SUITE)
    assert [(one.role, one.content) for one in case.input] == [("system", "Be terse."), ("user", "Go.")]
    assert case.expected_output[0].content == "ok"  # type: ignore[index, union-attr]
    (without,) = cases(tmp_path, {"providers": ["a"], "tests": [{**row, "assert": ["w"]}]}, SUITE)
    assert len(without.input) == 2


def test_a_variable_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("words\n")
    (tmp_path / "data.yaml").write_text("a: {b: 5}\n")
    row = {"vars": {"t": "file://text.txt", "d": "file://data.yaml"}, "assert": ["w"]}
    (case,) = cases(tmp_path, {"prompts": ["{{t}} {{d.a.b}}"], "tests": [row]})
    assert case.input[0].content == "words 5"
    gone = loaded(tmp_path, {"prompts": ["p"], "tests": [{"vars": {"t": "file://no.txt"}, "assert": ["w"]}]})
    assert "the file `no.txt` of the variable `t` does not exist" in said(gone)
    made = loaded(tmp_path, {"prompts": ["p"], "tests": [{"vars": {"t": "file://x.py"}, "assert": ["w"]}]})
    assert "made by a program, which is not run" in said(made)
    assert len(made.cases) == 1


@pytest.mark.parametrize(
    ("name", "test", "required", "threshold"),
    [
        # In a file of promptfoo's every check has to pass, unless the test has a threshold.
        (PLAIN, {}, True, 0.8),
        (PLAIN, {"threshold": 0.6}, False, 0.6),
        (SUITE, {}, False, 0.8),
    ],
)
def test_whether_every_check_has_to_pass(
    name: str, test: dict[str, Any], threshold: float, tmp_path: Path, *, required: bool
) -> None:
    listed = [CHECK, {"type": "not-equals", "value": "y"}, "words", {"type": "cost", "threshold": 1}]
    (case,) = cases(tmp_path, {"prompts": ["p"], "tests": [{"assert": listed, **test}]}, name)
    assert [check.required for check in case.checks] == [required, required, False, False]
    assert case.threshold == threshold


def test_a_score_in_parts_that_passes_does_not_fail_the_case(tmp_path: Path) -> None:
    listed = [CHECK, {"type": "python", "value": "0.5", "threshold": 0.4}, {**CHECK, "weight": 0}]
    (case,) = cases(tmp_path, {"prompts": ["p"], "tests": [{"assert": listed}]})
    assert (case.threshold, [check.required for check in case.checks]) == (0.7, [True, True, False])
    # Without a threshold, any score above 0 passes.
    (case,) = cases(tmp_path, {"prompts": ["p"], "tests": [{"assert": [{"type": "python", "value": "0.1"}]}]})
    assert (case.threshold, case.checks[0].min_score) == (1e-6, 1e-6)


def test_ids_are_unique_and_made_of_descriptions(tmp_path: Path) -> None:
    rows = [{"description": "Says {{w}}!", "vars": {"w": w}, "assert": ["w"]} for w in ("hi", "hi", "Straße")]
    found = cases(tmp_path, {"prompts": ["p"], "tests": [*rows, {"id": 7, "assert": ["w"]}]})
    assert [case.id for case in found] == ["Says-hi", "Says-hi-2", "Says-Stra-e", "7"]
    assert found[0].description == "Says hi!"
    twice = loaded(tmp_path, {"prompts": ["p"], "tests": [{"id": "a", "assert": ["w"]}, {"id": "a", "assert": ["w"]}]})
    assert "`a`" in said(twice)
    assert twice.errors


def test_what_only_a_program_can_do_is_refused(tmp_path: Path) -> None:
    row = {"assert": ["w"], "assertScoringFunction": "file://score.js"}
    assert "is not run: the score is the weighted mean" in said(loaded(tmp_path, {"prompts": ["p"], "tests": [row]}))


def test_a_test_may_override_how_it_is_run(tmp_path: Path) -> None:
    row = {"assert": ["w"], "run": {"threshold": 0.3, "timeout_seconds": 9, "repeat": {"count": 4}}, "provider": "own"}
    (case,) = cases(tmp_path, {"prompts": ["p"], "providers": ["a", "b"], "tests": [row]}, SUITE)
    assert (case.threshold, case.timeout_seconds, case.target) == (0.3, 9.0, "own")
    assert case.trials is not None
    assert case.trials.count == 4
