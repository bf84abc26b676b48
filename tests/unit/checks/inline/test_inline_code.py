"""Code of authors: how it is run, what it returns, and whose mistake an error is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from evidence_bench import done, exited, judge, make

from gradebox.graders.cases import Loaded
from gradebox.graders.checks.inline.inline_code import InlineCode, JavaScript, Python, code_file
from gradebox.graders.grading.planner import Planner
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.plan import Files
from gradebox.graders.model.tree import Tree
from gradebox.graders.model.verdict import CheckResult, Status
from gradebox.sandbox.types import Capture, Ending, Outcome


def printing(stdout: str, status: int = 0, stderr: str = "") -> Evidence:
    said = stderr.encode()
    ended = replace(exited(status, stdout), stderr=Capture(said, total_bytes=len(said)))
    return Evidence(done=(done(ended),))


def run(code: str, output: str = "Paris", cwd: Path | None = None, **config: Any) -> CheckResult:
    """Run a code of Python as the sandbox would, and judge it."""
    given = {"output": output, "input": [{"role": "user", "content": "Where?"}], "cost_usd": 0.5}
    check = make(Python, value=code, **config)
    grader = check.grader((cwd,) if cwd else ())
    stdin = json.dumps({**given, "config": grader.config})
    ran = subprocess.run(
        [sys.executable, *grader.command.argv[1:]], input=stdin, capture_output=True, text=True, check=False, cwd=cwd
    )
    return judge(check, printing(ran.stdout, ran.returncode, ran.stderr))


@pytest.mark.parametrize(
    ("code", "score"),
    [
        ("output == 'Paris'", 1.0),
        ("len(output) > 9", 0.0),
        ("0.5", 0.5),
        ("7", 1.0),
        ("'false'", 0.0),
        ("{'pass': True}", 1.0),
        ("{'pass_': False, 'score': 0.4, 'reason': 'Half.'}", 0.4),
        # What does not pass does not score as if it did.
        ("{'pass': False, 'score': 0.9}", 0.0),
        ("context['vars']['country'] == 'France' and context['prompt'] == 'Where?'", 1.0),
        ("context['config']['least'] < context['cost_usd']", 1.0),
        ("import math\nreturn math.isclose(len(output), 5)", 1.0),
        ("print('{\"score\": 0}')\nreturn True", 1.0),
    ],
)
def test_an_expression_or_the_body_of_a_function_scores(code: str, score: float) -> None:
    found = run(code, vars={"country": "France"}, config={"least": 0.1})
    assert (found.score, found.type) == (score, "python")


@pytest.mark.parametrize("code", ["int(output)", "eval(output)", "context['no such key']", "1 / 0"])
def test_code_that_raises_on_an_answer_fails(code: str) -> None:
    found = run(code)
    assert (found.status, found.score, found.unfinished) == (Status.FAILED, 0.0, True)
    assert "the code raised" in found.reason


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("1 +", "cannot be loaded: SyntaxError"),
        ("undefined(output)", "is wrong: NameError"),
        ("import no_such_module\nreturn True", "is wrong: ModuleNotFoundError"),
        ("None", "neither a truth value"),
        ("{'reason': 'x'}", "neither `pass` nor `score`"),
        ("float('nan')", "JSON"),
        ("'text'", "neither a truth value"),
        ("file://missing.py", "No such file"),
    ],
)
def test_a_mistake_of_the_author_is_an_error(code: str, why: str) -> None:
    found = run(code)
    assert found.status is Status.ERROR
    assert why in found.reason


def test_a_file_has_the_code(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("WANTED = 'PARIS'\n")
    (tmp_path / "judge.py").write_text(
        "from beside import WANTED\n"
        "def get_assert(output, context): return output == WANTED\n"
        "def no(output, context): return False\n"
    )
    assert run("file://judge.py", cwd=tmp_path).score == 0.0
    assert run("file://judge.py", cwd=tmp_path, transform="output.upper()").score == 1.0
    assert run("file://judge.py:no", cwd=tmp_path).score == 0.0
    assert "defines no function other" in run("file://judge.py:other", cwd=tmp_path).reason


@pytest.mark.parametrize(
    ("printed", "status", "score"),
    [
        ('{"pass": true, "score": 1}', Status.FAILED, 0.0),
        ('{"score": 0.25}', Status.FAILED, 0.75),
        ('{"score": 0}', Status.PASSED, 1.0),
        # What keeps the code from judging does not meet the opposite either.
        ('{"score": 0, "reason": "the code raised x", "raised": true}', Status.FAILED, 0.0),
    ],
)
@pytest.mark.parametrize("kind", [JavaScript, Python])
def test_negate_turns_a_score_round(kind: type[InlineCode], printed: str, status: Status, score: float) -> None:
    found = judge(make(kind, value="x", negate=True), printing(printed))
    assert (found.status, found.score, found.negate) == (status, score, True)


def test_a_time_out_is_no_pass_of_the_opposite() -> None:
    late = Evidence(done=(done(Outcome(Ending.TIMED_OUT, detail="It ran for 5 s.")),))
    assert judge(make(Python, value="x", negate=True), late).status is Status.FAILED


def test_a_threshold_is_the_score_that_passes(case_of: Callable[..., Case]) -> None:
    case = case_of("assertions: [{type: javascript, value: '0.5', threshold: 0.5}]\n")
    (check,) = case.checks
    found = judge(check, printing('{"score": 0.5}'))  # type: ignore[arg-type]
    assert (found.status, found.score, found.wanted) == (Status.PASSED, 0.5, 0.5)


def test_the_files_of_the_code_are_words_of_its_command(case_of: Callable[..., Case]) -> None:
    case = case_of("assertions: [{type: javascript, value: 'file://./a/b.ts:f', transform: file://c.mjs}]\n")
    (command,) = case.checks[0].commands()  # type: ignore[attr-defined]
    assert command.argv[:2] == ("bun", "-e")
    assert command.argv[3:] == ("c.mjs", "a/b.ts")


@pytest.mark.parametrize(
    ("code", "file"), [("a == b", None), ("file://a.py", ("a.py", "")), (" file://./x/a.py:f\n", ("x/a.py", "f"))]
)
def test_code_may_be_a_file(code: str, file: Any) -> None:
    assert code_file(code) == file


def test_a_file_of_another_language_is_refused(load_text: Callable[..., Loaded]) -> None:
    loaded = load_text("assertions: [{type: python, value: file://a.js}]\n")
    assert "`a.js` is not a file of python" in str(loaded.errors[0])


def test_a_module_that_only_a_submission_has_is_not_imported(tmp_path: Path) -> None:
    case, workspace = tmp_path / "case", tmp_path / "workspace"
    for root in (case, workspace):
        root.mkdir()
        (root / "judge.py").write_text("import rich_text\ndef get_assert(output, context): return True\n")
    (workspace / "rich_text.py").write_text("print('mine')\n")
    check = make(Python, value="file://judge.py")
    for roots, why in (((case,), "No module named"), ((workspace,), "")):
        grader = check.grader(roots)
        stdin = json.dumps({"output": "x", "config": grader.config})
        argv = [sys.executable, *grader.command.argv[1:]]
        ran = subprocess.run(argv, input=stdin, capture_output=True, text=True, check=False, cwd=workspace)
        assert (why in ran.stderr, "mine" in ran.stderr) == (True, not why)


def test_code_is_shown_without_the_program_that_runs_it() -> None:
    code = make(Python, value="len(output) > 3")
    about = Case(id="case", place=code.place, directory=Path("/case"), checks=(code,))
    ((step,),) = (stage.steps for stage in code.stages(about, Planner(about, Files(Tree(), Tree()))))
    assert step.command == ("python3", "-c", "len(output) > 3")
    assert step.argv[0] == "python3"
    assert len(step.argv[3]) > 1000
