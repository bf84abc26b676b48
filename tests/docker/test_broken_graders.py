"""Graders that cannot run, on a real engine: each is an `error` with a remedy, and honest neighbours stay failures.

The checks of an image share one case, so that few containers are needed.
"""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from grading_bench import write
from sampled import one_of

from gradebox.graders.cases.load import load
from gradebox.graders.grading import baseline
from gradebox.graders.grading.grader import Grader
from gradebox.graders.grading.task import Task, load_case
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

Files = dict[str, str]
IMAGE = "choose an `image` that has it"
CORRECT = "correct"
HOSTILE = Path(__file__).parents[1] / "hostile"


class Broken(NamedTuple):
    """A check that cannot work, a part of its reason, and what it needs.

    Attributes:
        check: The words of its command, or its fields.
    """

    check: str | dict[str, Any]
    reason: str
    remedy: str = ""
    files: Files = {}  # noqa: RUF012 - never changed


PYTHON_FILES = {
    "grading/helper_lacks.py": "import judge_helpers\n",
    "grading/package_lacks.py": "import json, numpy\n",
    "grading/name_lacks.py": "from os import nope\n",
    "grading/syntax.py": "def f(:\n",
    "grading/indent.py": "if 1:\nprint(1)\n",
    "grading/undefined.py": "print(wanted_answer)\n",
    "grading/data_lacks.py": "open('grading/expected.json')\n",
    "grading/test_package.py": "import numpy\n\ndef test_x(): pass\n",
    "grading/test_syntax.py": "def test_x(:\n",
    "grading/test_undefined.py": "def test_x():\n    assert wanted_answer\n",
    "grading/runs_nothing.sh": "frobnicate x\n",
    "grading/sources_nothing.sh": ". ./judging.sh\n",
    "grading/syntax.sh": "if true; do echo\n",
    "grading/starts_python.sh": "python3 grading/nope.py\n",
    "grading/env_interpreter.sh": "#!/usr/bin/env nosuchinterpreter\n",
    "grading/interpreter.sh": "#!/opt/nosuchinterpreter\n",
    "grading/plain.sh": "exit 0\n",
    "grading/prints.py": "import sys\nprint(sys.argv[1])\n",
}
PYTHON = [
    Broken("python3 grading/helper_lacks.py", "the module `judge_helpers` was not found", IMAGE),
    Broken("python3 grading/package_lacks.py", "the module `numpy` was not found", IMAGE),
    Broken("python3 grading/name_lacks.py", "`/usr/lib/python3", CORRECT),
    Broken("python3 grading/syntax.py", "grading/syntax.py` cannot be run", CORRECT),
    Broken("python3 grading/indent.py", "grading/indent.py` cannot be run", CORRECT),
    Broken("python3 grading/undefined.py", "`wanted_answer` is not defined", "define it"),
    Broken("python3 grading/data_lacks.py", "no file `grading/expected.json`", CORRECT),
    Broken("python3 scripts/judge.py", "no file `/workspace/scripts/judge.py`", CORRECT),
    Broken("python3 -m nosuchjudge", "the module `nosuchjudge` was not found", IMAGE),
    Broken("python3 -m nosuchjudge.cli", "the module `nosuchjudge` was not found", IMAGE),
    Broken("python3 -m mypy .", "the module `mypy` was not found", IMAGE),
    Broken("uv run python scripts/judge.py", "no file `/workspace/scripts/judge.py`", CORRECT),
    Broken("uv run nosuchprogram", "the program `nosuchprogram` was not found", IMAGE),
    Broken("python3 -m pytest -q grading/test_package.py", "the module `numpy` was not found", IMAGE),
    Broken("python3 -m pytest -q grading/test_syntax.py", "test_syntax.py` cannot be run", CORRECT),
    Broken("python3 -m pytest -q grading/test_undefined.py", "`wanted_answer` is not defined", "define it"),
    Broken("python3 -m unittest grading/test_package.py", "the module `numpy` was not found", IMAGE),
    Broken({"command": "jq . report.json"}, "the program `jq` was not found", IMAGE),
    Broken({"command": "jq . report.json | grep x"}, "the program `jq` was not found", IMAGE),
    Broken({"command": "make test"}, "the program `make` was not found", IMAGE),
    Broken({"command": "npx jest"}, "the program `jest` was not found", IMAGE),
    Broken({"command": "uvx ruff check ."}, "the program `uvx` was not found", IMAGE),
    Broken("sh grading/runs_nothing.sh", "the program `frobnicate` was not found", IMAGE),
    Broken("bash grading/runs_nothing.sh", "the program `frobnicate` was not found", IMAGE),
    Broken("sh grading/sources_nothing.sh", "no file `./judging.sh`", CORRECT),
    Broken("bash grading/sources_nothing.sh", "no file `./judging.sh`", CORRECT),
    Broken("sh grading/syntax.sh", "grading/syntax.sh` cannot be run", CORRECT),
    Broken("bash grading/syntax.sh", "grading/syntax.sh` cannot be run", CORRECT),
    Broken("sh grading/starts_python.sh", "no file `/workspace/grading/nope.py`", CORRECT),
    Broken("bash scripts/judge.sh", "no file `scripts/judge.sh`", CORRECT),
    Broken("env nosuchprogram", "the program `nosuchprogram` was not found", IMAGE),
    Broken("timeout 5 nosuchprogram", "the program `nosuchprogram` was not found", IMAGE),
    Broken("nosuchprogram", "the program 'nosuchprogram' was not found"),
    Broken("grading/env_interpreter.sh", "the program `nosuchinterpreter` was not found", IMAGE),
    Broken("grading/interpreter.sh", "or the interpreter that its first line names"),
    Broken({"command": "true && ./grading/plain.sh"}, "`./grading/plain.sh` cannot be run", CORRECT),
    Broken({"command": ["true"], "cwd": "nosuchdirectory"}, "`/workspace/nosuchdirectory` does not exist", CORRECT),
    Broken({"command": ["true"], "setup": [["nosuchprogram"]]}, "its setup could not be run"),
    Broken({"command": ["true"], "setup": [["sh", "-c", "exit 3"]]}, "its setup failed", "must succeed"),
    Broken({"command": ["true"], "setup": "python3 grading/helper_lacks.py"}, "setup could not be run: the grader"),
    Broken({"command": ["true"], "control": "python3 grading/helper_lacks.py"}, "control could not be run: the grader"),
    # What is broken passes nowhere, even where a failure is wanted.
    Broken({"command": "python3 grading/helper_lacks.py", "negate": True}, "`judge_helpers` was not found", IMAGE),
    Broken({"command": "python3 grading/package_lacks.py", "expect": {"exit_code": 1}}, "`numpy` was not found", IMAGE),
    *(
        Broken({"command": ["python3", "grading/prints.py", printed], "protocol": "json"}, reason, "print one JSON")
        for printed, reason in {
            "fine": "is not one JSON object",
            "{}": "holds no score",
            "[]": "not an object",
            '{"score": 1} {"score": 1}': "is not one JSON object",
            'ok {"score": 1}': "is not one JSON object",
            '{"score": NaN}': "is not one JSON object",
            '{"score": 2}': "is not between 0 and 1",
            '{"score": "1"}': "is not a number",
            '{"assertions": [{"text": "x"}]}': "does not say whether it passed",
        }.items()
    ),
    Broken({"command": ["false"], "protocol": "json"}, "exit status 1", "let it end with 0"),
    Broken({"command": ["python3", "scripts/judge.py"], "protocol": "json"}, "no file `/workspace/scripts/judge"),
    Broken({"type": "rubrics", "rubrics": [{"command": "python3 grading/helper_lacks.py"}]}, "judge_helpers", IMAGE),
    Broken(
        {"type": "examples", "language": "python", "setup": "import numpy", "items": ["numpy.zeros(1)"]},
        "the module `numpy` was not found",
        IMAGE,
    ),
]
BUN_FILES = {
    "grading/helper.ts": 'import { x } from "./judging";\nconsole.log(x);\n',
    "grading/package.ts": 'import { x } from "@agentv/nosuch";\nconsole.log(x);\n',
    "grading/syntax.ts": "const = 3\n",
    "grading/undefined.ts": "console.log(wantedAnswer)\n",
    "grading/helper.test.ts": 'import { x } from "./judging";\ntest("x", () => x);\n',
    "grading/syntax.test.ts": "const = 3\n",
}
BUN = [
    Broken("bun run grading/helper.ts", "the module `./judging` was not found", IMAGE),
    Broken("bun run grading/package.ts", "the module `@agentv/nosuch` was not found", IMAGE),
    Broken("bun grading/syntax.ts", "grading/syntax.ts` cannot be run", CORRECT),
    Broken("bun grading/undefined.ts", "`wantedAnswer` is not defined", "define it"),
    Broken("bun run scripts/judge.ts", "no file `scripts/judge.ts`", CORRECT),
    Broken("bun run judge", "no file `judge`", CORRECT),
    Broken("bun test ./grading/helper.test.ts", "the module `./judging` was not found", IMAGE),
    Broken("bun test ./grading/syntax.test.ts", "grading/syntax.test.ts` cannot be run", CORRECT),
    Broken({"command": "bunx vitest run"}, "the program `vitest` was not found", IMAGE),
    Broken({"command": "cd grading && bun run judge.ts"}, "no file `judge.ts`", CORRECT),
]
NODE_FILES = {
    "grading/helper.mjs": 'import { x } from "./judging.mjs";\n',
    "grading/package.mjs": 'import { x } from "chai";\n',
    "grading/helper.cjs": 'require("./judging");\n',
    "grading/syntax.cjs": "const = 3\n",
    "grading/syntax.mjs": "const = 3\n",
    "grading/undefined.cjs": "wantedAnswer()\n",
    "grading/helper.test.mjs": 'import { test } from "node:test";\nimport x from "./judging.mjs";\ntest("x", x);\n',
}
NODE = [
    Broken("node grading/helper.mjs", "the module `/workspace/grading/judging.mjs` was not found", IMAGE),
    Broken("node grading/package.mjs", "the module `chai` was not found", IMAGE),
    Broken("node grading/helper.cjs", "the module `./judging` was not found", IMAGE),
    Broken("node grading/syntax.cjs", "grading/syntax.cjs` cannot be run", CORRECT),
    Broken("node grading/syntax.mjs", "grading/syntax.mjs` cannot be run", CORRECT),
    Broken("node grading/undefined.cjs", "`wantedAnswer` is not defined", "define it"),
    Broken("node scripts/judge.js", "the module `/workspace/scripts/judge.js` was not found", IMAGE),
    Broken("node --test grading/helper.test.mjs", "judging.mjs` was not found", IMAGE),
    Broken("npx jest grading", "jest", IMAGE),
    Broken("npx vitest run", "vitest", IMAGE),
    Broken("jest grading", "jest", IMAGE),
    Broken({"command": "npx mocha grading"}, "the program `npx` was not found", IMAGE),
    Broken("npm test", "the program 'npm' was not found", IMAGE),
]
JULIA_FILES = {
    "grading/package.jl": "using NoSuchPackage\n",
    "grading/helper.jl": 'include("judging.jl")\n',
    "grading/syntax.jl": "function f(\n",
    "grading/undefined.jl": "wanted_answer(1)\n",
}
JULIA = [
    Broken("julia grading/package.jl", "the module `NoSuchPackage` was not found", IMAGE),
    Broken("julia grading/helper.jl", "no file `/workspace/grading/judging.jl`", CORRECT),
    Broken("julia grading/syntax.jl", "grading/syntax.jl` cannot be run", CORRECT),
    Broken("julia grading/undefined.jl", "`wanted_answer` is not defined", "define it"),
    Broken("julia scripts/judge.jl", "no file `/workspace/scripts/judge.jl`", CORRECT),
]
TASK = "Write greeter.py, or greet.js, greet.ts, greet.jl or greet.sh, with a function `greet`."


def graded(
    engine: DockerEngine, root: Path, checks: list[dict[str, Any]], files: Files, work: Files, **case: Any
) -> Result:
    """Grade one submission of a case with these checks."""
    execution = {"timeout_seconds": 300}
    document = {"input": TASK, "execution": execution, "env": {"PYTHONPATH": "."}, "assertions": checks, **case}
    write(root, {f"case/{path}": text for path, text in files.items()})
    write(root, {"case/case.yaml": json.dumps(document), "work/notes.txt": "x"})
    write(root, {f"work/{path}": text for path, text in work.items()})
    for script in (root / "case/grading").glob("*interpreter.sh"):
        script.chmod(0o755)
    return Grader(engine=engine).grade(root / "case", root / "work")


def fields(check: str | dict[str, Any], number: int) -> dict[str, Any]:
    written = {"command": check.split()} if isinstance(check, str) else check
    return {"type": "code-grader", "name": f"check {number}", **written}


@pytest.mark.parametrize(
    ("image", "table", "files"),
    [
        ("python", PYTHON, PYTHON_FILES),
        ("bun", BUN, BUN_FILES),
        ("node", NODE, NODE_FILES),
        pytest.param("julia", JULIA, JULIA_FILES, marks=pytest.mark.thorough),
    ],
)
def test_a_grader_that_cannot_run_is_an_error_with_its_remedy(
    engine: DockerEngine, tmp_path: Path, image: str, table: list[Broken], files: Files
) -> None:
    checks = [fields(broken.check, number) for number, broken in enumerate(table)]
    result = graded(engine, tmp_path, checks, files, {"greeter.py": "x"}, image=f"gradebox/{image}")
    wrong = {
        str(broken.check): (found.status, found.reason)
        for broken, found in zip(table, result.verdict.checks, strict=True)
        if (found.status, found.score) != (Status.ERROR, None)
        or broken.reason not in found.reason
        or broken.remedy not in found.reason
    }
    assert wrong == {}
    assert result.verdict.status is Status.ERROR


REFUSED: list[Broken] = [
    Broken("python3 grading/zzzzzzzz.py", "has no such file", "Write it"),
    Broken("uv run python grading/prinst.py", "has no such file", "Did you mean `grading/prints.py`?"),
    Broken("bun run ../scripts/judge.ts", "does not exist", "must lie in their repository"),
    Broken("pytest -q tests/test_judging.py", "has no such file", "Write it"),
    Broken("bun test tests/judging.test.ts", "has no such file", "Write it"),
    Broken("node --test tests/judging.test.mjs", "has no such file", "Write it"),
    Broken("grading/plain.sh", "is not executable", "chmod +x"),
    Broken("sh grading/windows.sh", "Windows line endings", "sed"),
    Broken({"command": ["python3 grading/prints.py x"]}, "one word with blanks", "Write the words apart"),
    Broken({"command": ["true"], "expect": {"stdout_regex": "(["}}, "is not a regular expression", "brackets"),
    Broken({"command": ["true"], "expect": {"stdout_regexp": "x"}}, "unknown key", "Did you mean `stdout_regex`?"),
    Broken({"command": ["true"], "report": {"format": "xunit", "path": "r.xml"}}, "xunit", "junit"),
    Broken({"command": ["true"], "report": {"format": "junit", "path": "grading/r.xml"}}, "`grading`", "workspace"),
    Broken({"command": ["true"], "protocol": "jsno"}, "jsno", "Did you mean `json`?"),
    Broken({"command": "make test", "adapter": "pytest"}, "not one that `pytest` can run", "Write the command as"),
]


@pytest.mark.parametrize("broken", REFUSED, ids=lambda broken: str(broken.check))
def test_what_cannot_work_in_any_sandbox_is_refused_when_the_case_is_loaded(tmp_path: Path, broken: Broken) -> None:
    files = {**PYTHON_FILES, "grading/windows.sh": "#!/bin/sh\r\ntrue\r\n"}
    write(tmp_path, {**files, "case.yaml": json.dumps({"input": TASK, "assertions": [fields(broken.check, 1)]})})
    loaded = load(tmp_path)
    (found,) = loaded.errors
    assert loaded.cases == ()
    assert found.line == 1
    assert broken.reason in found.message
    assert broken.remedy in found.hint


REPORT = {"format": "junit", "path": "report.xml"}
PASSES = "import greeter\n\ndef test_one(): assert greeter.greet()\n"


@pytest.mark.parametrize("reference", one_of(2, [True, False]))
@pytest.mark.parametrize(
    ("options", "report"),
    [
        (["--junitxml=other.xml"], REPORT),
        (["--junitxml=report.xml"], {"format": "tap", "path": "report.xml"}),
        (["--junitxml=report.xml"], {"format": "ctrf", "path": "report.xml"}),
    ],
)
def test_a_report_that_the_command_does_not_write_is_an_error(
    engine: DockerEngine, tmp_path: Path, options: list[str], report: dict[str, str], *, reference: bool
) -> None:
    command = ["python3", "-m", "pytest", "-q", *options, "grading"]
    right = {"greeter.py": "def greet(): return 'hello'\n"}
    files = {"grading/test_it.py": PASSES, "workspace/greeter.py": "def greet(): return ''\n"}
    files |= {f"reference/{path}": text for path, text in right.items() if reference}
    result = graded(engine, tmp_path, [fields({"command": command, "report": report}, 1)], files, right)
    (check,) = result.verdict.checks
    assert (check.status, check.tampering) == (Status.ERROR, ())
    assert "correct `report`" in check.reason


HONEST = {
    "python": [
        # The task names it, so the submission had to bring it.
        ("python3 grading/needs_greeter.py", {"grading/needs_greeter.py": "import greeter\ngreeter.greet()\n"}, {}),
        ("python3 -m pytest -q grading", {"grading/test_it.py": f"{PASSES}\ndef test_two(): pass\n"}, {}),
        ("python3 greeter.py", {}, {}),
        ("python3 -m greeter", {}, {}),
        ("sh -c '. ./greet.sh; greet x'", {}, {"greet.sh": "true\n"}),
        (
            "python3 grading/reads_greeter.py",
            {"grading/reads_greeter.py": "exec(open('greeter.py').read())\ngreet()\n"},
            {"greeter.py": "other = 1\n"},
        ),
        # What only the submission lacks.
        ("python3 greeter.py x", {}, {"greeter.py": "import numpy\n"}),
        ("python3 greeter.py y", {}, {"greeter.py": "def greet(:\n"}),
        ("bash greet.sh", {}, {"greet.sh": "frobnicate\n"}),
        ("python3 -m helper", {"workspace/helper.py": "import base"}, {"base.txt": ""}),
        # What it only prints.
        (
            "python3 greeter.py z",
            {},
            {"greeter.py": "import sys\nsys.exit(\"ModuleNotFoundError: No module named 'numpy'\")\n"},
        ),
        ("bash greet.sh x", {}, {"greet.sh": "echo 'sh: 1: jq: not found' >&2; exit 127\n"}),
    ],
    "bun": [
        ("bun grading/it.ts", {"grading/it.ts": 'import { greet } from "../greet";\ngreet();\n'}, {}),
        ("bun test ./grading/a.test.ts", {"grading/a.test.ts": 'import "../greet";\ntest("x", () => {});\n'}, {}),
        ("bun greet.ts", {}, {"greet.ts": 'import "left-pad";\n'}),
    ],
    "node": [
        ("node grading/it.cjs", {"grading/it.cjs": 'require("../greet.js");\n'}, {}),
        ("node --test grading/a.test.cjs", {"grading/a.test.cjs": 'require("../greet.js");\n'}, {}),
        ("node greet.js", {}, {"greet.js": 'require("left-pad");\n'}),
    ],
    "julia": [
        ("julia grading/it.jl", {"grading/it.jl": 'include("../greet.jl")\n'}, {}),
        ("julia grading/calls.jl", {"grading/calls.jl": "greet(1)\n"}, {}),
        ("julia greet.jl", {}, {"greet.jl": "using NoSuchPackage\n"}),
    ],
}


@pytest.mark.parametrize("image", one_of(2, HONEST))
def test_what_a_submission_lacks_is_its_failure(engine: DockerEngine, tmp_path: Path, image: str) -> None:
    """Each command is a case of its own, since what one submission brings would help another check."""
    found = {}
    for number, (command, files, work) in enumerate(HONEST[image]):
        words = shlex.split(command)
        root = tmp_path / str(number)
        result = graded(engine, root, [fields({"command": words}, 1)], files, work, image=f"gradebox/{image}")
        (check,) = result.verdict.checks
        found[command] = (check.status, check.reason)
    assert {status for status, _ in found.values()} == {Status.FAILED}, found


CRASHES = "import json, greeter\nprint(json.dumps({'score': float(greeter.greet() == 'hello')}))\n"


@pytest.mark.parametrize(
    "work", ["print('hello')\ndef greet(): return 'hello'\n", "raise SystemExit(3)\n", "def greet(): return 1 / 0\n"]
)
def test_an_error_that_the_reference_has_not_is_the_failure_of_the_submission(
    engine: DockerEngine, tmp_path: Path, work: str
) -> None:
    checks = [fields({"command": "python3 grading/judge.py", "protocol": "json"}, 1)]
    files = {"grading/judge.py": CRASHES}
    result = graded(engine, tmp_path / "without", checks, files, {"greeter.py": work})
    assert result.verdict.status is Status.ERROR
    files["reference/greeter.py"] = "def greet(): return 'hello'\n"
    result = graded(engine, tmp_path / "with", checks, files, {"greeter.py": work})
    (check,) = result.verdict.checks
    assert (check.status, check.score, check.unfinished) == (Status.FAILED, 0.0, True)
    assert "with the reference it works" in check.reason


def test_without_a_reference_the_untouched_workspace_decides(engine: DockerEngine, tmp_path: Path) -> None:
    shutil.copytree(HOSTILE / "bases/brittle", tmp_path / "brittle", ignore=shutil.ignore_patterns("reference"))
    case = load_case(tmp_path / "brittle")
    tasks = [Task(case)]
    for name in ("prints-no-text", "prints-beside-the-score", "breaks-the-setup", "breaks-the-setup-of-a-check"):
        write(tmp_path, {f"{name}/app.py": (HOSTILE / f"spoiling/{name}.py").read_text("utf-8")})
        tasks.append(Task(case, read_submission(tmp_path / name)))
    with Grader(engine=engine) as grader:
        verdicts = [result.verdict for result in grader.grade_many(tasks, jobs=2)]
    assert {verdict.status for verdict in verdicts} == {Status.FAILED}, verdicts
    found = ["with the untouched workspace it works" in str(verdict).lower() for verdict in verdicts]
    assert found == [False, True, True, True, True]


def test_with_a_reference_no_name_decides(engine: DockerEngine, tmp_path: Path) -> None:
    """The task names neither module; the reference brings one of them."""
    files = {
        "grading/one.py": "import first_part\n",
        "grading/other.py": "import second_part\n",
        "reference/first_part.py": "",
    }
    checks = [fields("python3 grading/one.py", 1), fields("python3 grading/other.py", 2)]
    result = graded(engine, tmp_path, checks, files, {})
    assert [check.status for check in result.verdict.checks] == [Status.FAILED, Status.ERROR]
    assert "`second_part`" in result.verdict.checks[1].reason


def test_checks_are_run_again_once_for_many_submissions(
    engine: DockerEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"grading/judge.py": "import judge_helpers\n"}
    checks = [fields("python3 grading/judge.py", 1)]
    graded(engine, tmp_path, checks, files, {})
    (case,) = load(tmp_path / "case").cases
    again: list[object] = []
    execute = baseline.execute
    monkeypatch.setattr(baseline, "execute", lambda *words: (again.append(words), execute(*words))[1])
    with Grader(engine=engine) as grader:
        submission = read_submission(tmp_path / "work")
        tasks = [Task(case, replace(submission, name=name)) for name in "abcd"]
        statuses = {result.verdict.status for result in grader.grade_many(tasks)}
    assert statuses == {Status.ERROR}
    assert len(again) == 1
