"""Options of plug-ins on the command line: read as any other, and looked for only where a line has one of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from gradebox.graders.cli.commands.grade import app
from gradebox.graders.cli.main import run
from gradebox.graders.cli.plugin_options import parameters
from gradebox.graders.errors import ExitCode, GraderError
from gradebox.graders.runs import added_options
from gradebox.graders.runs.added_options import AddedOption

TEXT = AddedOption("--colour NAME", "A colour.", section="Results")
PLACE = AddedOption("--paint-on DIR", "A place.", section="Results", kind=Path)
FLAG = AddedOption("--glossy", "A flag.", section="Colours")


@pytest.fixture
def _plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(added_options, "_plugins", lambda: [SimpleNamespace(OPTIONS=(TEXT, PLACE, FLAG))])


def given(*words: str) -> Any:
    group = typer.main.get_command(app)
    return group.make_context("grade", list(words)).obj


@pytest.mark.usefixtures("_plugin")
def test_a_command_line_has_the_values_that_were_given() -> None:
    assert given("--colour", "red", "--paint-on=wall", "--glossy") == {
        "colour": "red",
        "paint_on": Path("wall"),
        "glossy": True,
    }
    assert given("--colour", "red", "--case", "a") == {"colour": "red"}
    assert given("-k", "list", "--glossy") == {"glossy": True}
    assert given("--case", "a") == {}


@pytest.mark.usefixtures("_plugin")
def test_help_has_them_in_their_sections(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == ExitCode.PASSED
    printed = capsys.readouterr().out
    results = printed.partition("\nResults:")[2].partition("\n\n")[0]
    assert "--colour NAME" in results
    assert "--paint-on DIR" in results
    assert "--glossy" in printed.partition("\nColours:")[2].partition("\n\n")[0]


@pytest.mark.usefixtures("_plugin")
def test_a_misspelt_one_is_told_from_the_right_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--color", "red"]) == ExitCode.USAGE
    assert "Did you mean `--colour`?" in capsys.readouterr().err


@pytest.mark.usefixtures("_plugin")
def test_before_a_command_they_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--glossy", "validate", "cases"]) == ExitCode.USAGE
    assert "--glossy before `validate` would have no effect" in capsys.readouterr().err


@pytest.mark.usefixtures("_plugin")
def test_a_name_of_grade_itself_is_taken() -> None:
    with pytest.raises(GraderError, match="grade itself has the option --colour"):
        parameters([SimpleNamespace(opts=["--colour"])])


@pytest.mark.parametrize("words", [["--version"], ["validate", "--help"], ["--case", "nowhere", "-s", "nothing"]])
def test_other_command_lines_look_for_no_plugin(words: list[str]) -> None:
    program = (
        "import sys\nfrom gradebox.graders.cli.main import run\nrun(sys.argv[1:])\n"
        "assert 'gradebox.graders.cli.plugin_options' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program, *words], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
