"""Commands as a document writes them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from gradebox.graders.documents.commands import Command, CommandList
from gradebox.graders.documents.validators import Context
from gradebox.graders.model.case import CommandSpec

SHELL = CommandSpec(("sh", "-c", "make test"), shell=True)


def read(kind: Any, value: Any) -> Any:
    return TypeAdapter(kind).validate_python(value, strict=True, context=Context({}))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("make test", SHELL),
        (["make", "test"], CommandSpec(("make", "test"))),
        ({"command": "make test"}, SHELL),
        (["a", "{{workspace_path}}/b", "{{ workspace_path }}"], CommandSpec(("a", "/workspace/b", "/workspace"))),
        ("ls {{workspace_path}} {{other}}", CommandSpec(("sh", "-c", "ls /workspace {{other}}"), shell=True)),
        (
            {"script": ["a"], "cwd": "sub", "env": {"A": "b"}, "timeout_seconds": 5},
            CommandSpec(("a",), cwd="sub", env={"A": "b"}, timeout_seconds=5.0),
        ),
    ],
)
def test_every_way_to_write_a_command(written: Any, expected: CommandSpec) -> None:
    assert read(Command, written) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("make test", (SHELL,)),
        (["make", "test"], (CommandSpec(("make", "test")),)),
        (["make test", "make test"], (SHELL, SHELL)),
        (["sh", "-c", "make test"], (CommandSpec(("sh", "-c", "make test")),)),
        ([["a", "b"], {"command": "make test"}], (CommandSpec(("a", "b")), SHELL)),
        ({"command": ["a"]}, (CommandSpec(("a",)),)),
    ],
)
def test_one_command_or_a_list_of_them(written: Any, expected: tuple[CommandSpec, ...]) -> None:
    assert read(CommandList, written) == expected


def test_a_list_that_can_be_read_in_two_ways_is_refused() -> None:
    with pytest.raises(ValidationError, match="can be read as one command or as several"):
        read(CommandList, ["./prepare.sh", "python x.py"])


@pytest.mark.parametrize("written", ["echo ${{ NAME }}", " ", "a\0b", [], 5])
def test_what_is_no_command_is_refused(written: Any) -> None:
    with pytest.raises(ValidationError):
        read(Command, written)
