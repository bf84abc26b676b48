"""The languages that a case can be written in: one folder each.

A language is a subpackage of this package, or an entry point of the group ``gradebox.languages``, with a `Language`
named ``LANGUAGE``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from gradebox.graders.documents.plugins import plugins
from gradebox.graders.languages.language import Language

GROUP = "gradebox.languages"


@cache
def languages() -> Mapping[str, Language]:
    """Return all languages by name."""
    loaded = (plugin.load() for plugin in plugins(__name__, GROUP).values())
    found = (getattr(each, "LANGUAGE", each) for each in loaded)
    return MappingProxyType({each.name: each for each in found if isinstance(each, Language)})


def names() -> tuple[str, ...]:
    """Return the names of all languages, as used in cases."""
    return tuple(languages())


def get(name: str) -> Language:
    """Return a language by its name. Raises KeyError if no language has that name."""
    return _own(name) or languages()[name]


def is_own(name: str) -> bool:
    """Return whether gradebox itself has a language of this name. Imports no other language."""
    return _own(name) is not None


@cache
def _own(name: str) -> Language | None:
    if name not in {found.name for found in iter_modules(__path__)}:
        return None
    language = getattr(import_module(f"{__name__}.{name}"), "LANGUAGE", None)
    return language if isinstance(language, Language) and language.name == name else None


def image_of_program(program: str) -> str | None:
    """Return the image that a program needs, None for a program that no language has."""
    every = languages().values()
    return next(
        (each.fuller.get(program, each.image) for each in every if program in (*each.programs, *each.fuller)), None
    )


def start_of(suffix: str) -> tuple[str, ...]:
    """Return the command that runs a file with this suffix if no program is named; empty if there is none."""
    return next((each.starts[suffix] for each in languages().values() if suffix in each.starts), ())


def of_fence(word: str) -> Language | None:
    """Return the language with this name in markdown fences or file suffixes, None if there is none."""
    return next((each for each in languages().values() if word in each.fences), None)
