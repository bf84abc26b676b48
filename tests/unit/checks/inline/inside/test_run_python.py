"""Code of an author makes a score of an answer; what is wrong with the code is no fault of the answer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.checks.inline.inside import run_python

OUTPUT = "an answer"


@pytest.mark.parametrize(
    ("result", "object_"),
    [
        (True, {"pass": True, "score": 1.0}),
        (" False\n", {"pass": False, "score": 0.0}),
        (0.25, {"score": 0.25}),
        ({"pass_": True}, {"pass": True, "score": 1.0}),
        ({"score": 0.5, "reason": "so"}, {"score": 0.5, "reason": "so"}),
    ],
    ids=str,
)
def test_a_result_is_an_object_with_a_score(result: Any, object_: dict[str, Any]) -> None:
    assert run_python.graded(result) == object_


@pytest.mark.parametrize(
    ("result", "why"), [(None, "neither a truth value"), ("yes", "neither a truth"), ({"a": 1}, "neither `pass`")]
)
def test_any_other_result_is_a_mistake(result: Any, why: str) -> None:
    with pytest.raises(SystemExit, match=why):
        run_python.graded(result)


def _ran(directory: Path, config: dict[str, Any], *words: str) -> subprocess.CompletedProcess[str]:
    data = {"id": "a", "input": [{"role": "user", "content": "task"}], "output": OUTPUT, "config": config}
    return subprocess.run(
        [sys.executable, run_python.__file__, *words], input=json.dumps(data), cwd=directory, capture_output=True,
        text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ({"code": "len(output) == 9"}, {"pass": True, "score": 1.0}),
        ({"code": "return 7"}, {"score": 1.0}),
        ({"code": "-1"}, {"score": 0.0}),
        ({"code": "x = context['vars']['n']\nreturn x / 4", "vars": {"n": 1}}, {"score": 0.25}),
        ({"code": "output == 'AN ANSWER'", "transform": "output.upper()"}, {"pass": True, "score": 1.0}),
        ({"code": "context['prompt'] == 'task'"}, {"pass": True, "score": 1.0}),
        ({"code": "int(output)"}, {"score": 0.0, "raised": True}),
        ({"code": "print('seen') or 1"}, {"score": 1.0}),
    ],
    ids=lambda value: value.get("code", ""),
)
def test_code_is_run_on_the_answer(tmp_path: Path, config: dict[str, Any], found: dict[str, Any]) -> None:
    ran = _ran(tmp_path, config)
    assert ran.returncode == 0, ran.stderr
    printed = json.loads(ran.stdout)
    assert printed | found == printed


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("undefined_name", "the code of the check is wrong: NameError"),
        ("return (", "the code of the check cannot be loaded: SyntaxError"),
        ("import nowhere\nreturn 1", "the code of the check is wrong: ModuleNotFoundError"),
        ("None", "which is neither a truth value nor a number nor an object"),
    ],
)
def test_a_mistake_of_the_author_is_no_verdict(tmp_path: Path, code: str, why: str) -> None:
    ran = _ran(tmp_path, {"code": code})
    assert ran.returncode == 1
    assert (why in ran.stderr, ran.stdout) == (True, "")


def test_a_file_has_the_authors_modules_beside_it_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "check.py").write_text("import helper\ndef main(output, context):\n    return helper.X\n")
    (tmp_path / "helper.py").write_text("X = 0.5\n")
    word = str(tmp_path / "check.py")
    ran = _ran(tmp_path, {"code": "file://check.py", "beside": ["helper"]}, word)
    assert json.loads(ran.stdout) == {"score": 0.5}
    assert "No module named 'helper'" in _ran(tmp_path.parent, {"code": "file://check.py"}, word).stderr
    missing = _ran(tmp_path, {"code": "file://check.py:other", "beside": ["helper"]}, word)
    assert "defines no function other" in missing.stderr
