"""Minitest: ``ruby FILE``, where the file has the name of a test."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from posixpath import basename

from gradebox.graders.runners.runner import Head, Runner, SourceText, is_installed

_HERE = Path(__file__).parent
_ADAPTER = SourceText((_HERE.parent / "inside" / "ruby" / "token.rb", _HERE / "inside" / "minitest_adapter.rb"))
_OPTION = re.compile(r"-[Ir].*|-w|-W[02]?")
_TESTS = ("test_*.rb", "*_test.rb")
_NO_TEST_IS_RUN = frozenset({"-h", "--help", "--version"})


def recognise(words: Sequence[str]) -> Head | None:
    """Return the replacement for ``ruby`` with a file of tests, None for another command."""
    if basename(words[0]) != "ruby" or not is_installed(words[0]):
        return None
    place = 1
    while place < len(words) and _OPTION.fullmatch(words[place]):
        place += 2 if words[place] in ("-I", "-r") else 1
    name = basename(words[place]) if place < len(words) else ""
    if not any(fnmatchcase(name, glob) for glob in _TESTS) or not _NO_TEST_IS_RUN.isdisjoint(words[place:]):
        return None
    return Head(1, (words[0], "-e", _ADAPTER, "--"))


RUNNER = Runner(
    name="minitest",
    language="ruby",
    recognise=recognise,
    shape="`ruby [-I DIR] ..._test.rb`",
    words="",
    sources=(_ADAPTER,),
)
