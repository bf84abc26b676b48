"""All of it together: checks of every kind in one case, on an engine whose commands are scripted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evidence_bench import PLACE, make
from fake_engine import FakeEnd, FakeEngine, FakeRun

from graders.checks.base import Check
from graders.checks.check_reference import CheckReference
from graders.checks.code_grader import CodeGrader
from graders.checks.composite import Composite
from graders.checks.files.file_exists import FileExists
from graders.checks.llm_grader import LlmGrader
from graders.checks.rubric import Rubric
from graders.checks.rubrics import Rubrics
from graders.checks.text.contains import Contains
from graders.grading.grade import grade
from graders.grading.settings import Settings
from graders.model.case import Case, CommandSpec
from graders.model.result import Result
from graders.model.submission import Form, Submission
from graders.model.transcript import Transcript
from graders.model.tree import Tree
from graders.model.verdict import Status
from sandbox.archive import file_entry


def graded(tmp_path: Path, submission: Submission, statuses: Mapping[str, int], *specs: Check) -> Result:
    def script(run: FakeRun) -> FakeEnd:
        return FakeEnd(exit_code=statuses[run.argv[0]])

    case = Case("case", PLACE, tmp_path, specs)
    return grade(FakeEngine(script), case, submission, Settings(image_of=lambda _: "image"))


def code(name: str) -> CodeGrader:
    return make(CodeGrader, name, command=CommandSpec((name,)))


def test_every_check_gets_its_own_evidence(tmp_path: Path) -> None:
    submission = Submission(
        "work",
        Form.DIRECTORY,
        Tree({"answer.txt": file_entry("answer.txt", b"42")}),
        output="It is 42.",
        transcript=Transcript(),
    )
    found = graded(
        tmp_path,
        submission,
        {"good": 0, "bad": 1, "lint": 0},
        make(
            Rubrics,
            "quality",
            rubrics=(Rubric(id="fine", check="all"), Rubric(id="lint", command=CommandSpec(("lint",)))),
        ),
        make(Composite, "all", assertions=(code("good"), code("bad"), make(CheckReference, "ref", check="says"))),
        make(Contains, "says", value="42"),
        make(Contains, "holds", value="42", file="answer.txt"),
        make(FileExists, "there", paths=("*.txt",)),
        make(LlmGrader, "words", prompt="Be kind."),
    )
    scores = {check.name: check.score for check in found.verdict.checks}
    assert scores == {"quality": (2 / 3 + 1) / 2, "all": 2 / 3, "says": 1.0, "holds": 1.0, "there": 1.0, "words": None}
    assert list(scores) == ["quality", "all", "says", "holds", "there", "words"]
    assert found.verdict.checks[-1].status is Status.NOT_JUDGED
    assert [step.argv for step in found.verdict.checks[1].steps] == [("good",), ("bad",)]
    assert found.verdict.status is Status.PASSED


def test_checks_that_run_nothing_do_not_pass_where_the_submission_could_not_be_laid(tmp_path: Path) -> None:
    broken = Submission("work", Form.DIFF, problem="It is no diff.", output="42")
    found = graded(
        tmp_path, broken, {}, make(Contains, value="42"), make(FileExists, "gone", paths=("x",), negate=True)
    )
    assert [check.score for check in found.verdict.checks] == [0.0, 0.0]
    assert found.verdict.status is Status.FAILED
