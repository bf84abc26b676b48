"""Test runners: one folder each, with the recognition of its command, its control files and what runs inside.

A test runner is a package of this one, or an entry point of the group ``gradebox.runners``, that has a `Runner` called
``RUNNER``. `adapter` runs commands through it, `runner_report` judges what it reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from gradebox.graders.documents.plugins import plugins
from gradebox.graders.languages import languages
from gradebox.graders.languages.language import INSIDE

if TYPE_CHECKING:
    from gradebox.graders.runners.runner import Runner

GROUP = "gradebox.runners"
AUTO = "auto"
"""What a case writes as ``adapter``: any known test runner, if the command is one."""
NONE = "none"
"""The command is run as it is."""


@cache
def runners() -> Mapping[str, Runner]:
    """Return all test runners by the names that cases give them."""
    from gradebox.graders.runners.runner import Runner  # noqa: PLC0415 - not before one is asked for

    loaded = (plugin.load() for plugin in plugins(__name__, GROUP).values())
    found = (getattr(each, "RUNNER", each) for each in loaded)
    return MappingProxyType({each.name: each for each in found if isinstance(each, Runner)})


def names() -> tuple[str, ...]:
    """Return what a case can write as ``adapter``."""
    return (AUTO, NONE, *runners())


@cache
def sources_inside() -> tuple[str, ...]:
    """Return all source texts that we run inside a sandbox."""
    known = languages().values()
    places = (INSIDE, *filter(None, (language.folder("inside") for language in known)))
    files = (file for place in places for file in sorted(place.rglob("*")) if file.suffix and file.suffix != ".pyc")
    ours = (file.read_text("utf-8") for file in files)
    of_languages = (language.argv()[-1] for language in known)
    return (*ours, *of_languages, *(source.text() for runner in runners().values() for source in runner.sources))
