"""Reuses verdicts that are still valid: those of the continued run, and those of earlier runs.

A verdict of the same run is valid unless something that it depends on has changed, or the user requests a new grading.
A verdict given without grading, because another case did not pass, is decided again with that case. A verdict of
another run is valid only if everything that it depends on is the same (`fingerprint.content_key`) and it is no error.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from gradebox.graders.documents.paths import open_regular
from gradebox.graders.grading.fingerprint import Key, key_of
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status
from gradebox.graders.runs.history.run_removal import IMPORTED
from gradebox.graders.runs.store import MAX_BYTES, RECORD, RESULTS
from gradebox.sandbox.records import dataclass

if TYPE_CHECKING:
    from gradebox.graders.model.verdict_document import VerdictDocument
    from gradebox.graders.runs.saved_run import SavedRun

# The format in which `verdict_document.as_json`, the only writer, writes these fields.
_FINAL = re.compile(rb'"content":"([0-9a-f]{64})","reused":"[^"]*","verdict":"(?:passed|failed)"')


class _Line(NamedTuple):
    results: Path
    offset: int
    length: int


@dataclass(slots=True)
class Reuse:
    """The verdicts that are valid before grading starts. Several threads may use it."""

    saved: SavedRun | None = None  # The continued run; None for a new run.
    rerun: Collection[Status] = ()  # The statuses of verdicts of that run to grade again.
    earlier: EarlierRuns | None = None  # Finds verdicts of earlier runs by content; None to reuse none.
    # How many verdicts of the run are no longer valid, because something that they depend on has changed.
    changed: int = field(default=0, init=False)

    def __call__(self, key: Key, content: str | None) -> Result | None:
        """Return the valid verdict of a submission, None if it must be graded.

        `content` identifies everything that the verdict depends on. It is None while a target has not yet made the
        submission.
        """
        found = self.saved.verdicts.get(key) if self.saved else None
        if found is not None and _was_graded(found) and Status(found.verdict) not in self.rerun:
            if content is None or found.content in (content, ""):
                return _result_of(found)
            self.changed += 1
        if self.earlier is not None and content is not None:
            return self.earlier.find(key, content)
        return None

    def as_before(self, withheld: Result) -> Result:
        """Return the continued run's equal verdict for one that was given without grading; else `withheld` itself."""
        found = self.saved.verdicts.get(key_of(withheld)) if self.saved else None
        if found is None or _was_graded(found):
            return withheld
        before = replace(_result_of(found), number=withheld.number)
        return before if before.verdict == withheld.verdict else withheld

    def has(self, graded: Result) -> bool:
        """Return whether the continued run has this verdict."""
        found = self.saved.verdicts.get(key_of(graded)) if self.saved else None
        return found is not None and found.id == graded.id


def _was_graded(verdict: VerdictDocument) -> bool:
    # A grading sets `content` before it starts; only one that fails earlier has none, and that is an error.
    return bool(verdict.content) or Status(verdict.verdict) is Status.ERROR


def _result_of(verdict: VerdictDocument) -> Result:
    from gradebox.graders.model.verdict_document import result_of  # noqa: PLC0415 - after the engine has answered

    return result_of(verdict)


def _document(line: bytes) -> VerdictDocument:
    from gradebox.graders.model.verdict_document import VerdictDocument  # noqa: PLC0415 - after the engine has answered

    return VerdictDocument.model_validate_json(line)


class EarlierRuns:
    """The verdicts of all runs below a directory, except imported runs, by their content key."""

    def __init__(self, root: Path) -> None:
        self._lines: dict[str, _Line] = {}
        # The oldest run first, so that the newest verdict with a content key replaces older ones.
        for record in sorted(root.glob(f"*/{RECORD}")):
            if record.with_name(IMPORTED).exists():
                continue
            results = record.with_name(RESULTS)
            # A missing or unreadable file has no verdicts to reuse.
            with suppress(OSError):
                self._index(results)

    def find(self, key: Key, content: str) -> Result | None:
        """Return a verdict with this content, renamed to `key`; None if there is none."""
        line = self._lines.get(content)
        if line is None:
            return None
        try:
            with open_regular(line.results) as stream:
                stream.seek(line.offset)
                found = _document(stream.read(line.length))
        except (OSError, ValidationError):
            # The file has been removed since, or another version wrote the line.
            return None
        if found.content != content or Status(found.verdict) is Status.ERROR:
            # The pattern may have matched another part of the line, such as the report of a grader.
            return None
        return replace(
            _result_of(found),
            id=token_hex(8),
            case=key.case,
            target=key.target,
            submission=key.submission,
            repeat=key.repeat,
            # Where an equal answer came from says nothing about this one.
            origin={},
            reused=found.reused or found.run,
        )

    def _index(self, results: Path) -> None:
        offset = 0
        with open_regular(results) as stream:
            for line in iter(lambda: stream.readline(MAX_BYTES), b""):
                final = _FINAL.search(line)
                if final and line.endswith(b"\n"):
                    self._lines[final[1].decode()] = _Line(results, offset, len(line))
                offset += len(line)
