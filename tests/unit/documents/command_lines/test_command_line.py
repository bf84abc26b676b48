"""Where in a command its program is."""

from __future__ import annotations

import pytest

from gradebox.graders.documents.command_lines.command_line import in_workspace, line_of, locate


@pytest.mark.parametrize(
    ("command", "before", "words"),
    [
        ("pytest -q", (), ("pytest", "-q")),
        ("env A=1 timeout -k 5 60 pytest", ("env", "A=1", "timeout", "-k", "5", "60"), ("pytest",)),
        ("uv run pytest -q", ("uv", "run"), ("pytest", "-q")),
        ("uv run --quiet -- python -m pytest", ("uv", "run", "--quiet", "--"), ("python", "-m", "pytest")),
        ("uv pip list", (), ("uv", "pip", "list")),
        ("nice -n 5 xvfb-run -a pytest", ("nice", "-n", "5", "xvfb-run", "-a"), ("pytest",)),
        ("poetry run pytest", ("poetry", "run"), ("pytest",)),
        # What follows gets another environment, other descriptors, or is not a program.
        ("env -i pytest", (), ("env", "-i", "pytest")),
        ("npx jest", (), ("npx", "jest")),
        ("timeout 9 sudo pytest", ("timeout", "9"), ("sudo", "pytest")),
        ("uv run -m pytest", (), ("uv", "run", "-m", "pytest")),
        ("command -v pytest", (), ("command", "-v", "pytest")),
    ],
)
def test_env_and_timeout_stand_before_the_program(
    command: str, before: tuple[str, ...], words: tuple[str, ...]
) -> None:
    line = locate(command.split())
    assert line is not None
    assert (line.before, line.words, line.shell) == (before, words, ())


def test_a_line_for_a_shell_is_one_simple_command() -> None:
    line = locate(("sh", "-ec", "cd src && A=1 python3 -m pytest 'a b' > out"))
    assert line is not None
    assert (line.shell, line.words) == (("sh", "-ec"), ("python3", "-m", "pytest", "a b"))
    assert line.is_plain(3)
    assert line.rewritten(3, {"A": "B"}) == "cd src && B=1 \"$@\" 'a b' > out"
    assert not line.refers_to("A")


@pytest.mark.parametrize("line", ["a; b", "a | b", "a $(b)", "if a", "a < b", "", "# a", "a &"])
def test_other_lines_are_not_understood(line: str) -> None:
    assert locate(("sh", "-c", line)) is None


def test_the_line_of_a_shell_follows_an_option() -> None:
    assert line_of(("bash", "-eo", "pipefail", "-c", "x")) == "x"
    assert line_of(("bash", "-e", "run.sh", "-c", "x")) is None
    assert line_of(("python3", "-c", "x")) is None


@pytest.mark.parametrize(
    ("word", "path"),
    [("/workspace/a", "a"), ("./a//b", "a/b"), ("../a", None), ("/etc/passwd", None), ("a\0", None), ("", None)],
)
def test_a_word_as_a_path_in_the_workspace(word: str, path: str | None) -> None:
    assert in_workspace(word) == path
