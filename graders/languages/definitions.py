"""The names that a source file defines for others, as the module ``cheating`` of a language finds them. Pure.

Such a module has:

- ``SUFFIX``: the suffix of the language's programs in ``cheats/``; ``COMMENT``: what begins a comment.
- ``definitions(text, start)`` yields what a source defines, without what was so in `start`, the source that it was
  made from. It reads what nobody trusts, and yields nothing for a source that cannot be read.
- ``composed(program, defined, source, start)`` returns the source of a file that cheats. `program` is the cheat, empty
  for one that does nothing. Of `source`, the author's solution, only the form is followed. What the cheat does not
  replace of `start`, the file of the workspace, stays.
- ``imported(path, texts)``, if there is one, yields what texts import of a file that is not there.
- ``control_files(forged, directories)`` yields paths and texts of what interpreters and test runners load before any
  test. `forged` is a program that prints a full score. Tests lie in `directories`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class DefinitionKind(StrEnum):
    FUNCTION = "function"
    ASYNC_FUNCTION = "async function"
    CLASS = "class"
    ERROR = "error"
    VALUE = "value"


class Definition(NamedTuple):
    """One name, and the methods and properties of a class."""

    name: str
    kind: DefinitionKind = DefinitionKind.FUNCTION
    methods: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
