"""Ways in which a file of tests cannot be loaded: each is named, for every runner, and none is one failed test."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from gradebox.graders.grading.grader import Grader
from gradebox.graders.runners import runner_report
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

LEAST = 10
# A report names no more files than these.
NAMED = 5
PYTHON = {
    "syntax": "def value(:",
    "indentation": "if True:\nvalue = 1",
    "null": "value = 'a'\0",
    "encoding": "# coding: nonsense",
    "raised": "raise ValueError('not yet')",
    "base": "class Not(BaseException): pass\nraise Not",
    "absent": "other = 1",
    "module": "import not_there",
    "name": "value = not_there",
    "circle": "from circle import value",
    "assertion": "assert False",
    "endless": "def again(): return again()\nvalue = again()",
    "group": "raise ExceptionGroup('several', [ValueError()])",
}
JAVASCRIPT = {
    "syntax": "export const value = ;",
    "bracket": "export function value() {",
    "pattern": "export const value = /(/;",
    "raised": "throw new Error('not yet');",
    "text": "throw 'not yet';",
    "absent": "export const other = 1;",
    "module": "export { value } from './not-there.mjs';",
    "package": "export { value } from 'not-there';",
    "name": "export const value = notThere;",
    "rejected": "export const value = await Promise.reject(new Error('not yet'));",
    "constant": "const value = 1; value = 2; export { value };",
    "endless": "const again = () => 1 + again(); export const value = again();",
}
NODE = 'import {{ test }} from "node:test"; import {{ value }} from "../../{}.mjs"; test("{}", () => {{ value; }});'
# The ways, the names of the file of tests and of the work, what a file of tests has, and how they are run.
RUNNERS = {
    "pytest": (PYTHON, "test_{}.py", "{}.py", "from {0} import value\ndef test_{0}(): value\n", "pytest -q grading/{}"),
    "unittest": (
        PYTHON,
        "test_{}.py",
        "{}.py",
        "import unittest\nfrom {0} import value\nclass T(unittest.TestCase):\n    def test_{0}(self): value\n",
        "python3 -m unittest discover -s grading/{}",
    ),
    "node": (JAVASCRIPT, "{}.test.mjs", "{}.mjs", NODE.replace("{}", "{0}"), "node --test grading/{}/"),
    "bun": (
        JAVASCRIPT,
        "{}.test.ts",
        "{}.mjs",
        NODE.replace("{}", "{0}").replace("node:test", "bun:test"),
        "bun test ./grading/{}/",
    ),
}


@pytest.mark.parametrize("runner", RUNNERS)
def test_whatever_keeps_a_file_from_loading_it_is_named(engine: DockerEngine, tmp_path: Path, runner: str) -> None:
    ways, test_name, work_name, test, command = RUNNERS[runner]
    case, work = tmp_path / "case", tmp_path / "work"
    work.mkdir()
    parts = dict(enumerate(batched(ways, NAMED)))
    for part, names in parts.items():
        (case / f"grading/{part}").mkdir(parents=True)
        for name in names:
            (case / f"grading/{part}" / test_name.format(name)).write_text(test.format(name), "utf-8")
            (work / work_name.format(name)).write_text(f"{ways[name]}\n", "utf-8")
    checks = [{"name": str(part), "type": "code-grader", "command": command.format(part)} for part in parts]
    written = {"input": "Write all of it.", "env": {"PYTHONPATH": "/workspace"}, "assertions": checks}
    (case / "case.yaml").write_text(json.dumps(written), "utf-8")
    with Grader(engine=engine) as grader:
        graded = grader.grade(case, work)
    assert (graded.verdict.status, graded.verdict.tampering) == ("failed", ()), graded.verdict.reasons
    assert graded.outcomes is not None
    assert len(ways) >= LEAST
    for result in graded.verdict.checks:
        assert result.score == 0.0
        assert "could not be loaded" in result.reason
        (ran,) = graded.outcomes.done[result.name]
        named = "\n".join(runner_report.read(ran.step.token, ran.outcome.report.content()).not_loaded)
        expected = [test_name.format(name).partition(".")[0] for name in parts[int(result.name)]]
        assert [name for name in expected if name not in named] == [], (named, result.reason)


# The work prints what a runner would, and what it is for: its first file fails a test, its second cannot be loaded.
PRINTED = "grading/a.test.ts:\n\n# Unhandled error between tests\nError: all is right\nerror: all is right\n"
FORGED = """
import fs from "node:fs";
fs.writeSync(2, {printed});
export const value = () => {{ fs.writeSync(2, {printed}); return 1; }};
"""
TEST = """import {{ test }} from "{0}";
import {{ {1} }} from "../work.mjs";
test("{1}", () => {{ if ({1}() === 1) throw 1; }});
"""


@pytest.mark.parametrize("isolation", ["in-process", "apart"])
@pytest.mark.parametrize("runner", ["node", "bun"])
def test_what_the_work_prints_is_no_reason_of_ours(
    engine: DockerEngine, tmp_path: Path, runner: str, isolation: str
) -> None:
    case, work = tmp_path / "case", tmp_path / "work"
    (case / "grading").mkdir(parents=True)
    for file, name in (("a", "value"), ("b", "absent")):
        test = TEST.format("node:test" if runner == "node" else "bun:test", name)
        (case / f"grading/{file}.test.ts").write_text(test, "utf-8")
        (case / f"grading/{file}.test.mjs").write_text(test, "utf-8")
    work.mkdir()
    (work / "work.mjs").write_text(FORGED.format(printed=json.dumps(PRINTED)), "utf-8")
    ends = {"node": ("node --test grading/{}.test.mjs", ".mjs"), "bun": ("bun test ./grading/{}.test.ts", ".ts")}
    command, suffix = ends[runner]
    checks = [{"name": name, "type": "code-grader", "command": command.format(name)} for name in ("a", "b")]
    written = {"input": "Write work.mjs.", "isolation": isolation, "assertions": checks}
    (case / "case.yaml").write_text(json.dumps(written), "utf-8")
    with Grader(engine=engine) as grader:
        failed, unloaded = grader.grade(case, work).verdict.checks
    assert (failed.score, failed.reason) == (0.0, "exit status 1")
    assert f"grading/b.test{suffix} could not be loaded" in unloaded.reason
    assert "all is right" not in unloaded.reason


def test_what_keeps_a_module_from_loading_is_named_where_it_is_judged_apart(
    engine: DockerEngine, tmp_path: Path
) -> None:
    case, work = tmp_path / "case", tmp_path / "work"
    (case / "grading").mkdir(parents=True)
    work.mkdir()
    (work / "work.mjs").write_text("export const second = notThere;", "utf-8")
    test = 'import first, {\n  second as other,\n} from "../work.mjs";\nimport "node:test";\n'
    (case / "grading/a.test.mjs").write_text(test, "utf-8")
    check = {"type": "code-grader", "command": "node --test grading/a.test.mjs"}
    written = {"input": "Write work.mjs.", "isolation": "apart", "assertions": [check]}
    (case / "case.yaml").write_text(json.dumps(written), "utf-8")
    with Grader(engine=engine) as grader:
        (checked,) = grader.grade(case, work).verdict.checks
    assert "ReferenceError: notThere is not defined" in checked.reason


def batched(names: Iterable[str], size: int) -> Iterator[list[str]]:
    """Yield lists of some names each, in order."""
    left = list(names)
    while left:
        yield left[:size]
        left = left[size:]
