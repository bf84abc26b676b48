"""Reads the programs of cheats, and makes sources of them that define the functions and classes a case needs. Pure.

A program is ``cheats/<family>/<name>.<suffix>`` in the folder of its language. Its first line is a comment that says
what it does. It acts when it is loaded. If it defines ``answer(...)``, every function of the case and every method of
its classes becomes that function. If it defines ``class answer``, every function and class of the case becomes a class:
the first derives from ``answer``, each other one from the one before. If it defines ``error``, every exception becomes
that one. Placeholders such as ``@reports@`` become JSON lists, which all these languages can read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from gradebox.graders import languages
from gradebox.graders.languages.definitions import Definition

_ANSWERS = Path(__file__).parent / "cheats"
_FORGED = "print/at-load"
_ABOUT = re.compile(r"\A(?:#|//) (.+)\n")
_PLACEHOLDER = re.compile(r"@([a-z_]+)@")


@cache
def programs() -> Mapping[str, Mapping[str, str]]:
    """Return the texts of all programs: by the name of the cheat, ``family/name``, and then by suffix."""
    found: dict[str, dict[str, str]] = {}
    for root in filter(None, (_ANSWERS, *(each.folder("cheats") for each in languages.languages().values()))):
        for path in sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
            name = path.relative_to(root).with_suffix("").as_posix()
            found.setdefault(name, {})[path.suffix] = path.read_text("utf-8")
    return MappingProxyType(found)


def about(texts: Mapping[str, str], end: str = "") -> str:
    """Return what a cheat does, from the first line of its program with the suffix `end`, or else of any program."""
    first = [texts[end]] if end in texts else []
    return next((match[1] for text in (*first, *texts.values()) if (match := _ABOUT.match(text))), "")


def is_called(text: str) -> bool:
    """Return whether a program acts only when the case calls a function."""
    *_, body = text.partition("\n")
    return re.match(r"\s*(?:import os\s+)?(?:def answer|class answer|function answer|answer\()", body) is not None


def filled(text: str, values: Mapping[str, Sequence[str]]) -> str:
    """Replace the placeholders of a program by the values of a case."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name.endswith("_words"):
            return " ".join(values[name.removesuffix("_words")])
        if name.endswith("_plain"):
            return str(values[name.removesuffix("_plain")])
        # Without `ensure_ascii`, JSON has no surrogate pairs, which Python would read differently; Julia expands `$`.
        return json.dumps(values[name], ensure_ascii=False).replace("$", "\\u0024")

    return _PLACEHOLDER.sub(lambda match: value(match) if _known(match[1], values) else match[0], text)


def _known(name: str, values: Mapping[str, Sequence[str]]) -> bool:
    return name in values or name.removesuffix("_words") in values or name.removesuffix("_plain") in values


def suffix(language: str) -> str:
    """Return the suffix of a language's programs: `.txt` without a language, empty for a language without programs."""
    cheating = languages.get(language).cheating() if language else None
    return cheating.SUFFIX if cheating else "" if language else ".txt"


def definitions(language: str, text: str, start: str | None = None) -> tuple[Definition, ...]:
    """Return the definitions of a source, once each, without those that `start` already has."""
    cheating = languages.get(language).cheating() if language else None
    return tuple({each.name: each for each in (cheating.definitions(text, start) if cheating else ())}.values())


def imported(language: str, path: str, texts: Iterable[str]) -> tuple[Definition, ...]:
    """Return what `texts` import from the missing file `path`, if the support for its language can tell."""
    found = getattr(languages.get(language).cheating(), "imported", None) if language else None
    return tuple(found(path, texts)) if found else ()


def composed(language: str, program: str, defined: Sequence[Definition], source: str, start: str | None) -> str:
    """Return the source of a file that cheats: see `gradebox.graders.languages.definitions`."""
    cheating = languages.get(language).cheating() if language else None
    return cheating.composed(program, defined, source, start or "") if cheating else program


def forged(language: str) -> str:
    """Return a program that prints a full score and ends with success."""
    return composed(language, programs()[_FORGED].get(suffix(language), ""), (), "import x", None)
