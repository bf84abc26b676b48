"""One way to a plan: what is laid over what, and what a plan says of a submission that does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest
from grading_bench import Bench, check

from graders.errors import CaseRefused
from graders.grading.fingerprint import WORKSPACE, content_key, plan_hashes
from graders.grading.prepare import prepare
from graders.model.plan import Plan
from graders.model.submission import UNTOUCHED, Form
from graders.submissions.answer import read_answer


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_plan_holds_the_workspace_and_the_submission_over_it(bench: Bench) -> None:
    case = bench.case(check("judge", name="it"), files={"workspace/a": "1\n", "workspace/b": "2\n"})
    plan = prepare(case, bench.submission({"a": "3\n"}), image="image")
    assert (list(plan.workspace.entries), list(plan.laid.entries)) == (["a", "b"], ["a", "b"])
    assert "-1\n+3\n" in plan.changes
    assert (plan.problem, plan.image, [stage.check for stage in plan.every_stage]) == ("", "image", ["it"])


def test_the_code_of_an_answer_is_files_of_the_plan(bench: Bench) -> None:
    case = bench.case(check("judge"), language="python")
    plan = prepare(case, read_answer("it", "```python\nx = 1\n```\n"), image="image")
    assert plan.submission.form is Form.DIRECTORY
    assert list(plan.laid.entries) == ["solution.py"]


def test_a_diff_that_does_not_apply_is_the_problem_of_the_plan(bench: Bench) -> None:
    case = bench.case(check("judge"), files={"workspace/a": "1\n"})
    plan = prepare(case, bench.diff("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-2\n+3\n"), image="image")
    assert plan.problem.startswith("The diff does not apply")
    assert plan.laid == plan.workspace


def test_graders_read_the_same_in_every_plan(bench: Bench) -> None:
    case = bench.case(check("judge"), files={"workspace/a": "1\n"})
    stdin = prepare(case, bench.submission({"a": "3\n"}), image="image").stages[0].steps[0].stdin
    assert b'"file_changes": "--- a/a' in stdin


def test_a_workspace_that_cannot_be_read_refuses_the_case(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def scan(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "workspace/secret")

    case = bench.case(check("judge"))
    monkeypatch.setattr("graders.grading.case_files.scan", scan)
    with pytest.raises(CaseRefused, match=r"workspace/secret cannot be read: Permission denied\."):
        prepare(case, UNTOUCHED, image="image")


def key(plan: Plan, **changes: str) -> str:
    words = {"image_id": "id", "sandbox": "default ", **changes}
    return content_key(plan, **words)


def test_equal_plans_have_equal_hashes_wherever_the_case_lies(tmp_path: Path) -> None:
    plans = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        bench = Bench(tmp_path / name)
        case = bench.case(check("judge"), files={"workspace/a": "1", "grading/t": "t"})
        plans.append(prepare(case, bench.submission({"a": "2"}), image="image"))
    assert key(plans[0]) == key(plans[1])
    assert plan_hashes(plans[0]) == plan_hashes(plans[1])
    assert key(plans[0]) != key(plans[1], image_id="other")
    assert key(plans[0]) != key(plans[1], sandbox="strict ")


def test_a_file_that_a_check_names_changes_its_hash_alone(bench: Bench) -> None:
    def hashes(content: str) -> tuple[str, dict[str, str]]:
        checks = check("sh grading/t", name="named"), check("judge", name="other")
        case = bench.case(*checks, files={"workspace/a": "1", "grading/t": content})
        plan = prepare(case, UNTOUCHED, image="image")
        return key(plan), plan_hashes(plan)

    (first_key, first), (second_key, second) = hashes("1"), hashes("2")
    assert first_key != second_key
    assert {name for name in first if first[name] != second[name]} == {"named"}
    assert WORKSPACE in first
