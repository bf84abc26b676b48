"""Recognises commands that run a module of Python, such as ``python3 -m pytest``. Pure."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from pathlib import Path
from posixpath import basename

from gradebox.graders.runners.runner import ApartOnly, Head, SourceText, is_installed

INSIDE = Path(__file__).parent / "inside" / "python"
"""Directory of the files that adapters of Python test runners share."""

# An interpreter loads modules from there at its start, and they may be the candidate's.
RENAMED = {"PYTHONPATH": "GRADEBOX_PYTHONPATH"}
# Otherwise `site` would run before our adapter, and load modules from wherever `.pth` files of the image lead.
WITHOUT_SITE = ApartOnly("-S")
_PYTHON = re.compile(r"python(3(\.\d+)?)?")
# Options without a value, which may be combined; the last one may be `m`.
_FLAGS = re.compile(r"-[bBdEIOPqsSuv]+")
_FLAGS_AND_MODULE = re.compile(r"-([bBdEIOPqsSuv]*)m")
_WITH_VALUE = frozenset({"-W", "-X", "--check-hash-based-pycs"})


def module_head(
    words: Sequence[str], modules: Container[str], no_tests: frozenset[str], source: SourceText
) -> Head | None:
    """Return the replacement for ``python3 -m MODULE``, None for another command.

    `modules` are the module's names, `no_tests` the options with which it runs no test. The adapter is run as
    ``python3 -c SOURCE -m MODULE``.
    """
    if not (_PYTHON.fullmatch(basename(words[0])) and is_installed(words[0])):
        return None
    flags: list[str] = []
    place = 1
    while place < len(words):
        word = words[place]
        if found := _FLAGS_AND_MODULE.fullmatch(word):
            flags += [f"-{found[1]}"] if found[1] else []
            place += 1
            if place >= len(words) or words[place] not in modules or not no_tests.isdisjoint(words[place + 1 :]):
                return None
            return Head(
                place + 1,
                (words[0], *flags, WITHOUT_SITE, "-c", source, "-m", words[place].replace("py.test", "pytest")),
                RENAMED,
            )
        taken = 2 if word in _WITH_VALUE else 1
        if taken == 1 and not (_FLAGS.fullmatch(word) or re.match(r"-[WX].", word)):
            return None
        flags += words[place : place + taken]
        place += taken
    return None
