"""Test runners: one folder each, with its command's recognition, its control files and its programs for the sandbox.

A test runner is a subpackage of this package, or an entry point of the group ``gradebox.runners``, with a `Runner`
named ``RUNNER``. `adapter` runs commands through it, `runner_report` judges its report.
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
"""The value of ``adapter`` that selects any known test runner if the command starts one."""
NONE = "none"
"""The value of ``adapter`` that runs the command unchanged."""


@cache
def runners() -> Mapping[str, Runner]:
    """Return all test runners by their names in cases."""
    from gradebox.graders.runners.runner import Runner  # noqa: PLC0415 - not before one is asked for

    loaded = (plugin.load() for plugin in plugins(__name__, GROUP).values())
    found = (getattr(each, "RUNNER", each) for each in loaded)
    return MappingProxyType({each.name: each for each in found if isinstance(each, Runner)})


def names() -> tuple[str, ...]:
    """Return the values that a case can use for ``adapter``."""
    return (AUTO, NONE, *runners())


@cache
def contents_inside() -> tuple[bytes, ...]:
    """Return the content of every file from which our programs inside a sandbox are made.

    The programs themselves are not made, since that takes longer than a grading.
    """
    files = {INSIDE.with_name("bundle.py"), *(file for language in languages().values() for file in language.runner)}
    files |= {file for runner in runners().values() for source in runner.sources for file in source.files}
    folders = {INSIDE, *filter(None, (language.folder("inside") for language in languages().values()))}
    folders |= {folder for file in files for folder in file.parents if folder.name == "inside"}
    files |= {file for folder in folders for file in folder.rglob("*") if file.suffix not in ("", ".pyc")}
    return tuple(file.read_bytes() for file in sorted(files))
