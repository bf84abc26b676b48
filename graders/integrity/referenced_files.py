"""Finds the files that a command names: the words of its arguments that may be paths in the workspace. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import pairwise

from gradebox.graders.documents.command_lines.command_line import LINE_FOLLOWS, in_workspace
from gradebox.graders.documents.command_lines.invocations import words_of
from gradebox.graders.model.plan import Step
from gradebox.graders.model.tree import Tree
from gradebox.sandbox.types import WORKSPACE

_GLOB = re.compile(r"[*?\[]")


def named_entries(steps: Iterable[Step], tree: Tree) -> frozenset[str]:
    """Return the entries of a tree that steps name, by path or by a glob below a named directory."""
    paths = {path for step in steps for path in named_paths(step.mentions, step.cwd)}
    globs = [glob.split("/") for glob in paths if _GLOB.search(glob) and not _GLOB.search(glob.partition("/")[0])]
    found = {path for path in paths if path in tree.entries}
    for path in tree.entries if globs else ():
        parts = path.split("/")
        if any(len(parts) == len(glob) and all(map(fnmatchcase, parts, glob)) for glob in globs):
            found.add(path)
    return frozenset(found)


def named_paths(arguments: Iterable[str], cwd: str = WORKSPACE) -> tuple[str, ...]:
    """Return the words of a command that may be paths, relative to the workspace or to the command's directory.

    Every word of an argument counts. So ``sh -c "bash grading/run.sh x"``, ``--config=grading/a.toml`` and
    ``grading/test_a.py::test_b`` all name a file, and ``./grading/...`` of Go names a directory.
    """
    found: dict[str, None] = {}
    previous = ""
    for argument in arguments:
        # After `-m` comes a module (Python) or a marker (pytest), never a file.
        module, previous = previous == "-m", argument
        for word in () if module else _words_at_all_depths(argument):
            for part in (word, word.partition("=")[2], word.partition("::")[0], word.removesuffix("/...")):
                for path in (in_workspace(part), in_workspace(f"{cwd}/{part}") if _is_relative(part) else None):
                    if path is not None:
                        found[path] = None
    return tuple(found)


def _is_relative(part: str) -> bool:
    return bool(part) and not part.startswith("/")


def _words_at_all_depths(argument: str) -> Iterator[str]:
    words = _words(argument)
    yield from words
    for before, word in pairwise(words):
        if LINE_FOLLOWS.fullmatch(before) and word != argument:
            yield from _words_at_all_depths(word)


def _words(argument: str) -> list[str]:
    return [argument, *words_of(argument)] if any(map(str.isspace, argument)) else [argument]
