"""Test runners: those that there are, and what their names of files say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradebox.graders.languages import languages
from gradebox.graders.languages.language import INSIDE
from gradebox.graders.runners import contents_inside, runners
from gradebox.graders.runners.runner import is_installed, is_test_file

MAX_ARGUMENT_BYTES = 128 * 1024


def test_every_folder_is_a_runner_of_a_language() -> None:
    assert list(runners()) == [
        "bats",
        "bun-test",
        "cargo-test",
        "ctest",
        "go-test",
        "jest",
        "julia-test",
        "junit5",
        "minitest",
        "node-test",
        "phpunit",
        "pytest",
        "rspec",
        "testthat",
        "unittest",
        "vitest",
    ]
    assert {each.language for each in runners().values()} <= set(languages())


@pytest.mark.parametrize("name", list(runners()))
def test_every_source_fits_into_an_argument(name: str) -> None:
    runner = runners()[name]
    assert runner.sources
    assert all(100 < len(each.text().encode()) < MAX_ARGUMENT_BYTES for each in runner.sources)


@pytest.mark.parametrize("path", ["test_a.py", "a/b_test.go", "a.spec.ts", "tests/data.txt", "src/__tests__/a.js"])
def test_names_and_directories_of_tests(path: str) -> None:
    assert is_test_file(path)
    assert not is_test_file("src/testing.py")


def test_a_program_in_the_workspace_may_be_the_candidates() -> None:
    assert is_installed("pytest")
    assert is_installed("/usr/bin/pytest")
    assert not is_installed(".venv/bin/pytest")
    assert not is_installed("/workspace/bin/pytest")


def test_every_source_is_part_of_the_fingerprint() -> None:
    contents = {*contents_inside()}
    rooms = INSIDE.parents[1]
    inside = {
        file
        for file in rooms.rglob("inside/**/*")
        if file.suffix in (".py", ".js", ".mjs", ".ts", ".jl", ".sh", ".rb", ".c", ".php")
    }
    # What an inline check runs is a part of its steps.
    assert {str(file) for file in inside if file.read_bytes() not in contents and "inline" not in file.parts} == set()
    assert len(contents) > 100


def test_no_program_is_made_for_the_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Path) -> str:
        raise AssertionError("all programs would be made, for every command")

    monkeypatch.setattr("gradebox.graders.languages.language.bundle", refused)
    monkeypatch.setattr("gradebox.graders.runners.runner.bundle", refused)
    assert contents_inside.__wrapped__() == contents_inside()


PLUG_INS = """
from pathlib import Path

from gradebox.graders.languages.language import ControlFile, Language
from gradebox.graders.runners.runner import Head, Runner, SourceText

HERE = Path(__file__).parent
TCL = Language(
    name="tcl",
    image="gradebox-tcl:1",
    programs=("tcl",),
    answer_file="solution.tcl",
    fences=frozenset({"tcl"}),
    command=("tcl", "-e"),
    runner=(HERE / "items.tcl",),
)
SOURCE = SourceText((HERE / "busted.tcl",))
BUSTED = Runner(
    name="busted",
    language="tcl",
    recognise=lambda words: Head(1, ("tcl", "-e", SOURCE)) if words[0] == "busted" else None,
    shape="`busted ...`",
    words="busted",
    sources=(SOURCE,),
    control_files=(ControlFile(".busted", "busted"),),
)
"""
USED = """
from gradebox.graders import languages
from gradebox.graders.integrity.control_files import control_file
from gradebox.graders.runners import adapter, names

assert "tcl" in languages.names()
assert languages.get("tcl").argv() == ("tcl", "-e", "-- items")
assert languages.image_of_program("tcl") == "gradebox-tcl:1"
assert "busted" in names()
assert adapter.recognise(["busted", "spec"]).argv() == ("tcl", "-e", "-- busted", "spec")
assert control_file("spec/.busted").tool == "busted"
"""


def test_another_distribution_adds_a_language_and_a_runner(tmp_path: Path) -> None:
    info = tmp_path / "gradebox_tcl-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gradebox-tcl\nVersion: 1.0\n")
    groups = "[gradebox.languages]\ntcl = gradebox_tcl:TCL\n\n[gradebox.runners]\nbusted = gradebox_tcl:BUSTED\n"
    (info / "entry_points.txt").write_text(groups)
    for name, text in {"gradebox_tcl.py": PLUG_INS, "items.tcl": "-- items", "busted.tcl": "-- busted"}.items():
        (tmp_path / name).write_text(text)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    subprocess.run([sys.executable, "-c", USED], check=True, env={**os.environ, "PYTHONPATH": path})
