"""The names that a source file defines for others, as the module ``cheating`` of a language finds them. Pure.

Such a module has:

- ``SUFFIX``: the suffix of the language's programs in ``cheats/``; ``COMMENT``: the beginning of a comment.
- ``definitions(text, start)`` yields the definitions in a source, without those that are the same in `start`, the
  source from which it was made. The source is untrusted; if it cannot be parsed, nothing is yielded.
- ``composed(program, defined, source, start)`` returns the source of a file that cheats. `program` is the cheat, empty
  for one that does nothing. `source`, the author's solution, only sets the form. The parts of `start`, the workspace's
  file, that the cheat does not replace are kept.
- ``imported(path, texts)``, which is optional, yields the names that texts import from a missing file.
- ``control_files(forged, directories)`` yields paths and texts of files that interpreters and test runners load before
  any test. `forged` is a program that prints a full score. Tests lie in `directories`.
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
