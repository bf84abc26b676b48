"""Where Python finds modules and plugins, and what a submission may not say about that or about how pytest judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tampering_bench import ADDED, WORK, searched, seen, step, tree

from gradebox.graders.integrity.tampering_search import Interference
from gradebox.graders.runners.adapter import AUTO, adapt
from gradebox.graders.runners.pytest import python_modules
from gradebox.graders.runners.pytest.python_modules import case_modules

HIDDEN = {"grading/": "", "grading/test_it.py": "import subprocess\n"}
OPENS = "[tool.pytest.ini_options]\npythonpath = ['.']\n"
APART = step("pytest", "-q", "grading")
LIST = "[pytest11]\nevil = evil\n"


def of(found: Interference) -> list[str]:
    """Return what was undone, without what is taken away wherever it comes from."""
    always = [path for path in found.removed if path.endswith(".py")]
    return [path for path in found.removed if path not in always] + [entry.path for entry in found.restored]


def settings(lines: str) -> dict[str, str]:
    return {"pyproject.toml": f"[tool.pytest.ini_options]\n{lines}\n"}


@pytest.mark.parametrize(
    "added",
    [
        {"evil-1.DIST-INFO/entry_points.txt": LIST},
        {"evil.Egg-Info/entry_points.txt": LIST},
        {"evil.dist-info/entry_points.txt": LIST.replace("[", "[]")},
        {"evil.dist-info/entry_points.txt": LIST + "#" * 200_000},
        {"evil.dist-info/entry_points.txt": "-> ../points"},
        {"evil.dist-info": "-> points"},
    ],
)
def test_a_plugin_is_undone_however_it_makes_itself_known_and_is_no_tampering(added: Mapping[str, str]) -> None:
    found = searched(added)
    assert (of(found), seen(found)) == ([*added], [])


def test_a_list_of_programs_stays() -> None:
    assert of(searched({"mine.egg-info/entry_points.txt": "[console_scripts]\nmine = mine:main\n"})) == []


def test_modules_are_looked_for_where_links_lead_and_where_an_adapter_is_told() -> None:
    led = {"lib": "-> real", "real/evil.dist-info/entry_points.txt": LIST}
    adapted = adapt(replace(step("pytest", "grading"), env={"PYTHONPATH": "/workspace/lib"}), AUTO)
    assert of(searched(led, adapted)) == ["real/evil.dist-info/entry_points.txt"]
    ends = "import os\nos._exit(0)\n"
    assert seen(searched({"lib/pytest.py": ends}, adapted)) == [(ADDED, "lib/pytest.py")]
    assert seen(searched({"other/pytest.py": ends}, adapted)) == []


def test_a_case_about_a_runner_leaves_its_modules_to_the_candidate() -> None:
    about = {**WORK, "src/_pytest/__init__.py": "", "src/pytest/__init__.py": "import _pytest\n"}
    fixed = step("sh", "-c", "PYTHONPATH=src pytest tests")
    found = searched({"src/_pytest/__init__.py": "fixed = True\n"}, fixed, workspace=about)
    assert (of(found), seen(found)) == ([], [])
    assert "src/_pytest/__init__.py" not in found.removed
    assert "src/pluggy.py" in searched({"src/pluggy.py": ""}, fixed, workspace=about).removed


@given(st.dictionaries(st.sampled_from("abcde"), st.sampled_from(["a", "b/x", "../c", ".", "..", "/workspace/d", "/"])))
def test_links_lead_to_an_end_and_nowhere_outside(links: Mapping[str, str]) -> None:
    entries = tree({path: f"-> {target}" for path, target in links.items()}).entries
    found = python_modules.places({"", "a", "b/c"}, entries)
    assert {"", "a", "b/c"} <= found
    assert not any(place.startswith(("/", "..")) for place in found)


@pytest.mark.parametrize(
    ("test", "command", "undone"),
    [
        ("import subprocess\n", ("pytest", "-q", "grading"), True),
        ("import sys\nsys.path.insert(0, '/workspace')\n", ("pytest", "-q", "grading"), False),
        ("import subprocess\n", ("python3", "-m", "pytest", "grading"), False),
        ("import subprocess\n", ("sh", "-c", "PYTHONPATH=lib pytest grading"), False),
        ("import subprocess\n", ("pytest", "-q"), False),
    ],
)
def test_who_tests_another_process_loads_no_modules_of_the_workspace(
    test: str, command: tuple[str, ...], *, undone: bool
) -> None:
    own = {**HIDDEN, "grading/test_it.py": test}
    found = searched({"pyproject.toml": OPENS}, step(*command), own=own)
    assert (of(found), seen(found)) == (["pyproject.toml"] if undone else [], [])
    assert of(searched({"pyproject.toml": OPENS}, APART, own=own, workspace={**WORK, "pyproject.toml": OPENS})) == []


def test_modules_beside_tests_are_found_first() -> None:
    added = settings("addopts = '--import-mode=append'")
    assert of(searched(added, own={**HIDDEN, "grading/wanted.py": ""})) == ["pyproject.toml"]
    assert of(searched(added, own={**HIDDEN, "grading/conftest.py": ""})) == []


@pytest.mark.parametrize(
    ("before", "after", "undone"),
    [
        ("addopts = '-m \"not slow\"'", "", True),
        ("addopts = '-m \"not slow\"'", "addopts = '-ra -m \"not slow\"'", False),
        ("addopts = '-m \"not slow\"'", "addopts = '-m \"slow\"'", True),
        ("addopts = '-ra'", "addopts = '-q'", False),
        ("python_files = ['check_*.py']", "markers = ['slow']", True),
        ("filterwarnings = ['error']", "filterwarnings = ['error', 'ignore:old']", True),
        ("filterwarnings = ['ignore']", "filterwarnings = ['error']", False),
        ("addopts = '-W error'", "addopts = '-q'", True),
        ("xfail_strict = true", "", True),
        ("xfail_strict = false", "xfail_strict = true", False),
    ],
)
def test_to_select_otherwise_or_to_be_less_strict_is_undone_and_no_tampering(
    before: str, after: str, *, undone: bool
) -> None:
    found = searched(settings(after), step("pytest"), workspace={**WORK, **settings(before)})
    assert ([entry.path for entry in found.restored] == ["pyproject.toml"]) == undone
    assert found.tampering == ()


@pytest.mark.parametrize(("lines", "undone"), [("xfail_strict = true", True), ("addopts = '-q'", False)])
def test_what_says_how_pytest_judges_cannot_be_removed(lines: str, *, undone: bool) -> None:
    found = searched({}, step("pytest"), gone=["pyproject.toml"], workspace={**WORK, **settings(lines)})
    assert ([entry.path for entry in found.restored], found.tampering) == (["pyproject.toml"] if undone else [], ())
    assert searched({}, step("true"), gone=["pyproject.toml"], workspace={**WORK, **settings(lines)}).restored == ()


def test_the_modules_of_a_case_are_those_of_its_files_its_reference_and_its_task() -> None:
    python = ("src/pluggy/__init__.py", "src/pluggy/_hooks.py", "copy.py", "zoo.py", "tests/test_it.py", "a-b.py")
    judged = ("src/pluggy/_hooks.py", "calendar.py", "notes.md")
    task = "Write typing.py and src/random.py; x.pyc and two.py.txt are others. See www.python.python."
    assert case_modules({*python, *judged}, python, judged, task) == (
        "!calendar", "copy", "!random", "!typing", "!pluggy", "test_it", "!two", "zoo"
    )  # fmt: skip


def test_of_a_large_project_those_that_matter_most_are_kept() -> None:
    python = [f"module_{number}.py" for number in range(5000)] + ["json.py"]
    found = case_modules(set(python), python, (), "")
    assert (found[0], len(found)) == ("json", 300)
