"""Which programs run the file that they are given, and which file that is."""

from __future__ import annotations

import pytest

from gradebox.graders.documents.command_lines.interpreters import Operands, interpreter, run


@pytest.mark.parametrize("program", ["python", "python3.12", "/usr/bin/python3", "pypy3", "bash", "bun", "Rscript"])
def test_an_interpreter_is_known_by_its_name_without_a_version(program: str) -> None:
    assert interpreter(program) is not None


@pytest.mark.parametrize("program", ["pytest", "python-config", "npm", "jq"])
def test_other_programs_are_none(program: str) -> None:
    assert interpreter(program) is None


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("python3 -X dev a.py b -c c", Operands(("a.py", "b", "c"))),
        ("python3 -m a.b c", Operands(module="a.b")),
        ("python3 -m", Operands()),
        ("node --unknown 1 a.js", Operands(("1", "a.js"))),
        ("bun run run", Operands(("run",))),
        ("sh -- -x", Operands()),
    ],
)
def test_the_file_follows_the_options(command: str, found: Operands) -> None:
    words = command.split()
    known = interpreter(words[0])
    assert known is not None
    assert run(words, known) == found
