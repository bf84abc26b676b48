"""The start of a command of Python: the tests find what they would find without an adapter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from host_runner import PYTHON, run, write

from gradebox.graders.languages.bundle import bundle
from gradebox.graders.runners.python_command import INSIDE

SHOWN = """
import json, os, sys
print(json.dumps([sys.argv, sys.path[0], os.environ.get("PYTHONPATH"), __name__]))
"""
SOURCE = f"""{bundle(INSIDE / "adapter_start.py")}
import runpy, types
enter, status_of, early, preload = start(types.SimpleNamespace())
enter()
import sys
runpy._run_code(open("shown.py").read(), sys.modules["__main__"].__dict__)
"""


def shown(directory: Path, *arguments: str, **env: str) -> list[object]:
    write(directory, shown=SHOWN)
    ran = run([PYTHON, "-c", SOURCE, *arguments], directory, env={"PYTHONPATH": "", **env})
    assert ran.status == 0, ran.printed
    found: list[object] = json.loads(ran.printed)
    return found


def test_a_module_finds_its_arguments_and_the_working_directory_first(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    write(tmp_path / "mine", __main__="")
    argv, first, *_ = shown(tmp_path, "-m", "mine", "-q", "a")
    assert (argv, first) == ([str(tmp_path / "mine" / "__main__.py"), "-q", "a"], str(tmp_path))


def test_a_script_finds_itself_and_its_directory_first(tmp_path: Path) -> None:
    argv, first, *_ = shown(tmp_path, str(tmp_path / "bin" / "runs"), "a")
    assert (argv, first) == ([str(tmp_path / "bin" / "runs"), "a"], str(tmp_path / "bin"))


def test_the_path_of_modules_gets_its_name_back(tmp_path: Path) -> None:
    assert shown(tmp_path, "/x", GRADEBOX_PYTHONPATH="src")[2] == "src"


@pytest.mark.parametrize(("code", "status", "early"), [("None", 0, 1), ("3", 3, 3), ("'why'", 1, 1)])
def test_an_exit_before_the_end_is_no_success(code: str, status: int, early: int, tmp_path: Path) -> None:
    ending = f"SystemExit({code})"
    source = SOURCE.partition("enter()\n")[0] + f"print(status_of({ending}), early({ending}))\n"
    assert f"{status} {early}\n" in run([PYTHON, "-c", source, "/x"], tmp_path).printed
