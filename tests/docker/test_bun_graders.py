"""What Bun reads where it judges: the case's files, and none of a submission, in every way to start it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from grading_bench import write

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.submissions.source import read_submission

CHECK = """import { spawnSync } from "node:child_process"; import { wanted } from "./wanted";
const done = spawnSync("START bun run.ts".trim().split(" ")[0], "START bun run.ts".trim().split(" ").slice(1), { encoding: "utf8" });
if (done.stdout.trim() !== wanted) { console.error(done); process.exit(1); }
"""  # noqa: E501 - a program
SCRIPT = 'set -e\ngot=$(START bun run.ts)\ncd grading && GOT="$got" bun last.ts\n'
LAST = 'if (process.env.GOT !== "right" || process.env.OTHER) process.exit(1);\n'
CHECKER = 'process.exit(require("fs").readFileSync(0, "utf8").trim() === "right" ? 42 : 43);\n'
TAKEN = {"compilerOptions": {"baseUrl": ".", "paths": {"*": ["./evil.ts"]}}}
ABSOLUTE = {"compilerOptions": {"paths": {"/workspace/grading/*": ["./evil.ts"]}}}
OWN = {"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["./src/*"]}}}
EVIL = "process.exit(process.argv.length > 2 ? 42 : 0); export const wanted = 0;"
RUNS: dict[str, dict[str, Any]] = {
    "bun": {"command": "bun grading/check.ts"},
    "bun run": {"command": "bun run ./grading/check.ts"},
    "tsx": {"command": "npx tsx grading/check.ts"},
    "script": {"command": "sh grading/check.sh"},
    "checker": {
        "type": "io", "run": ["bun", "run.ts"], "tests": [{"stdin": "1"}], "checker": ["bun", "grading/checker.ts"],
    },
}  # fmt: skip
WRITES = 'import { writeFileSync } from "node:fs"; console.log("wrong");'
SUBMISSIONS = {
    "honest": {"run.ts": 'console.log("right")'},
    "honest with paths": {
        "run.ts": 'import { right } from "@/a"; console.log(right);', "src/a.ts": 'export const right = "right";',
        "tsconfig.json": json.dumps(OWN),
    },
    "every path": {"tsconfig.json": json.dumps(TAKEN)},
    "absolute paths": {"jsconfig.json": json.dumps(ABSOLUTE)},
    "extended": {"tsconfig.json": '{"extends": "./base"}', "base.json": json.dumps(TAKEN)},
    "written by the program": {
        "run.ts": f"{WRITES} writeFileSync('grading/../tsconfig.json', `{json.dumps(TAKEN)}`); "
        "writeFileSync('bunfig.toml', 'preload = [\"./evil.ts\"]'); writeFileSync('.env', 'OTHER=1');"
    },
}  # fmt: skip


@pytest.mark.parametrize("isolation", ["apart", "in-process"])
@pytest.mark.parametrize("run", RUNS)
def test_no_submission_configures_bun_where_it_judges(run: str, isolation: str, tmp_path: Path) -> None:
    start = "candidate" if isolation == "apart" else ""
    check = {"type": "code-grader", "required": True, **RUNS[run]}
    case = {"input": "x", "language": "typescript", "isolation": isolation, "assertions": [check]}
    grading = {
        "check.ts": CHECK.replace("START", start), "wanted.ts": 'export const wanted = "right";', "last.ts": LAST,
        "check.sh": SCRIPT.replace("START", start), "checker.ts": CHECKER,
    }  # fmt: skip
    write(tmp_path, {"case/case.yaml": json.dumps(case), **{f"case/grading/{at}": it for at, it in grading.items()}})
    # Where both are one user, the program may write whatever comes next.
    given = {what: it for what, it in SUBMISSIONS.items() if isolation == "apart" or not what.startswith("written")}
    for what, files in given.items():
        every = {"run.ts": 'console.log("wrong")', "evil.ts": EVIL, **files}
        write(tmp_path / what, every)
    with Grader() as grader:
        loaded = load_case(tmp_path / "case")
        tasks = [Task(loaded, read_submission(tmp_path / what)) for what in given]
        found = {what: each.verdict for what, each in zip(given, grader.grade_many(tasks, jobs=2), strict=True)}
    expected = {what: "passed" if what.startswith("honest") else "failed" for what in given}
    assert {what: each.status.value for what, each in found.items()} == expected, found


def test_the_cases_own_configuration_is_read(tmp_path: Path) -> None:
    check = {"type": "code-grader", "required": True, "command": "bun grading/check.ts"}
    case = {"input": "x", "language": "typescript", "isolation": "apart", "assertions": [check]}
    files = {
        "case/case.yaml": json.dumps(case),
        "case/grading/check.ts": 'import { wanted } from "#/a"; if (wanted !== "right") process.exit(1);\n',
        "case/grading/tsconfig.json": '{"extends": "./base.json"}',
        "case/grading/base.json": json.dumps({"compilerOptions": {"paths": {"#/*": ["./lib/*"]}}}),
        "case/grading/lib/a.ts": 'export const wanted = "right";\n',
        "work/tsconfig.json": json.dumps(TAKEN),
        "work/evil.ts": EVIL,
    }
    write(tmp_path, files)
    with Grader() as grader:
        verdict = grader.grade(load_case(tmp_path / "case"), read_submission(tmp_path / "work")).verdict
    assert verdict.status.value == "passed", verdict


HEAD = 'import { expect, test } from "bun:test"; import { word } from "../s"; '
TESTS = HEAD + 'test("word", () => { expect(word()).toBe("right"); });'
# A hidden file of tests, or what it imports, that has another result of its own.
PATCH = 'import { expect } from "bun:test"; Object.getPrototypeOf(expect(0)).toBe = () => {};'
RIGHT, WRONG = ({"s.ts": f'export const word = () => "{word}";'} for word in ("right", "wrong"))
OTHERS = {
    "a name with a colon": {"aa:tests.test.ts": PATCH},
    "a directory with a colon": {"aa:/tests/a.test.ts": PATCH},
    "a usual name": {"tests.test.ts": PATCH},
}


def _graded(case: dict[str, Any], grading: dict[str, str], work: dict[str, str], base: Path) -> Any:
    whole = {"input": "x", "language": "typescript", "isolation": "apart", **case}
    write(base, {"case/case.yaml": json.dumps(whole), **{f"case/{at}": text for at, text in grading.items()}})
    write(base / "work", work)
    with Grader() as grader:
        return grader.grade(load_case(base / "case"), read_submission(base / "work")).verdict


@pytest.mark.parametrize("command", ["bun test tests", "bun test", "bun test ./", "bun test --timeout 9000 -- s.test"])
@pytest.mark.parametrize("name", OTHERS)
def test_no_file_of_a_submission_is_a_file_of_tests(command: str, name: str, tmp_path: Path) -> None:
    case = {"protect": "tests/**", "assertions": [{"type": "code-grader", "command": command}]}
    given = {"right": RIGHT, "wrong": WRONG}
    found = {
        what: _graded(case, {"workspace/tests/s.test.ts": TESTS}, work | OTHERS[name], tmp_path / what).status.value
        for what, work in given.items()
    }
    assert found == {"right": "passed", "wrong": "failed"}


@pytest.mark.parametrize(
    ("command", "ran"),
    [
        ("bun test", "ab"), ("bun test tests", "ab"), ("bun test a.test", "a"), ("bun test ./tests/deep", "b"),
        ("bun test --cwd tests deep", "b"), ("bun test -t a tests", "a"), ("bun test ./tests/other.ts", "o"),
        ("bun test ./tests/a.test.ts tests/deep", "ab"), ("bun test --config=tests/b.toml", "b"),
    ],
)  # fmt: skip
def test_the_files_of_the_case_run_that_bun_would_find(command: str, ran: str, tmp_path: Path) -> None:
    test = 'import { test } from "bun:test"; test("NAME", () => console.log("ran NAME"));'
    names = {"a.test.ts": "a", "deep/b_spec.mjs": "b", "other.ts": "o", ".hidden/c.test.ts": "c"}
    grading = {
        **{f"workspace/tests/{path}": test.replace("NAME", name) for path, name in names.items()},
        "workspace/tests/b.toml": '[test]\nroot = "tests/deep"\n',
    }  # fmt: skip
    asked = {"type": "code-grader", "command": command}
    verdict = _graded({"protect": "tests/**", "assertions": [asked]}, grading, {"x.test.ts": ""}, tmp_path)
    said = verdict.checks[0].steps[-1].outcome.stdout.text()
    assert (verdict.status.value, [letter for letter in "abco" if f"ran {letter}" in said]) == ("passed", [*ran])


def test_no_file_of_a_submission_is_the_runtime_of_jsx(tmp_path: Path) -> None:
    package = {"name": "react", "exports": {"./jsx-dev-runtime": "./r:t.js", "./jsx-runtime": "./r:t.js"}}
    forged = {
        "node_modules/react/package.json": json.dumps(package),
        "node_modules/react/r:t.js": f"{PATCH} export const jsxDEV = () => 1, jsx = jsxDEV, jsxs = jsxDEV;",
    }
    case = {"assertions": [{"type": "code-grader", "command": "bun test ./grading"}]}
    tests = f"{TESTS} test('jsx', () => {{ expect(<b />).toBe(1); }});"
    verdict = _graded(case, {"grading/a.test.tsx": tests}, WRONG | forged, tmp_path / "image")
    assert "Cannot find package 'react/jsx-dev-runtime': the image does not have it" in str(verdict)
    own = {
        "grading/a.test.tsx": f"/** @jsxImportSource own */ {tests}",
        "grading/node_modules/own/package.json": json.dumps({"exports": {"./jsx-dev-runtime": "./r.js"}}),
        "grading/node_modules/own/r.js": "export const jsxDEV = () => 1;",
    }
    assert _graded(case, own, RIGHT | forged, tmp_path / "case").status.value == "passed"
