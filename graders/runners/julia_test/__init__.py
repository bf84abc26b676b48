"""Julia's tests: ``julia test/runtests.jl``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from posixpath import basename

from gradebox.graders.languages.julia import LANGUAGE
from gradebox.graders.languages.language import inside
from gradebox.graders.runners.runner import Head, Runner, SourceText, is_installed

_SHARED = tuple(inside("julia") / f"{name}.jl" for name in ("equality", "controls"))
_ADAPTER = SourceText((*_SHARED, Path(__file__).parent / "inside" / "julia_test_adapter.jl"))
_FLAGS_WITH_VALUE = frozenset({"-t", "--threads", "-C", "--cpu-target", "-J", "--sysimage", "-H", "--home"})
# Options that keep the command recognised. Those that run other code, elsewhere, or no code are not among them.
_FLAGS = re.compile(
    r"--?(q|quiet|O[0-3]?|g[0-2]?|t\d+|(threads|project|optimize|min-optlevel|debug-level|depwarn|inline|check-bounds"
    r"|color|compile|compiled-modules|pkgimages|code-coverage|track-allocation|math-mode|warn-overwrite|startup-file"
    r"|history-file|banner|handle-signals|gcthreads|heap-size-hint|cpu-target|sysimage)(=.*)?)"
)
_TESTS = "runtests.jl"


def recognise(words: Sequence[str]) -> Head | None:
    """Return the replacement for a command that runs Julia's tests, None for another command."""
    program = words[0]
    if basename(program) != "julia" or not is_installed(program):
        return None
    place = 1
    while place < len(words) and words[place].startswith("-"):
        if words[place] in _FLAGS_WITH_VALUE:
            place += 1
        elif words[place] != "--" and not _FLAGS.fullmatch(words[place]):
            return None
        place += 1
    if place >= len(words) or basename(words[place]) != _TESTS:
        return None
    flags = (word for word in words[1:place] if word != "--")
    # These options keep files in a home directory, where the candidate may write, from running before the tests.
    return Head(place, (program, *flags, "--startup-file=no", "--history-file=no", "-e", _ADAPTER, "--"))


RUNNER = Runner(
    name="julia-test",
    language="julia",
    recognise=recognise,
    shape="`julia ... runtests.jl`",
    words="",
    sources=(_ADAPTER,),
    apart=SourceText(LANGUAGE.apart),
)
