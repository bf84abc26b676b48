"""Recognises the common parts of JavaScript test runners' commands: programs of packages, and options. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from posixpath import basename

from gradebox.graders.documents.command_lines.launchers import start
from gradebox.graders.runners.runner import Head

INSIDE = Path(__file__).parent / "inside" / "javascript"
"""Directory of the files that adapters of JavaScript test runners share."""

REPORTING = tuple(INSIDE / name for name in ("token.js", "controls.js", "definitions.js"))
"""Those of the reporters of Vitest and Jest."""

NO_TESTS = frozenset({"--help", "-h", "--version", "-v", "--watch"})
"""Options with which no test runs, or the run never ends."""

# Finds a package's program as launchers do, in the workspace or installed, since launchers would close descriptor 3.
_LAUNCH = (
    'd=$PWD; while [ -n "$d" ] && [ ! -x "$d/node_modules/.bin/$0" ]; do d=${d%/*}; done; '
    'PATH=$d/node_modules/.bin:$PATH; export PATH; exec "$0" "$@"'
)


def package_program(words: Sequence[str], name: str) -> Head | None:
    """Return the head that starts a package's program, without its arguments; None for another program."""
    if basename(words[0]) == name:
        return Head(1, (words[0],))
    found = start(words)
    if [launcher.of_packages for launcher in found.launchers] == [True] and list(words[found.place :][:1]) == [name]:
        return Head(found.place + 1, ("sh", "-c", _LAUNCH, name))
    return None


def count(words: Iterable[str], option: str) -> int:
    """Return how often an option occurs in a command, with or without a joined value."""
    return sum(word == option or word.startswith(f"{option}=") for word in words)


def has_any(words: Iterable[str], options: Container[str]) -> bool:
    """Return whether one of these options occurs in a command."""
    return any(word.partition("=")[0] in options for word in words)
