"""Two modules of one name: tests get that of the workspace, the runner keeps that of the image."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from host_runner import PYTHON, run, write

from gradebox.graders.languages.bundle import bundle
from gradebox.graders.languages.language import inside

MINE = "def isleap(year): return 'mine'\ndef deepcopy(value): return 'mine'\ndef sleep(seconds): return 'mine'\n"
START = (
    "import sys, calendar, copy, json, time\nsys.path[:] = [place for place in sys.path if place]\n"
    "taken = own_modules(sys.argv[1].split())\nsys.path.insert(0, 'work')\nsys.path.append('last')\n"
    "import program\nprint(json.dumps([program.found, taken]))\n"
)


def ran(directory: Path, words: str, program: str, **modules: str) -> tuple[object, list[str]]:
    """Return what a program of the workspace found, and what was noted."""
    (directory / "work").mkdir()
    (directory / "last").mkdir()
    write(directory / "work", program=program, **modules)
    source = bundle(inside("python") / "own_modules.py")
    done = run([PYTHON, "-c", f"{source}\n{START}", words], directory)
    assert done.status == 0, done.printed
    found, noted = json.loads(done.printed.splitlines()[-1])
    return found, [name.replace(f"{directory}/", "") for name in noted]


@pytest.mark.parametrize(
    "program",
    [
        "import calendar\nfound = calendar.isleap(2)",
        "from calendar import isleap\nfound = isleap(2)",
        "import calendar as other\nfound = other.isleap(2)",
        "import importlib\nfound = importlib.import_module('calendar').isleap(2)",
        "found = __import__('calendar', globals=globals()).isleap(2)",
        "def late():\n    import calendar\n    return calendar.isleap(2)\nfound = late()",
        "import calendar, importlib\nfound = importlib.reload(calendar).isleap(2)",
        "import unittest.mock as m\nm.patch('calendar.isleap', 'mine').start()\nimport calendar as c\nfound = c.isleap",
        "import sys, calendar\nfound = sys.modules['calendar'].isleap(2)",
    ],
)
def test_a_module_of_the_workspace_is_found_though_the_image_s_is_loaded(program: str, tmp_path: Path) -> None:
    assert ran(tmp_path, "!calendar", program, calendar=MINE) == ("mine", [])


@pytest.mark.parametrize(
    ("words", "modules"),
    [
        # A name that the case does not have, one that lies nowhere, and one that is not there at all.
        ("", {"calendar": MINE}),
        ("copy", {"calendar": MINE}),
        ("!calendar", {}),
    ],
)
def test_without_a_module_of_the_case_the_image_s_is_found(words: str, modules: dict[str, str], tmp_path: Path) -> None:
    assert ran(tmp_path, words, "import calendar\nfound = calendar.isleap(2000)", **modules) == (True, [])


def test_a_module_behind_those_of_the_image_is_not_found(tmp_path: Path) -> None:
    program = "import sys\nsys.path.remove('work')\nimport calendar\nfound = calendar.isleap(2000)"
    (tmp_path / "last").mkdir()
    write(tmp_path / "last", calendar=MINE)
    (tmp_path / "last").rename(tmp_path / "kept")
    source = bundle(inside("python") / "own_modules.py")
    (tmp_path / "work").mkdir()
    write(tmp_path / "work", program=program)
    done = run([PYTHON, "-c", f"{source}\n{START.replace('last', 'kept')}", "!calendar"], tmp_path)
    assert done.printed.strip() == "[true, []]"


def test_what_lies_in_the_image_keeps_its_own(tmp_path: Path) -> None:
    program = (
        "import calendar, copy, argparse, datetime\n"
        "parser = argparse.ArgumentParser()\nparser.add_argument('-a', action='append', default=['x'])\n"
        "found = [calendar.isleap(1), copy.deepcopy(1), datetime.datetime.strptime('2020', '%Y').year,\n"
        "         parser.parse_args(['-a', 'y']).a]\n"
    )
    found, _ = ran(tmp_path, "calendar copy", program, calendar=MINE, copy=MINE)
    assert found == ["mine", "mine", 2020, ["x", "y"]]


@pytest.mark.parametrize(
    ("words", "module", "noted"),
    [
        ("!time", MINE, ["time work/time.py"]),
        # Nobody asked for it to be judged, it defines nothing of the kind, or it is not Python.
        ("time", MINE, []),
        ("!time", "def main(): pass\n", []),
        ("!time", "def sleep(:\n", []),
    ],
)
def test_what_is_built_in_is_noted_where_the_case_defines_the_same(
    words: str, module: str, noted: list[str], tmp_path: Path
) -> None:
    program = "import time\nfrom time import sleep\nfound = time.__spec__.origin"
    assert ran(tmp_path, words, program, time=module) == ("built-in", noted)


def test_a_package_and_its_modules_are_found(tmp_path: Path) -> None:
    package = tmp_path / "work" / "json"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from json.inner import value\n")
    (package / "inner.py").write_text("value = 'mine'\n")
    (tmp_path / "last").mkdir()
    write(tmp_path / "work", program="import json\nfrom json import inner\nfound = [json.value, inner.value]")
    source = bundle(inside("python") / "own_modules.py")
    done = run([PYTHON, "-c", f"{source}\n{START}", "!json"], tmp_path)
    assert done.printed.strip() == '[["mine", "mine"], []]'


@pytest.mark.parametrize("words", ["", "!zoo work", "test"])
def test_nothing_is_changed_where_no_name_is_the_image_s(words: str, tmp_path: Path) -> None:
    program = "import builtins, importlib\nfound = [builtins.__import__.__module__, importlib.import_module.__module__]"
    assert ran(tmp_path, words, program, zoo="")[0] == ["builtins", "importlib"]
