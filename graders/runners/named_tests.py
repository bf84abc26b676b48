"""Finds the files and directories of tests that a test runner's command names. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from gradebox.graders.runners import AUTO
from gradebox.graders.runners.adapter import recognise

_TESTS = re.compile(r"[^/*?\[-][^*?\[]*(?:/|\.(?:py|jl|[cm]?[jt]s|[jt]sx))|tests|grading")
# After any other option, a word may be its value.
_NO_VALUE_FOLLOWS = re.compile(r"[^-].*|-[qvxsl]+|-r\w+|--test")


def missing_tests(words: Sequence[str], is_there: Callable[[str], object]) -> Iterator[str]:
    """Yield the relative paths of tests that a command names but that do not exist.

    Yields nothing for an unknown test runner. The runners are imported only if a file is missing.
    """
    named = (word.partition("::")[0] for before, word in pairwise(words) if _NO_VALUE_FOLLOWS.fullmatch(before))
    missing = [file for file in named if _TESTS.fullmatch(file) and not is_there(file)]
    if missing and recognise(words, AUTO):
        yield from missing
