"""Selects ids for ``-k``: by a whole id, a glob, a part of an id, or an expression of these with and, or and not.

A word that is a whole id selects only that case, so that a script which names a case never gets another one. A word
with ``*``, ``?`` or ``[`` is a glob for the whole id. Any other word matches a part of the id, ignoring case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from typing import NoReturn

from gradebox.graders.documents import globs
from gradebox.graders.errors import UsageRefused

Matcher = Callable[[str], bool]

_TOKEN = re.compile(r"[()]|[^\s()]+")
_OPERATORS = frozenset({"and", "or", "not", "(", ")"})
_GLOB = frozenset("*?[")
# The limit for nested parentheses and `not`: people write these expressions by hand.
_DEPTH = 50


def id_matcher(text: str, whole: Container[str] = ()) -> Matcher:
    """Return a function that says whether an id is selected. A word that is one of the ids in `whole` selects it alone.

    Raises UsageRefused if the expression has a mistake.
    """
    tokens = _TOKEN.findall(text)
    if text in whole or _OPERATORS.isdisjoint(tokens):
        return _word(text, whole)
    return _Expression(text, tokens, whole).read()


def _word(word: str, whole: Container[str]) -> Matcher:
    if word in whole:
        return lambda case_id: case_id == word
    if not _GLOB.isdisjoint(word):
        return lambda case_id: globs.matches(case_id, [word])
    part = word.casefold()
    return lambda case_id: bool(part) and part in case_id.casefold()


class _Expression:
    """Parses an expression. ``not`` binds most tightly, then ``and``, then ``or``."""

    def __init__(self, text: str, tokens: list[str], whole: Container[str]) -> None:
        self._text = text
        self._left = tokens[::-1]
        self._whole = whole
        self._depth = 0

    def read(self) -> Matcher:
        found = self._either()
        if self._left:
            self._refuse(f"`{self._left[-1]}` is not expected")
        return found

    def _either(self) -> Matcher:
        found = [self._both()]
        while self._takes("or"):
            found.append(self._both())
        return lambda case_id: any(one(case_id) for one in found)

    def _both(self) -> Matcher:
        found = [self._single()]
        while self._takes("and"):
            found.append(self._single())
        return lambda case_id: all(one(case_id) for one in found)

    def _single(self) -> Matcher:
        self._depth += 1
        if self._depth > _DEPTH:
            self._refuse("it is nested too deeply")
        try:
            if self._takes("not"):
                other = self._single()
                return lambda case_id: not other(case_id)
            if self._takes("("):
                inner = self._either()
                if not self._takes(")"):
                    self._refuse("a `)` is missing")
                return inner
        finally:
            self._depth -= 1
        if not self._left or self._left[-1] in _OPERATORS:
            self._refuse(f"a word is missing {f'before `{self._left[-1]}`' if self._left else 'at the end'}")
        return _word(self._left.pop(), self._whole)

    def _takes(self, token: str) -> bool:
        if self._left and self._left[-1] == token:
            self._left.pop()
            return True
        return False

    def _refuse(self, problem: str) -> NoReturn:
        raise UsageRefused(f"-k {self._text}: {problem}.", remedy="For example: -k 'auth and not (slow or old)'.")
