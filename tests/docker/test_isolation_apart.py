"""Checks with `isolation: apart`: graders in every language start the candidate by the module that lies beside them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gradebox.graders import Grader, load_case
from gradebox.graders.cases import load
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.grading.grade import grade
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.model.crossing import Isolation
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status
from gradebox.graders.runners.test_reports.report_entry import ReportEntry
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference

APP = {"app.sh": "read a b; echo $((a + b)); exit ${1:-0}\n"}

RUBRIC = """
test "$(cat)" || exit 1
test "$(echo 2 3 | candidate sh app.sh)" = 5 || exit 1
candidate cat grading/judge.sh 2> /dev/null || echo 7
"""
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
const killed = popen(["sh", "-c", "echo; exec sleep 60"]);
killed.stdout.once("data", () => killed.kill("SIGKILL"));
killed.on("close", (_, signal) => assert.equal(signal, "SIGKILL"));
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


def graded(
    engine: DockerEngine,
    place: Path,
    image: str,
    *argv: str,
    files: Mapping[str, str],
    report: ReportEntry | None = None,
) -> Result:
    for name, text in {**{f"work/{name}": text for name, text in APP.items()}, **files}.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    adapter = "auto" if "pytest" in argv else "none"
    check = CodeGrader(name="judge", place=Place(place), command=CommandSpec(argv), adapter=adapter, report=report)
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
    assert result.verdict.status is Status.PASSED, result.verdict.checks[0].steps[0].outcome.stdout.text()


def test_a_rubric_is_judged_by_a_grader_that_starts_the_candidate(engine: DockerEngine, tmp_path: Path) -> None:
    for name, text in {**{f"work/{name}": text for name, text in APP.items()}, "grading/judge.sh": RUBRIC}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "case.yaml").write_text("""
input: x
image: gradebox/base
isolation: apart
assertions:
- type: rubrics
  rubrics: [{id: adds, command: [sh, grading/judge.sh], score_ranges: {0: wrong, 7: most, 10: all}}]
""")
    result = grade(
        engine, load_case(tmp_path), read_submission(tmp_path / "work"), Settings(image_of=lambda _: reference("base"))
    )
    (check,) = result.verdict.checks
    assert (check.score, check.judged) == (0.7, "apart"), result.verdict.reasons


@pytest.mark.parametrize("trap", ["", "work/.gradebox", "work/.gradebox/apart.json/file", "link"])
def test_a_runner_is_told_which_files_are_the_cases_and_nobody_else_reads_it(
    engine: DockerEngine, tmp_path: Path, trap: str
) -> None:
    test = """
import app, hashlib, json, os
def test_told():
    told = json.load(open("/workspace/.gradebox/apart.json"))
    assert told["files"]["grading/test_app.py"] == hashlib.sha256(open(__file__, "rb").read()).hexdigest()
    assert os.stat("/workspace/.gradebox/apart.json").st_uid == 0
    assert "app.py" not in told["files"]
    assert app.look() == "PermissionError"
"""
    look = """
def look():
    try:
        return open("/workspace/.gradebox/apart.json").read()
    except OSError as error:
        return type(error).__name__
"""
    files = {"grading/test_app.py": test, "work/app.py": look}
    if trap == "link":
        (tmp_path / "work").mkdir()
        (tmp_path / "work/.gradebox").symlink_to("/tmp")
    elif trap:
        files[trap] = "{}"
    result = graded(engine, tmp_path, "python", "python3", "-m", "pytest", "grading", files=files)
    assert result.verdict.status is Status.PASSED, result.verdict.checks[0].steps[0].outcome.stdout.text()


_FIRST = """
import subprocess
subprocess.run(["candidate", "sh", "solve.sh"], timeout=20, check=True)
expected = open("grading/expected.txt").read()
assert open("out/answer.txt").read() == expected
"""


@pytest.mark.parametrize(
    ("solve", "passes"),
    [
        ("mkdir out; echo 4711 > out/answer.txt", True),
        ("mkdir -p out real; echo 4711 > real/a; ln -s ../real/a out/answer.txt", True),
        ("umask 77; mkdir out; chmod 755 out; echo 4711 > out/x; chmod 644 out/x; mv out/x out/answer.txt", True),
        ("mkdir out; ln -s ../grading/expected.txt out/answer.txt", False),
        ("ln -s grading out; ln -s expected.txt answer.txt", False),
        ("mkdir out; mkfifo out/answer.txt", False),
        ("mkdir out; ln -s /proc/self/cwd/grading/expected.txt out/answer.txt", False),
    ],
)
def test_an_output_file_is_the_submissions_own(engine: DockerEngine, tmp_path: Path, solve: str, passes: bool) -> None:
    files = {"grading/judge.py": _FIRST, "grading/expected.txt": "4711\n", "work/solve.sh": solve + "\n"}
    result = graded(engine, tmp_path, "python", "python3", "grading/judge.py", files=files)
    assert result.verdict.status is (Status.PASSED if passes else Status.FAILED), result.verdict.reasons
    assert any("Kept from the grader" in note for note in result.notes) is not passes


_JUNIT = (
    "<testsuite><testcase name='a'><failure/></testcase><testcase name='b'/>"
    "<testcase name='c'>{}</testcase></testsuite>"
)
_FORGED = f'echo "{_JUNIT.format("")}"'


@pytest.mark.parametrize(
    ("solve", "score"),
    [
        ("exit 0", 1 / 3),
        (f"{_FORGED} > r.xml; chmod 666 r.xml", 0.0),
        (f"{_FORGED} > mine.xml; ln -s mine.xml r.xml", 0.0),
        (f"(sleep 0.5; {_FORGED} > mine.xml; mv -f mine.xml r.xml) & sleep 5", 1 / 3),
    ],
)
def test_a_report_is_the_graders_own(engine: DockerEngine, tmp_path: Path, solve: str, score: float) -> None:
    failed = _JUNIT.format("<failure/>")
    judge = f"""
import os, subprocess, time
program = subprocess.Popen(["candidate", "sh", "solve.sh"])
time.sleep(0.3)
try: open("r.xml", "x").write({failed!r})
except OSError:
    try: open("r.xml", "w").write({failed!r})
    except OSError: pass
time.sleep(0.7)
raise SystemExit(1)
"""
    report = ReportEntry(format="junit", path="r.xml")
    files = {"grading/judge.py": judge, "work/solve.sh": solve + "\n"}
    result = graded(engine, tmp_path, "python", "python3", "grading/judge.py", files=files, report=report)
    assert result.verdict.score == pytest.approx(score), result.verdict.checks[0].reason


BASKET = """
class Basket:
    def __init__(self):
        self.prices = []

    def add(self, price):
        self.prices.append(price)

    def total(self):
        return sum(self.prices)
"""
YES = """
class Yes:
    def __eq__(self, other): return True
    def __hash__(self): return 1
    def __lt__(self, other): return True
    def __gt__(self, other): return True


class Basket:
    def add(self, price): pass
    def total(self): return Yes()
"""
TESTS = """
from basket import Basket

def test_total():
    basket = Basket()
    basket.add(3)
    assert basket.total() < 4 and basket.total() > 2 and basket.total() == 3
"""


def case_with_reference(place: Path, tests: str) -> Case:
    texts = {"grading/test_basket.py": tests, "reference/basket.py": BASKET, "forged/basket.py": YES}
    check = "{name: tests, type: code-grader, command: python3 -m pytest -q grading, required: true}"
    texts["case.yaml"] = (
        "input: Write basket.py.\nlanguage: python\nexamples_setup: from basket import Basket\n"
        f"examples: [assert Basket().total() == 0]\nassertions: [{{type: examples}}, {check}]\n"
    )
    for name, text in texts.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (case,) = load(place).cases
    return case


def test_the_reference_decides_and_its_contract_holds(engine: DockerEngine, tmp_path: Path) -> None:
    with Grader(engine=engine) as grader:
        case = grader.settle(case_with_reference(tmp_path, TESTS))
        assert case.crossing is not None
        assert (case.crossing.isolation, case.crossing.why) == ("apart", "the reference passes so")
        assert "data" in case.crossing.contracts["tests"]["basket.Basket().total()"]
        right = grader.grade(case, read_submission(tmp_path / "reference"))
        forged = grader.grade(case, read_submission(tmp_path / "forged"))
    assert {check.judged for check in right.verdict.checks} == {"apart"}
    assert (right.verdict.status, right.verdict.score) == (Status.PASSED, 1.0)
    assert [check.score for check in forged.verdict.checks] == [0.0, 0.0]


def test_tests_that_look_inside_stay_in_process(engine: DockerEngine, tmp_path: Path) -> None:
    looks = f"{TESTS}    assert Basket.total.__globals__['Basket'] is Basket\n"
    with Grader(engine=engine) as grader:
        case = grader.settle(case_with_reference(tmp_path, looks))
        assert case.crossing is not None
        assert case.crossing.isolation == "in-process"
        assert "the reference fails: tests: exit status 1" in case.crossing.why
        right = grader.grade(case, read_submission(tmp_path / "reference"))
    assert {check.judged for check in right.verdict.checks} == {"in-process"}
    assert right.verdict.status is Status.PASSED


@pytest.mark.parametrize("isolation", ["apart", "in-process"])
def test_a_module_of_the_submission_leaves_a_hidden_script_what_it_is(
    isolation: str, engine: DockerEngine, tmp_path: Path
) -> None:
    check = "{type: code-grader, command: node grading/check.js}"
    start = "candidate node run.js" if isolation == "apart" else "node run.js"
    script = (
        f'const {{ execSync }} = require("node:child_process");\nif (+execSync("{start}") !== 3) process.exit(1);\n'
    )
    files = {
        "case/case.yaml": f"input: x\nlanguage: javascript\nisolation: {isolation}\nassertions: [{check}]\n",
        "case/grading/check.js": script,
        "work/package.json": '{"type": "module"}',
        "work/run.js": 'import { log } from "node:console"; log(3);\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    with Grader(engine=engine) as grader:
        graded = grader.grade(load_case(tmp_path / "case"), read_submission(tmp_path / "work"))
    assert graded.verdict.status is Status.PASSED, graded.verdict
