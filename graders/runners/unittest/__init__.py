"""unittest, as a module of Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gradebox.graders.runners.python_command import module_head
from gradebox.graders.runners.runner import Head, Runner, SourceText

_ADAPTER = SourceText((Path(__file__).parent / "inside" / "unittest_adapter.py",))
_APART = SourceText((Path(__file__).parent / "inside" / "unittest_apart.py",))
_NO_TESTS = frozenset({"-h", "--help"})


def recognise(words: Sequence[str]) -> Head | None:
    """Return the replacement for a command of unittest, None for another command or one that runs no test."""
    return module_head(words, ("unittest",), _NO_TESTS, _ADAPTER)


RUNNER = Runner(
    name="unittest",
    language="python",
    recognise=recognise,
    shape="`python3 -m unittest ...`",
    words="unittest",
    sources=(_ADAPTER, _APART),
    apart=_APART,
    modules=("unittest",),
)
