"""ScannedCommands that run a module of Python."""

from __future__ import annotations

import pytest

from gradebox.graders.runners.python_command import RENAMED, WITHOUT_SITE, module_head
from gradebox.graders.runners.runner import SourceText

SOURCE = SourceText(())


@pytest.mark.parametrize(
    ("command", "count", "flags"),
    [
        ("python3 -m runs a", 3, ()),
        ("python -Bsm runs", 3, ("-Bs",)),
        ("/usr/bin/python3.11 -W error -X dev -E -m runs", 8, ("-W", "error", "-X", "dev", "-E")),
    ],
)
def test_flags_of_the_interpreter_stay(command: str, count: int, flags: tuple[str, ...]) -> None:
    words = command.split()
    head = module_head(words, {"runs"}, frozenset({"--help"}), SOURCE)
    assert head is not None
    assert (head.count, head.words) == (count, (words[0], *flags, WITHOUT_SITE, "-c", SOURCE, "-m", "runs"))
    assert head.renamed == RENAMED


@pytest.mark.parametrize(
    "command", ["python3 -m other", "python3 -m runs --help", "python3 -c 1 -m runs", "sh -m runs"]
)
def test_another_command_is_none(command: str) -> None:
    assert module_head(command.split(), {"runs"}, frozenset({"--help"}), SOURCE) is None
