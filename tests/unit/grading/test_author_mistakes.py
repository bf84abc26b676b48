"""Whether the case or the submission had to bring what a grader lacks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from grading_bench import Bench, check

from gradebox.graders.grading.author_mistakes import AuthorMistakes, sentence
from gradebox.graders.grading.prepare import prepare
from gradebox.graders.languages.complaints import Complaint
from gradebox.graders.model.case import Message
from gradebox.graders.model.evidence import StepOutcome
from gradebox.graders.model.submission import UNTOUCHED
from gradebox.sandbox.types import Capture, Ending, Outcome

FILES = {
    "grading/judge.py": "",
    "scripts/judge.ts": "",
    "workspace/task.md": "Put the **parser** into src/parse.py.",
    "workspace/requirements.txt": "listed-package\nyaml\n",
    "workspace/package.json": '{"dependencies": {"lodash": "1"}}',
    "workspace/src/old.py": "",
    "workspace/tests/test_old.py": "",
}
HIDDEN = "/workspace/grading/judge.py"
OLD = "/workspace/src/old.py"


@pytest.fixture
def mistakes(tmp_path: Path) -> tuple[AuthorMistakes, StepOutcome]:
    text = "Write `greet.py` with greet(), use numpy, yaml and lodash. Print to out.txt. Use jq."
    case = Bench(tmp_path).case(
        check("uv run judge tests/test_old.py"), files=FILES, input=(Message("user", text),), answer_file="bin/tool.py"
    )
    plan = prepare(case, UNTOUCHED, image="image")
    (stage,) = plan.stages
    return AuthorMistakes(plan), StepOutcome(stage.steps[0], Outcome(Ending.EXITED, 1))


@pytest.mark.parametrize(
    ("complaint", "of_case"),
    [
        (("module", "helper", HIDDEN), True),
        (("module", "helper.inner", HIDDEN), True),
        (("module", "@agentv/sdk", ""), True),
        (("module", "pytest", ""), True),
        # The task names these.
        (("module", "greet", HIDDEN), False),
        (("module", "GREET", HIDDEN), False),
        (("module", "parser", ""), False),
        (("module", "numpy", ""), False),
        # The workspace depends on these, so the image must have them.
        (("module", "yaml", ""), True),
        (("module", "lodash", ""), True),
        # Every submission may be called like this; this one is called like the case says.
        (("module", "solution", HIDDEN), False),
        (("module", "tool", HIDDEN), False),
        # A file of the workspace may be what has to be mended, unless it is put back.
        (("module", "helper", OLD), False),
        (("module", "helper", "tests/test_old.py"), True),
        (("module", "./helper", "/workspace/scripts/judge.ts"), True),
        (("module", "../greet", "/workspace/scripts/judge.ts"), False),
        (("module", "../../../x", "/workspace/scripts/judge.ts"), True),
        (("module", "/workspace/src/parse", ""), False),
        (("file", "scripts/other.ts", ""), True),
        (("file", "scripts/run.ts", ""), True),
        (("file", "run.sh", ""), False),
        (("file", "src/main.ts", ""), False),
        (("file", "build/anything", ""), False),
        (("file", "greet.py", ""), False),
        (("file", "/workspace/judging/run.py", ""), True),
        (("file", "/opt/x.py", ""), True),
        (("directory", "/workspace/nowhere", ""), True),
        (("data", "grading/expected.json", ""), True),
        (("data", "out.txt", ""), False),
        (("data", "result.txt", ""), False),
        (("program", "frobnicate", "grading/x.sh"), True),
        (("program", "greet", "sh"), False),
        (("program", "jq", "sh"), True),
        (("program", "judge", ""), True),
        (("name", "wanted", HIDDEN), True),
        (("name", "greet", HIDDEN), False),
        (("name", "wanted", OLD), False),
        (("name", "wanted", ""), False),
        (("source", HIDDEN, ""), True),
        (("source", "sh", ""), True),
        (("source", OLD, ""), False),
        (("target", "/usr/lib/os.py", HIDDEN), True),
        (("target", "/workspace/grading/judge.py", HIDDEN), True),
        (("target", OLD, HIDDEN), False),
        (("target", "/usr/lib/os.py", OLD), False),
    ],
)
def test_whose_mistake_it_is(
    mistakes: tuple[AuthorMistakes, StepOutcome], complaint: tuple[str, str, str], *, of_case: bool
) -> None:
    decides, ran = mistakes
    assert decides.found(Complaint(*complaint), ran) is of_case


@pytest.mark.parametrize(
    ("problem", "exit_code", "report", "of_case"),
    [
        ("format", 1, b"", True),
        ("missing", 0, b"", True),
        ("missing", 1, b"", False),
        ("missing", 1, b"aa done 2 1\n", True),
    ],
)
def test_a_runner_that_failed_early_writes_no_report(
    mistakes: tuple[AuthorMistakes, StepOutcome], problem: str, exit_code: int, report: bytes, *, of_case: bool
) -> None:
    decides, ran = mistakes
    outcome = Outcome(Ending.EXITED, exit_code, report=Capture(report, b"", len(report)))
    ran = replace(ran, step=replace(ran.step, token="aa"), outcome=outcome)
    assert decides.found(Complaint("report", "r.xml", problem), ran) is of_case


def test_a_sentence_says_what_to_do() -> None:
    assert sentence(Complaint("program", "jq")) == (
        "the program `jq` was not found; choose an `image` that has it, or correct its name"
    )
    assert sentence(Complaint("file", "x" * 1000)).count("x") < 300
