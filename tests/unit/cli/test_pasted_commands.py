"""A command that a message, a remedy or a help text names can be pasted: it exists, and has the options named."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode

ROOT = Path(__file__).parents[3]
NAMED = re.compile(r"`(grade [^`]+)`")


def texts(path: Path) -> Iterator[str]:
    """Yield the texts of a module that names commands; what is filled in is a word."""
    source = path.read_text("utf-8")
    if "`grade " not in source:
        return
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
        # Of a command, it is a text of help.
        and "commands" not in path.parts
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "WORD" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def commands() -> list[str]:
    found = set()
    for package in ("graders", "sandbox", "plugins"):
        for path in (ROOT / package).rglob("*.py"):
            if {"template", "cheats", "inside"}.isdisjoint(path.parts):
                found |= {" ".join(command.split()) for text in texts(path) for command in NAMED.findall(text)}
    return sorted(found)


def test_messages_name_commands() -> None:
    assert len(commands()) > 20


@pytest.mark.parametrize("command", commands())
def test_a_command_that_a_message_names_exists(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """If an option of it is misspelt or has gone, then asking for help with it is refused."""
    words = [word for word in shlex.split(re.split(r" [|>] ", command)[0].replace("...", ""))[1:] if word != "--"]
    # An option at the end may stand for one with its value.
    codes = {run([*words, *value, "--help"]) for value in ((), ("WORD",))}
    assert ExitCode.PASSED in codes, capsys.readouterr().err
