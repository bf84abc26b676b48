"""Makes Bash sources that cheat, by reading sources line by line. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gradebox.graders.languages.definitions import Definition

SUFFIX = ".sh"
COMMENT = "#"

_FUNCTION = re.compile(r"^[ \t]*(?:function[ \t]+([\w:-]+)|([\w:-]+)[ \t]*\(\))", re.MULTILINE)


def definitions(text: str, _start: str | None) -> Iterator[Definition]:
    """Yield the functions of a source."""
    for match in _FUNCTION.finditer(text):
        yield Definition(match[1] or match[2])


def composed(program: str, defined: Sequence[Definition], _source: str, start: str) -> str:
    """Return the source of a file that cheats."""
    calls = "".join(f'{each.name}() {{\n    answer "$@"\n}}\n' for each in defined)
    own = "" if "answer()" in program else "answer() {\n    :\n}\n"
    return f"#!/usr/bin/env bash\n{program}\n{start if defined else ''}\n{own}{calls}"


def control_files(_forged: str, _directories: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield files that a shell reads when it starts."""
    yield ".bashrc", "exit 0\n"
