"""Which commands are Julia's tests, and what is run in their place. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from posixpath import basename
from types import MappingProxyType

from graders.runners.adapter_heads import (
    Adapter,
    Head,
    Recogniser,
    Source,
    is_installed,
)

SOURCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {Adapter.JULIA_TEST: ("julia", "equality.jl", "julia_test_adapter.jl")}
)

_FLAGS_WITH_VALUE = frozenset({"-t", "--threads", "-C", "--cpu-target", "-J", "--sysimage", "-H", "--home"})
# Whatever runs code of its own, or elsewhere, or runs none, is not here.
_FLAGS = re.compile(
    r"--?(q|quiet|O[0-3]?|g[0-2]?|t\d+|(threads|project|optimize|min-optlevel|debug-level|depwarn|inline|check-bounds|color|compile|"
    r"compiled-modules|pkgimages|code-coverage|track-allocation|math-mode|warn-overwrite|startup-file|history-file|"
    r"banner|handle-signals|gcthreads|heap-size-hint|cpu-target|sysimage)(=.*)?)"
)
_TESTS = "runtests.jl"


def _julia(words: Sequence[str]) -> Head | None:
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
    # Nothing that a candidate could have put into a home directory runs before the tests.
    return Head(
        place, (program, *flags, "--startup-file=no", "--history-file=no", "-e", Source(Adapter.JULIA_TEST), "--")
    )


RECOGNISERS: Mapping[Adapter, Recogniser] = MappingProxyType({Adapter.JULIA_TEST: _julia})
