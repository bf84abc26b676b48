"""Runs in a directory and the index of them, without an engine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from fabricated import ASKED, write

from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict_document import as_json
from gradebox.graders.runs.index.index_queries import VerdictFilter, VerdictRow, verdict_page
from gradebox.graders.runs.index.run_index import RunIndex


def named_run(root: Path, name: str, verdicts: Iterable[Result], **asked: object) -> Path:
    """Write a run of a name of our choice, and return its directory."""
    # That what was never graded survives a crash is not worth waiting for.
    with patch("os.fsync"):
        directory = write(root, verdicts, {**ASKED, **asked}).directory
    return directory.rename(root / name)


def append(directory: Path, *verdicts: Result, torn: bytes = b"") -> None:
    """Append verdicts to the results of a run, and half a line."""
    with (directory / "results.jsonl").open("ab") as stream:
        for verdict in verdicts:
            stream.write(as_json(verdict).encode() + b"\n")
        stream.write(torn)


def updated(root: Path) -> RunIndex:
    index = RunIndex(root)
    index.update()
    return index


def listed(index: RunIndex, run: str = "") -> list[VerdictRow]:
    """Return all verdicts that the index has, in the order of a run, or of their start."""
    return verdict_page(index, VerdictFilter(run), "#", most=100_000).rows


def names(index: RunIndex, run: str = "") -> list[str]:
    return [row.case for row in listed(index, run)]


def numbered(verdicts: Iterable[Result], first: int = 1) -> list[Result]:
    return [replace(one, number=number) for number, one in enumerate(verdicts, first)]
