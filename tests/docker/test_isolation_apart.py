"""Checks with `isolation: apart`: graders in every language start the candidate by the module that lies beside them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from graders.checks.code_grader import CodeGrader
from graders.grading.grade import grade
from graders.grading.settings import Settings
from graders.model.case import Case, CommandSpec, Isolation, Place
from graders.model.result import Result
from graders.model.verdict import Status
from graders.submissions.source import read_submission
from sandbox.engines.docker.docker_engine import DockerEngine
from sandbox.images.recipes import reference

APP = {"app.sh": "read a b; echo $((a + b)); exit ${1:-0}\n"}

PYTHON = """
from gradebox_candidate import TIMED_OUT, popen, run

assert run(["sh", "app.sh"], input="2 3\\n", timeout=5).stdout == "5\\n"
assert run(["sh", "app.sh"], input=b"2 3\\n").stdout == b"5\\n"
assert run(["sh", "app.sh", "7"]).returncode == 7
assert run(["sleep", "9"], timeout=0.2).returncode == TIMED_OUT
assert run(["cat", "grading/judge"]).returncode == 1
talk = popen(["cat"])
talk.stdin.write("hello\\n")
assert talk.stdout.readline() == "hello\\n"
talk.stdin.close()
assert talk.wait() == 0
"""
JAVASCRIPT = """
import assert from "node:assert";
import { TIMED_OUT, popen, run } from "./gradebox_candidate.mjs";

assert.equal(run(["sh", "app.sh"], { input: "2 3\\n", timeout: 5 }).stdout, "5\\n");
assert.equal(run(["sh", "app.sh", "7"]).status, 7);
assert.equal(run(["sleep", "9"], { timeout: 0.2 }).status, TIMED_OUT);
assert.equal(run(["cat", "grading/judge"]).status, 1);
const talk = popen(["cat"]);
talk.stdin.write("hello\\n");
talk.stdout.once("data", (data) => { assert.equal(`${data}`, "hello\\n"); talk.stdin.end(); });
talk.on("close", (status) => assert.equal(status, 0));
"""
JULIA = """
include("gradebox_candidate.jl")
using .GradeboxCandidate: TIMED_OUT, popen, run

run(`sh app.sh`; input="2 3\\n", timeout=5).stdout == "5\\n" || exit(1)
run(`sh app.sh 7`).status == 7 || exit(2)
run(`sleep 9`; timeout=0.2).status == TIMED_OUT || exit(3)
run(`cat grading/judge`).status == 1 || exit(4)
talk = popen(`cat`)
println(talk, "hello")
readline(talk) == "hello" || exit(5)
close(talk)
"""
BASH = """
test "$(echo 2 3 | candidate --timeout 5 sh app.sh)" = 5 || exit 1
candidate sh app.sh 7; test $? = 7 || exit 2
candidate --timeout 0.2 sleep 9; test $? = 124 || exit 3
candidate cat grading/judge 2> /dev/null; test $? = 1 || exit 4
coproc talk { candidate cat; }
echo hello >&"${talk[1]}"; read -r word <&"${talk[0]}"; test "$word" = hello || exit 5
"""


def graded(engine: DockerEngine, place: Path, image: str, *argv: str, files: Mapping[str, str]) -> Result:
    for name, text in {**{f"work/{name}": text for name, text in APP.items()}, **files}.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    check = CodeGrader(name="judge", place=Place(place), command=CommandSpec(argv), adapter="none")
    case = Case(
        id="case",
        place=Place(place / "case.yaml"),
        directory=place,
        roots=(place,),
        checks=(check,),
        grading=place / "grading",
        isolation=Isolation.APART,
    )
    return grade(engine, case, read_submission(place / "work"), Settings(image_of=lambda _: reference(image)))


@pytest.mark.parametrize(
    ("image", "program", "name", "text"),
    [
        ("python", "python3", "judge.py", PYTHON),
        ("node", "node", "judge.mjs", JAVASCRIPT),
        ("bun", "bun", "judge.ts", JAVASCRIPT),
        ("julia", "julia", "judge.jl", JULIA),
        ("base", "bash", "judge.sh", BASH),
    ],
    ids=["python", "node", "bun", "julia", "bash"],
)
def test_a_grader_in_any_language(
    engine: DockerEngine, tmp_path: Path, image: str, program: str, name: str, text: str
) -> None:
    files = {f"grading/{name}": text, "grading/judge": "swordfish"}
    result = graded(engine, tmp_path, image, program, f"grading/{name}", files=files)
    assert result.verdict.status is Status.PASSED, result.verdict.reasons
    assert result.verdict.checks[0].judged == "apart"


def test_a_program_of_the_submission_runs_as_the_candidate_and_reads_nothing(
    engine: DockerEngine, tmp_path: Path
) -> None:
    look = 'test -z "$(cat)" && ! cat grading/judge 2> /dev/null && test $HOME = /tmp/home && touch made && echo fine\n'
    files = {"grading/judge": "swordfish", "work/look.sh": look}
    result = graded(engine, tmp_path, "base", "sh", "look.sh", files=files)
    assert result.verdict.status is Status.PASSED, result.verdict.checks[0].steps[0].outcome
