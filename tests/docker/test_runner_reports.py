"""Test reports of real runners on a real engine: the score in parts, and what a submission does to the report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from weakened_defences import Defence, switched_off

from graders.grading.grader import Grader
from graders.model.result import Result
from graders.model.tampering import TamperingKind
from graders.model.verdict_document import document
from sandbox.engines.docker.docker_engine import DockerEngine

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
        "link": (0.0, "it is a link and no file", True),
        "pipe": (0.0, "it is missing", True),
        "directory": (0.0, "it is a directory and no file", True),
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
