"""Test reports of real runners on a real engine: the score in parts, and what a submission does to the report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from weakened_defences import Defence, switched_off

from gradebox.graders.grading.grader import Grader
from gradebox.graders.model.result import Result
from gradebox.graders.model.tampering import TamperingKind
from gradebox.graders.model.verdict_document import document
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

HIDDEN = """
import work

def test_first():
    assert work.value() >= 1

class TestMore:
    def test_second(self):
        assert work.value() >= 2
"""
FORGED = '<testsuites><testsuite><testcase classname="x" name="y"/></testsuite></testsuites>'
WORK = f"""
import os

FORGED = '{FORGED}'
behave = os.environ["BEHAVE"]
report = os.path.join("out", "r.xml")

def value():
    return int(behave)

if not behave.isdigit():
    os.makedirs("out", exist_ok=True)
    if behave == "forged":
        open(report, "w").write(FORGED)
    elif behave == "link":
        os.symlink("/etc/passwd", report)
    elif behave == "pipe":
        os.mkfifo(report)
    elif behave == "directory":
        os.makedirs(report + "/etc")
    elif behave == "large":
        open(report, "wb").truncate(9 << 20)
    os._exit(0)
"""
LISTED = {"must_pass": ["grading.test_work::test_first", "test_second"]}
JAVASCRIPT = """
test("first", () => {});
test("second", () => { throw new Error("no"); });
"""


def graded(
    engine: DockerEngine, root: Path, files: dict[str, str], checks: list[dict[str, Any]], **work: str
) -> Result:
    case = {"assertions": [{"type": "code-grader", **check} for check in checks]}
    written = {f"case/{name}": text for name, text in {**files, "case.yaml": json.dumps(case)}.items()}
    for name, text in (written | {f"work/{name.replace('__', '/')}": text for name, text in work.items()}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return Grader(engine=engine).grade(root / "case", root / "work")


def test_what_a_submission_does_to_the_report_of_pytest_earns_it_nothing(engine: DockerEngine, tmp_path: Path) -> None:
    command = ["python3", "-m", "pytest", "-q", "--junitxml=out/r.xml", "grading"]
    expected = {
        "2": (1.0, "2 of 2 passed", False),
        "1": (0.5, "required and missed: test_second; 1 of 2 passed", False),
        # It brings a report of its own, which is removed before the command runs.
        "stale": (0.0, "it is missing", True),
        "link": (0.0, "it is a link, not a file", True),
        "pipe": (0.0, "it is missing", True),
        "directory": (0.0, "it is a directory, not a file", True),
        "large": (0.0, "it is larger than 8 MiB", False),
        # It agrees with the exit status; that the tests of the case are not in it is what shows.
        "forged": (0.0, "required and missed: grading.test_work::test_first, test_second", False),
    }
    report = {"format": "junit", "path": "out/r.xml", **LISTED}
    checks = [
        {
            "name": behave,
            "command": command,
            "report": report,
            "env": {"BEHAVE": behave, "PYTHONPATH": "/workspace"},
            # What ends the runner is seen by its adapter, too; here the report is to show it.
            "adapter": "auto" if behave.isdigit() else "none",
        }
        for behave in expected
    ]
    files = {"grading/test_work.py": HIDDEN, "workspace/work.py": ""}
    found = graded(engine, tmp_path, files, checks, **{"work.py": WORK, "out__r.xml": FORGED})
    for result in found.verdict.checks:
        score, reason, accused = expected[result.name]
        assert (result.score, reason in result.reason) == (score, True), result
        assert (TamperingKind.REPORT_DISAGREES in {seen.kind for seen in result.tampering}) == accused, result
    assert found.removed == ("out/r.xml",)
    assert "root:" not in document(found).model_dump_json()


def test_without_the_agreement_it_would_be_enough_to_end_the_runner(engine: DockerEngine, tmp_path: Path) -> None:
    command = ["python3", "-m", "pytest", "-q", "--junitxml=out/r.xml", "grading"]
    environment = {"BEHAVE": "exits", "PYTHONPATH": "/workspace"}
    report = {"format": "junit", "path": "out/r.xml"}
    checks = [{"command": command, "report": report, "env": environment, "adapter": "none"}]
    with switched_off(Defence.REPORT_AGREEMENT):
        found = graded(engine, tmp_path, {"grading/test_work.py": HIDDEN}, checks, **{"work.py": WORK})
    assert found.verdict.score == 1.0


def test_the_reports_of_node_give_a_score_in_parts(engine: DockerEngine, tmp_path: Path) -> None:
    checks = [
        {
            "name": format_,
            "command": ["node", "--test", f"--test-reporter={format_}", "--test-reporter-destination=r", "t.test.mjs"],
            "report": {"format": format_, "path": "r", "must_exist": ["first"]},
        }
        for format_ in ("junit", "tap")
    ]
    files = {"workspace/t.test.mjs": f'import {{ test }} from "node:test";{JAVASCRIPT}'}
    found = graded(engine, tmp_path, files, checks, **{"notes.txt": ""})
    assert [result.score for result in found.verdict.checks] == [0.5, 0.5], found.verdict.checks
    assert found.verdict.tampering == ()
    # What passed before something ended the process did pass.
    command = ["node", "--test", "--test-reporter=tap", "--test-reporter-destination=r", "t.test.mjs", "u.test.mjs"]
    files["workspace/u.test.mjs"] = (
        'import { test } from "node:test";\nimport { end } from "./end.mjs";\n'
        'test("before", () => {});\ntest("ended", () => new Promise(() => setTimeout(end, 100)));\n'
    )
    checks = [{"command": command, "report": {"format": "tap", "path": "r", "must_exist": ["before"]}}]
    found = graded(engine, tmp_path, files, checks, **{"end.mjs": "export const end = () => process.exit(1);\n"})
    assert found.verdict.score == 0.5, found.verdict.checks
    assert found.verdict.tampering == ()


def test_the_report_of_bun_gives_a_score_in_parts(engine: DockerEngine, tmp_path: Path) -> None:
    command = ["bun", "test", "./t.test.ts", "--reporter=junit", "--reporter-outfile=r.xml"]
    report = {"format": "junit", "path": "r.xml", "must_exist": ["first", "third"]}
    files = {"workspace/t.test.ts": f'import {{ test }} from "bun:test";{JAVASCRIPT}'}
    found = graded(engine, tmp_path, files, [{"command": command, "report": report}], **{"notes.txt": ""})
    assert found.verdict.score == 1 / 3, found.verdict.checks
    assert found.verdict.tampering == ()


NODE = 'import { test } from "node:test";\n'
BUN = 'import { test } from "bun:test";\n'
UNITTEST = "import unittest\n{}\nclass T(unittest.TestCase):\n    def test_a(self): pass\n"
# The files of tests, of which the second needs a module that the submission should have brought; and how they are run.
UNLOADED: dict[str, tuple[dict[str, str], list[str], str, str]] = {
    "pytest": (
        {"test_a.py": "def test_a(): pass\ndef test_b(): pass\n", "test_c.py": "import work\ndef test_c(): pass\n"},
        ["python3", "-m", "pytest", "-q", "--junitxml=r.xml", "--continue-on-collection-errors", "grading"],
        "junit",
        "grading/test_c.py could not be loaded: ModuleNotFoundError: No module named 'work'",
    ),
    "node junit": (
        {"a.test.mjs": f'{NODE}test("a", () => {{}});', "c.test.mjs": f'{NODE}import "../work.mjs";'},
        ["node", "--test", "--test-reporter=junit", "--test-reporter-destination=r.xml", "grading/"],
        "junit",
        "grading/c.test.mjs could not be loaded: Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/workspace/work",
    ),
    "node tap": (
        {"a.test.mjs": f'{NODE}test("a", () => {{}});', "c.test.mjs": f'{NODE}import "../work.mjs";'},
        ["node", "--test", "--test-reporter=tap", "--test-reporter-destination=r.xml", "grading/"],
        "tap",
        "grading/c.test.mjs could not be loaded: Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/workspace/work",
    ),
    "bun": (
        {
            "a.test.ts": f'{BUN}test("a", () => {{}});test("b", () => {{ throw 1; }});',
            "c.test.ts": f'{BUN}import "../work";\ntest("c", () => {{}});',
        },
        ["bun", "test", "./grading/", "--reporter=junit", "--reporter-outfile=r.xml"],
        "junit",
        "grading/c.test.ts could not be loaded",
    ),
}


@pytest.mark.parametrize(
    "runner", [name if name != "node tap" else pytest.param(name, marks=pytest.mark.thorough) for name in UNLOADED]
)
def test_a_file_that_does_not_load_is_not_one_failed_test(engine: DockerEngine, tmp_path: Path, runner: str) -> None:
    tests, command, form, reason = UNLOADED[runner]
    report = {"format": form, "path": "r.xml"}
    checks = [
        {"name": "report", "command": command, "report": report},
        {"name": "by itself", "command": command, "report": report, "adapter": "none"},
        {"name": "negated", "command": command, "report": report, "negate": True},
        {"name": "listed", "command": command, "report": {**report, "must_exist": ["a"]}},
        {"name": "no report", "command": command},
        {"name": "no report, negated", "command": command, "negate": True},
    ]
    files = {f"grading/{name}": text for name, text in tests.items()}
    found = graded(engine, tmp_path, {**files, "workspace/notes.md": "Write work."}, checks, **{"notes.txt": ""})
    results = {result.name: result for result in found.verdict.checks}
    assert found.verdict.tampering == ()
    if runner == "bun":
        # Bun's own report says nothing of such a file.
        del results["by itself"]
    for name, result in results.items():
        assert (result.score == 0.0) == (name != "listed"), result
        assert name in ("by itself", "listed") or reason in result.reason, result
    assert 0.3 < (results["listed"].score or 0) < 0.7
    assert list(results["listed"].details["not_loaded"]) == [reason.partition(" could not")[0]]


def test_a_module_that_unittest_cannot_load_is_named(engine: DockerEngine, tmp_path: Path) -> None:
    files = {"grading/test_a.py": UNITTEST.format(""), "grading/test_c.py": UNITTEST.format("import work")}
    command = ["python3", "-m", "unittest", "discover", "-s", "grading"]
    checks = [{"name": "plain", "command": command}, {"name": "negated", "command": command, "negate": True}]
    files["workspace/notes.md"] = "Write work."
    found = graded(engine, tmp_path, files, checks, **{"notes.txt": ""})
    for result in found.verdict.checks:
        assert result.score == 0.0
        assert "test_c could not be loaded: ModuleNotFoundError: No module named 'work'" in result.reason


def test_lists_of_a_benchmark_are_judged_in_one_run(engine: DockerEngine, tmp_path: Path) -> None:
    tests = (
        "import pytest, work\n\n\n@pytest.mark.parametrize('text', ['a b', 'x/y::z'])\ndef test_new(text):\n"
        "    assert work.value() > 1\n\n\nclass TestOld:\n    def test_kept(self):\n        assert work.value()\n\n"
        "    def test_skipped(self):\n        pytest.skip()\n\n\n@pytest.fixture\ndef broken():\n    yield\n"
        "    raise OSError\n\n\ndef test_twice(broken):\n    assert work.value() > 1\n"
    )
    new = "grading/test_work.py::test_new[a b]\ngrading/test_work.py::test_new[x/y::z]\n"
    groups = [
        {"name": "fail_to_pass", "required": True, "tests": {"file": "grading/fail_to_pass.txt"}},
        {"name": "pass_to_pass", "weight": 3, "tests": ["grading/test_work.py::TestOld::test_kept"]},
        {
            "name": "others",
            "weight": 0,
            "tests": [f"grading/test_work.py::{name}" for name in ("TestOld::test_skipped", "test_gone", "test_twice")],
        },
    ]
    command = ["python3", "-m", "pytest", "-q", "--junitxml=r.xml", "grading"]
    report = {"format": "junit", "path": "r.xml", "groups": groups}
    checks = [
        {"name": value, "command": command, "report": report, "env": {"BEHAVE": value, "PYTHONPATH": "/workspace"}}
        for value in ("1", "2")
    ]
    files = {"grading/test_work.py": tests, "grading/fail_to_pass.txt": new}
    found = graded(engine, tmp_path, files, checks, **{"work.py": WORK})
    bad, good = found.verdict.checks
    assert (bad.score, good.score) == (0.75, 1.0), found.verdict.checks
    assert "required and missed: grading/test_work.py::test_new[a b]" in bad.reason
    assert (bad.missed, good.missed, found.verdict.tampering) == (True, False, ())
    states = {row["name"].rpartition("::")[2]: row["state"] for row in good.details["tests"] if "group" in row}
    assert (states["test_skipped"], states["test_gone"], states["test_twice"]) == ("skipped", "absent", "failed")
    assert good.details["counts"] == {"passed": 3, "failed": 1, "skipped": 1, "not_loaded": 0, "missing": 0}
    assert bad.details["counts"]["failed"] == 3
