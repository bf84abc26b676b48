"""What a page of the documentation shows: its blocks, and its commands with what they print.

The blocks of a page are one session, in their order. One whose first line is ``# path/to/file`` is that file.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"(?:#|//) ([\w.-]+(?:/[\w.-]+)+)\n")
MARK = "--- end of a command ---"


class Shown(NamedTuple):
    """A command of a document, and what stands below it."""

    command: str
    output: str


def blocks(document: Path, language: str) -> list[str]:
    return [content for found, content in BLOCK.findall(document.read_text("utf-8")) if found == language]


def shown(block: str) -> list[Shown]:
    """Split a transcript into its commands."""
    assert block.startswith("$ ")
    pieces = (piece.partition("\n") for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:])
    return [Shown(command, output) for command, _, output in pieces]


def session(document: Path) -> tuple[str, list[Shown]]:
    """Return a script for bash of all that a page shows, and the commands whose output it prints between marks."""
    script, commands = [], []
    for number, (language, content) in enumerate(BLOCK.findall(document.read_text("utf-8"))):
        named = NAMED.match(content)
        if language == "console":
            # What follows may ask for $?.
            script += [
                f"{{ {one.command}\n}} 2>&1\nstatus=$?\necho '{MARK}'\n( exit $status )\n" for one in shown(content)
            ]
            commands += shown(content)
        elif named:
            script.append(
                f"mkdir -p '{Path(named[1]).parent}'\ncat > '{named[1]}' <<'END-{number}'\n{content}END-{number}\n"
            )
    return "".join(script), commands
