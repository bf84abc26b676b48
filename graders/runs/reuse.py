"""Verdicts that still hold: those of the run that is continued, and those of earlier runs.

A verdict of the same run holds unless something that it depends on has changed, or it is requested again. A verdict
that was given without grading, since another case did not pass, is decided again with that case. A verdict of another
run holds only if everything that it depends on is the same (`fingerprint.content_key`), and never if it is an error.
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

# As `verdict_document.as_json` writes them, which is the only writer.
_FINAL = re.compile(rb'"content":"([0-9a-f]{64})","reused":"[^"]*","verdict":"(?:passed|failed)"')


class _Line(NamedTuple):
    results: Path
    offset: int
    length: int


@dataclass(slots=True)
class Reuse:
    """The verdicts that still hold before a grading starts. May be used from several threads."""

    saved: SavedRun | None = None  # The run that is continued, None for a new one.
    rerun: Collection[Status] = ()  # Verdicts of that run that are graded again.
    earlier: EarlierRuns | None = None  # Where to look up verdicts of earlier runs by content, None to look up none.
    # How many verdicts of the run do not count any more, since what they depend on has changed.
    changed: int = field(default=0, init=False)

    def __call__(self, key: Key, content: str | None) -> Result | None:
        """Return the verdict of a submission, None if it has to be graded.

        `content` is what it depends on, None while that is not known: what a target makes is known only afterwards.
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
        """Return the equal verdict of the continued run for one that was given without grading, otherwise that one."""
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
    # What a grading depends on is known before it starts, unless it fails there.
    return bool(verdict.content) or Status(verdict.verdict) is Status.ERROR


def _result_of(verdict: VerdictDocument) -> Result:
    from gradebox.graders.model.verdict_document import result_of  # noqa: PLC0415 - after the engine has answered

    return result_of(verdict)


def _document(line: bytes) -> VerdictDocument:
    from gradebox.graders.model.verdict_document import VerdictDocument  # noqa: PLC0415 - after the engine has answered

    return VerdictDocument.model_validate_json(line)


class EarlierRuns:
    """The verdicts of all runs below a directory that were made here, found by what they depend on."""

    def __init__(self, root: Path) -> None:
        self._lines: dict[str, _Line] = {}
        # The oldest first: of several verdicts of the same content, the newest is taken.
        for record in sorted(root.glob(f"*/{RECORD}")):
            if record.with_name(IMPORTED).exists():
                continue
            results = record.with_name(RESULTS)
            # Without it, or where it is not ours to read, there is nothing to take over.
            with suppress(OSError):
                self._index(results)

    def find(self, key: Key, content: str) -> Result | None:
        """Return the verdict of this content under another key; None if there is none."""
        line = self._lines.get(content)
        if line is None:
            return None
        try:
            with open_regular(line.results) as stream:
                stream.seek(line.offset)
                found = _document(stream.read(line.length))
        except (OSError, ValidationError):
            # It has been removed since, or another version wrote it.
            return None
        if found.content != content or Status(found.verdict) is Status.ERROR:
            # A line may hold such words elsewhere: what a grader reported is in it, too.
            return None
        return replace(
            _result_of(found),
            id=token_hex(8),
            case=key.case,
            target=key.target,
            submission=key.submission,
            repeat=key.repeat,
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
