"""Which commands are pytest or unittest, and what is run in their place. Pure."""

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
    Word,
    is_installed,
)

_SHARED = ("equality.py", "guard.py", "comparing.py", "definitions.py", "adapter_start.py", "witness.py", "intact.py")
_LAUNCHER = "pytest launcher"
SOURCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        Adapter.PYTEST: ("python", *_SHARED, "pytest_loading.py", "pytest_scope.py", "pytest_adapter.py"),
        Adapter.UNITTEST: ("python", *_SHARED, "unittest_scope.py", "unittest_adapter.py"),
        _LAUNCHER: ("python", "pytest_launcher.sh"),
    }
)

# An interpreter looks for its own first modules there, and there may be the candidate's.
_RENAMED = {"PYTHONPATH": "GRADEBOX_PYTHONPATH"}
_PYTHON = re.compile(r"python(3(\.\d+)?)?")
# Options without a value, which may be written together, and the last of which may be `m`.
_FLAGS = re.compile(r"-[bBdEIOPqsSuv]+")
_FLAGS_AND_MODULE = re.compile(r"-([bBdEIOPqsSuv]*)m")
_WITH_VALUE = frozenset({"-W", "-X", "--check-hash-based-pycs"})
_SCRIPTS = frozenset({"pytest", "py.test"})
_MODULES: Mapping[str, Adapter] = {
    "pytest": Adapter.PYTEST,
    "py.test": Adapter.PYTEST,
    "unittest": Adapter.UNITTEST,
}
# With these no test is run.
_LOOKS_ONLY: Mapping[Adapter, frozenset[str]] = {
    Adapter.PYTEST: frozenset(
        {"--co", "--collect-only", "--collectonly", "--setup-plan", "--setup-only", "--fixtures", "--funcargs"}
        | {"--fixtures-per-test", "--markers", "--cache-show", "--help", "-h", "--version", "-V"}
    ),
    Adapter.UNITTEST: frozenset({"-h", "--help"}),
}


def _pytest(words: Sequence[str]) -> Head | None:
    if _runs_tests(words, Adapter.PYTEST) and basename(words[0]) in _SCRIPTS and is_installed(words[0]):
        launched: tuple[Word, ...] = ("sh", "-c", Source(_LAUNCHER), "gradebox", words[0], Source(Adapter.PYTEST))
        return Head(1, launched, _RENAMED)
    return _module(words, Adapter.PYTEST)


def _unittest(words: Sequence[str]) -> Head | None:
    return _module(words, Adapter.UNITTEST)


def _module(words: Sequence[str], adapter: Adapter) -> Head | None:
    if not (_PYTHON.fullmatch(basename(words[0])) and is_installed(words[0])):
        return None
    flags: list[str] = []
    place = 1
    while place < len(words):
        word = words[place]
        if found := _FLAGS_AND_MODULE.fullmatch(word):
            flags += [f"-{found[1]}"] if found[1] else []
            return _run_module(words, place + 1, flags, adapter)
        taken = 2 if word in _WITH_VALUE else 1
        if taken == 1 and not (_FLAGS.fullmatch(word) or re.match(r"-[WX].", word)):
            return None
        flags += words[place : place + taken]
        place += taken
    return None


def _run_module(words: Sequence[str], place: int, flags: Sequence[str], adapter: Adapter) -> Head | None:
    if place >= len(words) or _MODULES.get(words[place]) is not adapter or not _runs_tests(words[place + 1 :], adapter):
        return None
    run: tuple[Word, ...] = (
        words[0],
        *flags,
        "-c",
        Source(adapter),
        "-m",
        "pytest" if adapter is Adapter.PYTEST else words[place],
    )
    return Head(place + 1, run, _RENAMED)


def _runs_tests(words: Sequence[str], adapter: Adapter) -> bool:
    return _LOOKS_ONLY[adapter].isdisjoint(words)


RECOGNISERS: Mapping[Adapter, Recogniser] = MappingProxyType({Adapter.PYTEST: _pytest, Adapter.UNITTEST: _unittest})
