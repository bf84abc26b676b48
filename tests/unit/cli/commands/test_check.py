"""``grade check``: what makes a case fair, what does not, and what it ends with."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from apart_fakes import Said, Told, runner
from command_line import CASE, RIGHT, Grade, Ran
from fake_engine import FakeEnd, FakeRun
from grading_bench import FAIL, PASS, Watch, write

from gradebox.graders.errors import ExitCode


def findings(ran: Ran) -> list[tuple[str, str, str]]:
    (found,) = ran.objects
    return [(one["level"], one["submission"], one["check"]) for one in found["findings"]]


# A required check whose grader shares a user with the submission, and does not say so.
IN_PROCESS = ("warning", "", "answer")


def test_a_fair_case_is_proven(grade: Grade, watch: Watch) -> None:
    write(Path(), {"case/case.yaml": CASE, **RIGHT})
    ran = grade("check", "case", "--no-attack")
    assert ran.code == ExitCode.PASSED
    assert "FAIR  case" in ran.out
    assert "The reference passed in 3 of 3 runs (score 1.0000)." in ran.out
    assert "The untouched workspace failed in 3 of 3 runs (score 0.0000)." in ran.out
    assert "The reference passes with `isolation: apart`, too." in ran.out
    assert "Write `isolation: apart`: the reference passes so." in ran.out
    assert len(watch.runs) == 8
    assert "1 case: 1 fair" in ran.err


def test_a_fair_case_that_no_cheat_passes_is_proven(grade: Grade) -> None:
    write(Path(), {"case/case.yaml": CASE, **RIGHT})
    ran = grade("check", "case")
    assert ran.code == ExitCode.PASSED
    assert "PROVEN  case" in ran.out
    assert re.search(r"^  0 of \d cheats passed\.$", ran.out, re.MULTILINE)


def test_a_fair_case_that_a_cheat_passes_is_not_proven(grade: Grade, watch: Watch) -> None:
    watch.acts = {
        "look": lambda run: PASS if b"yes" in run.files["answer"] or run.files["answer"] == b"right" else FAIL
    }
    write(Path(), {"case/case.yaml": CASE, **RIGHT, "case/workspace/answer": ""})
    ran = grade("check", "case")
    assert ran.code == ExitCode.FAILED
    assert "CHEATED  case" in ran.out
    assert "error: The cheat words/likely passes." in ran.out
    (found,) = grade("check", "case", "--json").objects
    assert (found["outcome"], found["cheats"]["words/likely"]) == ("cheated", "passed")


def test_a_workspace_that_may_pass_is_fair(grade: Grade) -> None:
    text = CASE.replace("look", "anything") + "expect_untouched: pass\n"
    write(Path(), {"case/case.yaml": text, **RIGHT})
    ran = grade("check", "case")
    assert (ran.code, ran.out[:10]) == (ExitCode.PASSED, "FAIR  case")
    assert "The untouched workspace passed in 3 of 3 runs" in ran.out


def test_an_empty_submission_that_passes_is_unfair(grade: Grade) -> None:
    write(Path(), {"case/case.yaml": CASE.replace("look", "anything"), **RIGHT})
    ran = grade("check", "case")
    assert ran.code == ExitCode.FAILED
    assert "UNFAIR  case" in ran.out
    assert "an empty submission passes" in ran.out
    assert "The check answer has never been seen to fail in 6 runs." in ran.out


def test_a_reference_that_does_not_pass_is_unfair_and_its_gate_unreachable(grade: Grade) -> None:
    write(Path(), {"case/case.yaml": CASE, "case/reference/answer": "wrong"})
    ran = grade("check", "case", "--json")
    assert ran.code == ExitCode.FAILED
    assert findings(ran) == [("unfair", "reference", ""), ("unfair", "reference", "answer"), IN_PROCESS]


def test_a_reference_must_have_the_full_score(grade: Grade) -> None:
    extra = "  - {name: hopeless, type: code-grader, command: [fail], weight: 0.1}\n"
    write(Path(), {"case/case.yaml": CASE + extra, **RIGHT})
    ran = grade("check", "case")
    assert ran.code == ExitCode.FAILED
    assert "The reference passed with score 0.9091 in 3 of 3 runs and must pass with score 1" in ran.out


def test_without_a_reference_nothing_is_proven(grade: Grade) -> None:
    write(Path(), {"case/case.yaml": CASE})
    ran = grade("check", "case", "--json")
    assert (ran.code, findings(ran)) == (ExitCode.FAILED, [("unfair", "", ""), IN_PROCESS])


@pytest.mark.parametrize(("control", "code"), [("fail", ExitCode.PASSED), ("anything", ExitCode.FAILED)])
def test_a_control_must_fail_on_the_reference(grade: Grade, control: str, code: ExitCode) -> None:
    write(Path(), {"case/case.yaml": CASE.replace("[look]", f"[look], control: [{control}]"), **RIGHT})
    ran = grade("check", "case")
    assert ran.code == code
    told = (
        "1 of 1 controls failed on the reference"
        if code is ExitCode.PASSED
        else "The control of answer passed on the reference"
    )
    assert told in ran.out


def test_repeats_that_disagree_are_told_with_the_place(grade: Grade, watch: Watch) -> None:
    count = 0

    def flaky(run: FakeRun) -> FakeEnd:
        nonlocal count
        count += 1
        return FAIL if count == 3 else PASS if run.files.get("answer") == b"right" else FAIL

    watch.acts = {"look": flaky}
    write(Path(), {"case/case.yaml": CASE, **RIGHT})
    ran = grade("check", "case", "--repeat", "4")
    assert ran.code == ExitCode.FAILED
    assert "The reference passed in 3 of 4 runs (score 1.0000, 0.0000)." in ran.out
    assert (
        "The reference was graded otherwise in run 3 than in run 1: verdict was 'passed' and then 'failed'" in ran.out
    )


def test_times_and_ids_are_no_disagreement(grade: Grade) -> None:
    write(Path(), {"case/case.yaml": CASE, **RIGHT})
    assert grade("check", "case", "--repeat", "20").code == ExitCode.PASSED


VERDICTS = """
reference: {verdict: passed, score: 1}
nothing-done: {verdict: failed, score: 0, checks: {answer: 0}}
as-a-diff: {verdict: passed, checks: {answer: 1}}
"""
DIFF = "--- /dev/null\n+++ b/answer\n@@ -0,0 +1 @@\n+right\n\\ No newline at end of file\n"
SUBMISSIONS = {
    "case/case.yaml": CASE,
    **RIGHT,
    "case/submissions/nothing-done/NOTES.md": "",
    "case/submissions/as-a-diff.diff": DIFF,
    "case/submissions/verdicts.yaml": VERDICTS,
}


def test_submissions_get_what_is_written(grade: Grade, watch: Watch) -> None:
    write(Path(), SUBMISSIONS)
    ran = grade("check", "case", "-n", "1", "--no-attack")
    assert ran.code == ExitCode.PASSED, ran.out
    assert "2 of 2 submissions got the verdict that is written in verdicts.yaml." in ran.out
    assert len(watch.runs) == 6
    assert grade("check", "case", "-n", "1", "--no-submissions", "--no-attack").code == ExitCode.PASSED
    assert len(watch.runs) == 10


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        (
            "nothing-done: {verdict: failed",
            "nothing-done: {verdict: passed",
            "failed with score 0, and passed is written",
        ),
        ("checks: {answer: 1}", "checks: {answer: 0.5}", "got score 1 in answer, and 0.5 is written"),
        ("verdict: passed, score: 1}", "verdict: passed, score: 0.9}", "The reference got score 1, and 0.9 is written"),
        ("as-a-diff:", "as-a-dif:", "there is no submission `as-a-dif`"),
        ("answer: 0", "anwser: 0", "the case has no check `anwser`"),
        ("{verdict: failed", "{vredict: failed", "verdicts.yaml:3:16"),
        ("{verdict: failed", "failed # {", "Write `nothing-done: {verdict: ...}`."),
        ("as-a-diff: {verdict: passed, checks: {answer: 1}}", "", "as-a-diff.diff: has no verdict"),
    ],
)
def test_what_is_written_and_not_so_is_unfair(grade: Grade, old: str, new: str, finding: str) -> None:
    assert old in VERDICTS
    write(Path(), {**SUBMISSIONS, "case/submissions/verdicts.yaml": VERDICTS.replace(old, new)})
    ran = grade("check", "case", "-n", "1")
    assert ran.code == ExitCode.FAILED
    assert finding in ran.out


def test_a_third_may_be_rounded(grade: Grade) -> None:
    extra = "  - {name: more, type: code-grader, command: [look], weight: 0.5}\n"
    written = "wrong: {verdict: failed, score: 0.667}\n"
    text = f"{CASE}{extra}".replace("[look], required", "[half], required")
    write(Path(), {"case/case.yaml": text, **RIGHT, "case/submissions/verdicts.yaml": written})
    write(Path(), {"case/submissions/wrong/answer": "half"})
    assert "1 of 1 submission got" in grade("check", "case", "-n", "1").out


def test_what_cannot_be_graded_proves_nothing(grade: Grade, watch: Watch) -> None:
    watch.acts = {"look": FakeEnd(lost=True)}
    write(Path(), {"case/case.yaml": CASE, **RIGHT})
    ran = grade("check", "case", "-n", "1")
    assert ran.code == ExitCode.NOT_GRADED
    assert "NOT GRADED  case" in ran.out
    assert "The reference could not be graded: " in ran.out


def test_a_broken_case_beside_a_fair_one_is_exit_code_4(grade: Grade) -> None:
    write(
        Path(), {"all/fair/case.yaml": CASE, "all/fair/reference/answer": "right", "all/broken/case.yaml": "tgas: []"}
    )
    ran = grade("check", "all")
    assert ran.code == ExitCode.NOT_GRADED
    assert "PROVEN  fair" in ran.out
    assert "all/broken/case.yaml:1:1" in ran.err


def test_a_reference_that_is_text_in_the_case_is_proven_too(grade: Grade, watch: Watch) -> None:
    watch.acts = {"look": lambda run: PASS if run.files.get("solution.py") == b"x = 1\ny = 2\n" else FAIL}
    text = f"language: python\nreference_solution: |\n  x = 1\n  y = 2\n{CASE}"
    write(Path(), {"case/case.yaml": text})
    assert grade("check", "case").code == ExitCode.PASSED


TESTS = """
image: image
assertions:
  - {name: tests, type: code-grader, command: "pytest grading", required: true}
"""
PARTS = {"case/reference/a.py": "reference", "case/grading/test_a.py": "", "case/workspace/a.py": ""}


def judged_by_tests(*, apart: bool) -> Callable[[FakeRun], FakeEnd]:
    """Return tests that the reference passes, apart or not."""

    def say(told: Told) -> Said:
        passed = told.files["a.py"] == b"reference" and (apart or told.apart is None)
        return Said(passed=passed, lines=['contract {"a": ["call"]}'] if told.record else [])

    return runner(say)


@pytest.mark.parametrize(
    ("apart", "said"),
    [
        (True, "Its tests are judged apart (`isolation: auto`): the reference passes so."),
        (False, "Its tests are judged in-process (`isolation: auto`): with `isolation: apart`, the reference fails: "),
    ],
)
def test_it_says_and_writes_what_the_reference_has_decided(
    grade: Grade, watch: Watch, said: str, *, apart: bool
) -> None:
    watch.acts = {"sh": judged_by_tests(apart=apart)}
    write(Path(), {"case/case.yaml": TESTS, **PARTS})
    ran = grade("check", "case", "--no-attack", "--repeat", "1", "--write")
    assert ran.code == ExitCode.PASSED
    assert said in " ".join(ran.out.split())
    # Three to decide, then the reference twice and the untouched workspace.
    assert len(watch.runs) == 6
    isolation = "apart" if apart else "in-process"
    assert Path("case/case.yaml").read_text() == f"{TESTS}isolation: {isolation}\n"
    assert "was written into" in ran.err
    ran = grade("check", "case", "--no-attack", "--repeat", "1", "--write")
    assert "isolation: auto" not in ran.out
    assert "was written into" not in ran.err


def test_it_says_what_a_case_without_a_contract_costs(grade: Grade, watch: Watch) -> None:
    watch.acts = {"sh": judged_by_tests(apart=True)}
    write(Path(), {"case/case.yaml": f"{TESTS}isolation: apart\ncontract: none\n", **PARTS})
    ran = grade("check", "case", "--no-attack")
    assert (
        "With `contract: none`, operators and methods of a submission answer what the tests of tests compare."
        in ran.out
    )
    assert "contract" not in grade("check", "case", "--no-attack", "--isolation", "in-process").out


def test_what_cannot_be_found_out_is_not_graded(grade: Grade, watch: Watch) -> None:
    watch.acts = {"sh": FakeEnd(lost=True)}
    write(Path(), {"case/case.yaml": TESTS, **PARTS})
    ran = grade("check", "case", "--no-attack", "--write")
    assert ran.code == ExitCode.NOT_GRADED
    assert "It is unknown whether the reference passes" in " ".join(ran.out.split())
    assert Path("case/case.yaml").read_text() == TESTS
