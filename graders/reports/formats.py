"""The formats in which a run can be reported: each a function from a saved run to pieces of text.

A format is imported when it is asked for. None of them asks an engine, and all of them can be had any time later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import MappingProxyType

from graders.runs.reading import SavedRun

Format = Callable[[SavedRun], Iterator[str]]


def _lazily(module: str) -> Format:
    def report(run: SavedRun) -> Iterator[str]:
        pieces: Iterator[str] = import_module(f"graders.reports.{module}").report(run)
        return pieces

    return report


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "text": _lazily("run_text"),
        "json": _lazily("run_json"),
        "csv": _lazily("run_csv"),
        "markdown": _lazily("markdown"),
        "junit": _lazily("junit"),
        "html": _lazily("html"),
    }
)
