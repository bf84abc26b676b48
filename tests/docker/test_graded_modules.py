"""The modules of the submission are graded, also where Python or pytest has loaded others of their names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.grading.grader import Grader
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

# Homework that people hand in, and parts of pytest; each has a function that its original has as well.
HOMEWORK = {
    "calendar": "isleap", "copy": "deepcopy", "inspect": "isclass", "typing": "cast", "types": "new_class",
    "random": "randint", "string": "capwords", "textwrap": "dedent", "json": "dumps", "enum": "unique", "re": "escape",
}  # fmt: skip
PARTS = {"pluggy": "HookspecMarker", "iniconfig": "IniConfig", "packaging": "version", "_pytest": "config"}
TASK = "Write a function in each file."


def graded(engine: DockerEngine, root: Path, case: dict[str, Any], **trees: dict[str, str]) -> list[Result]:
    """Grade the submissions of a case: those trees that are not part of it, in order."""
    for tree, files in trees.items():
        for name, text in files.items():
            place = root / (f"case/{tree}" if tree in ("workspace", "grading", "reference") else tree) / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
    # Apart, other rules say which modules are found.
    (root / "case" / "case.yaml").write_text(json.dumps({"isolation": "in-process", **case}))
    names = [tree for tree in trees if tree not in ("workspace", "grading", "reference")]
    return [Grader(engine=engine).grade(root / "case", root / name) for name in names]


def homework(names: dict[str, str], value: str, place: str = "") -> dict[str, str]:
    return {
        f"{place}{name}.py": f"def {function}(*given, **named):\n    return {value}\n"
        for name, function in names.items()
    }


def files_of_tests(names: dict[str, str]) -> tuple[str, str]:
    """Return tests for pytest, and for unittest, which need what they are about for nothing else."""
    imports = f"import {', '.join(names)}\n"
    plain = "".join(
        f"def test_{name}():\n    assert {name}.{function}(1) == 'mine'\n" for name, function in names.items()
    )
    methods = "".join(
        f"    def test_{name}(self):\n        self.assertEqual({name}.{function}(1), 'mine')\n"
        for name, function in names.items()
    )
    return imports + plain, f"import unittest\n{imports}class T(unittest.TestCase):\n{methods}"


@pytest.mark.parametrize("known_by", ["workspace", "reference", "task"])
def test_homework_is_graded_whatever_it_is_called(engine: DockerEngine, tmp_path: Path, known_by: str) -> None:
    pytest_file, unittest_file = files_of_tests(HOMEWORK)
    case = {
        "input": f"Write {', '.join(f'{name}.py' for name in HOMEWORK)}." if known_by == "task" else TASK,
        "language": "python",
        "assertions": [
            {
                "name": "module",
                "type": "code-grader",
                "command": ["python3", "-m", "pytest", "-q", "grading/test_it.py"],
            },
            {
                "name": "program",
                "type": "code-grader",
                "command": ["pytest", "-q", "grading/test_it.py"],
                "env": {"PYTHONPATH": "/workspace"},
            },
            {"name": "unittest", "type": "code-grader", "command": ["python3", "-m", "unittest", "tests_of_it"]},
            {"name": "items", "type": "unit-tests"},
        ],
        "unit_tests": [f"import {name}; assert {name}.{function}(1) == 'mine'" for name, function in HOMEWORK.items()],
    }
    known = {} if known_by == "task" else {known_by: homework(HOMEWORK, "None")}
    trees: dict[str, dict[str, str]] = {
        "grading": {"test_it.py": pytest_file},
        "workspace": {"tests_of_it.py": unittest_file, "README": "", **known.get("workspace", {})},
        "good": homework(HOMEWORK, "'mine'"),
        "bad": homework(HOMEWORK, "'wrong'"),
    }
    if known_by == "reference":
        trees["reference"] = known["reference"]
    good, bad = graded(engine, tmp_path, case, **trees)
    assert [(check.name, check.score) for check in good.verdict.checks if check.score != 1] == [], good.verdict
    assert [(check.name, check.score) for check in bad.verdict.checks if check.score != 0] == [], bad.verdict
    assert good.verdict.tampering == bad.verdict.tampering == ()


def test_a_part_of_pytest_is_graded_as_it_was_handed_in(engine: DockerEngine, tmp_path: Path) -> None:
    names = {name: function for name, function in PARTS.items() if name != "_pytest"}
    tests, _ = files_of_tests(names)
    work = {f"src/{name}/__init__.py": f"def {function}(*given):\n    return " for name, function in names.items()}
    case = {
        "input": TASK,
        "assertions": [
            {"name": name, "type": "code-grader", "command": command, "env": {"PYTHONPATH": "src"}}
            for name, command in (
                ("program", ["pytest", "-q", "grading/test_it.py"]),
                ("module", ["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "grading/test_it.py"]),
            )
        ],
    }
    good, bad = graded(
        engine,
        tmp_path,
        case,
        grading={"test_it.py": tests},
        workspace={path: f"{text}None\n" for path, text in work.items()},
        good={path: f"{text}'mine'\n" for path, text in work.items()},
        bad={path: f"{text}'wrong'\n" for path, text in work.items()},
    )
    assert (good.verdict.score, bad.verdict.score) == (1.0, 0.0), (good.verdict, bad.verdict)
    assert good.verdict.tampering == bad.verdict.tampering == ()


def test_what_only_a_submission_has_takes_no_module_of_python_away(engine: DockerEngine, tmp_path: Path) -> None:
    tests = "import calendar, json, work\ndef test_it():\n    assert json.loads('1') == work.value() == 1\n"
    case = {
        "input": TASK,
        "assertions": [{"type": "code-grader", "command": ["python3", "-m", "pytest", "-q", "grading/test_it.py"]}],
    }
    bent = {"work.py": "def value(): return 2\n", "json.py": "def loads(text): return 2\n"}
    honest = {"work.py": "def value(): return 1\n", "json.py": "def loads(text): return 2\n"}
    workspace = {"calendar.py": "", "work.py": "def value(): return 0\n"}
    found = graded(engine, tmp_path, case, grading={"test_it.py": tests}, workspace=workspace, bent=bent, honest=honest)
    assert [result.verdict.score for result in found] == [0.0, 1.0]


def test_what_is_built_into_python_is_an_error_with_its_remedy(engine: DockerEngine, tmp_path: Path) -> None:
    tests = "import time\ndef test_it():\n    assert time.sleep(0) is None\n"
    case = {
        "input": "Write time.py.",
        "language": "python",
        "assertions": [
            {"type": "code-grader", "command": ["python3", "-m", "pytest", "-q", "grading/test_it.py"]},
            {"type": "unit-tests", "items": ["import time; assert time.sleep(0) is None"]},
            {
                "type": "code-grader",
                "name": "other",
                "command": ["python3", "-m", "pytest", "-q", "grading/test_other.py"],
            },
        ],
    }
    other = "import subprocess\ndef test_it():\n    assert subprocess.run(['python3', 'time.py']).returncode == 0\n"
    (found,) = graded(
        engine,
        tmp_path,
        case,
        grading={"test_it.py": tests, "test_other.py": other},
        reference={"time.py": "def sleep(seconds): pass\n"},
        work={"time.py": "def sleep(seconds): return 5\n"},
    )
    *broken, sound = found.verdict.checks
    for check in broken:
        assert check.status is Status.ERROR
        assert "`time` is built into Python, so time.py was not imported; rename the file" in check.reason
    assert sound.score == 1.0
