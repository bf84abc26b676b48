"""Where the program of a command is that launchers start."""

from __future__ import annotations

import pytest

from gradebox.graders.documents.command_lines.launchers import start


@pytest.mark.parametrize(
    ("command", "place", "names"),
    [
        ("pytest", 0, ()),
        ("/usr/bin/env A=1 timeout 5 pytest", 4, ("env", "timeout")),
        ("uv run --with a -- pytest", 5, ("uv",)),
        ("uv tool run ruff", 3, ("uv",)),
        ("env", 1, ("env",)),
    ],
)
def test_the_program_stands_behind_launchers_and_their_words(command: str, place: int, names: tuple[str, ...]) -> None:
    found = start(command.split())
    assert (found.place, found.names, found.is_module) == (place, names, False)


def test_a_module_of_python_ends_the_search() -> None:
    assert start(["uv", "run", "-m", "env", "x"]).is_module


def test_a_launcher_of_packages_is_known_as_one() -> None:
    assert [launcher.of_packages for launcher in start(["nice", "npx", "jest"]).launchers] == [False, True]


def test_a_launcher_that_hides_something_ends_the_transparent_ones() -> None:
    assert start(["nice", "npx", "jest"], transparent=True).place == 1
