"""Reads a run directory: the request, and the verdicts that count.

A directory may be read while its run goes on, and after a crash: a partial line at the end of the results was being
written, and is not a verdict yet. Any other line that is not a verdict is refused, since only gradebox writes there.

A verdict may be long, since it holds the report of a grader, and a run may have tens of thousands. The first few
megabytes stay in memory, which is enough for most runs; the other verdicts are read again when they are needed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple
from weakref import finalize

from pydantic import ValidationError

from gradebox.graders.documents.paths import open_regular
from gradebox.graders.documents.suggest import did_you_mean
from gradebox.graders.errors import RunRefused
from gradebox.graders.grading.fingerprint import Key, key_of
from gradebox.graders.model.evidence import Outcomes
from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.graders.runs import outcomes
from gradebox.graders.runs.evidence_log import Owner, SavedEvidence, evidence_directory
from gradebox.graders.runs.history.run_names import runs_below
from gradebox.graders.runs.kept.evidence_files import OUTCOMES
from gradebox.graders.runs.store import MAX_BYTES, RECORD, RESULTS
from gradebox.sandbox.records import dataclass

# Bytes of lines. The verdicts parsed from them take ten times as much memory.
_KEPT_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A run as found on disk."""

    directory: Path
    requested: dict[str, Any]  # The record of the request.
    # The verdicts that count, by key, in the order of the tasks and not in that of grading.
    verdicts: Mapping[Key, VerdictDocument]
    other_version: str = ""  # The version of gradebox that began the run; empty if it is this one.
    evidence: SavedEvidence = SavedEvidence(Path(os.devnull))  # The evidence of the verdicts.

    @property
    def id(self) -> str:
        """The run's id, which is the name of its directory."""
        return self.directory.resolve().name

    def outcomes(self, verdict: VerdictDocument) -> Outcomes | None:
        """Return the outcomes that decided a verdict, None if not kept. Raises RunRefused if they cannot be read."""
        try:
            found = self.evidence.read(owner_of(verdict), OUTCOMES, MAX_BYTES)
        except OSError as error:
            place = self.evidence.place(owner_of(verdict))
            raise RunRefused(f"The outcomes of {place} cannot be read: {error.strerror or error}.") from error
        return found if found is None else outcomes.decode(found)


def owner_of(verdict: VerdictDocument) -> Owner:
    """Return the owner under which a run keeps the evidence of a verdict."""
    return Owner(evidence_directory(verdict.case, verdict.submission, verdict.target, verdict.repeat), verdict.id)


def read_run(directory: Path, *, light: bool = False) -> SavedRun:
    """Read a run directory. With `light`, keep no verdict in memory, and no results file open.

    Raises RunRefused if it is not a run directory, or its files are damaged.
    """
    requested, other = requested_of(directory)
    writer = f"gradebox {other} started this run, and this is {metadata.version('gradebox')}." if other else ""
    verdicts = Verdicts(directory / RESULTS, writer, light=light)
    return SavedRun(directory, requested, verdicts, other, SavedEvidence(directory))


def requested_of(directory: Path) -> tuple[dict[str, Any], str]:
    """Return the request of a run, and the version of gradebox that began it, empty if it is this one.

    Raises RunRefused if the directory is not a run directory, or its record cannot be read.
    """
    try:
        with open_regular(directory / RECORD) as stream:
            record = json.loads(stream.read(MAX_BYTES))
        requested = dict(record["asked"])
    except (FileNotFoundError, NotADirectoryError) as error:
        raise RunRefused(
            f"{directory} is not a run directory: it has no {RECORD}.",
            remedy=_newest_in(directory) or did_you_mean(directory) or "`grade` prints the directory of each run.",
        ) from error
    except OSError as error:
        raise RunRefused(f"{directory / RECORD} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise RunRefused(f"{directory / RECORD} is not a record of a run: {error}.") from error
    version = str(record.get("version") or "of an unknown version")
    return requested, "" if version == metadata.version("gradebox") else version


def _newest_in(directory: Path) -> str:
    """Return a sentence that names the newest run in a directory of runs, empty if it has no runs."""
    runs = runs_below(directory)
    return f"The newest run in it is {runs[-1].directory}." if runs else ""


class _Line(NamedTuple):
    number: int
    offset: int
    length: int


class Verdicts(Mapping[Key, VerdictDocument]):
    """The verdicts that count, by key, in the order of the run. Several threads may read them.

    A partial line at the end was being written, and is not a verdict yet. Lines that are added later are not seen.

    `results` is the file; a missing one counts as empty. `writer` is a sentence for messages that says which version
    wrote it, or empty. With `light`, no verdict stays in memory, and each access opens the file.

    Raises:
        RunRefused: If a line is not a verdict, or the file cannot be read.
    """

    def __init__(self, results: Path, writer: str = "", *, light: bool = False) -> None:
        self._results = results
        self._writer = writer
        self._light = light
        self._kept: dict[Key, VerdictDocument] = {}
        self._descriptor: int | None = None
        found: dict[Key, _Line] = {}
        try:
            if not light:
                stream = open_regular(results)
                self._descriptor = stream.fileno()
                finalize(self, stream.close)
            found = dict(self._read())
        except FileNotFoundError:
            pass
        except OSError as error:
            raise RunRefused(f"{results} cannot be read: {error.strerror}.") from error
        self._lines = dict(sorted(found.items(), key=lambda item: (item[1].number, str(item[0].target), item[0])))

    def __getitem__(self, key: Key) -> VerdictDocument:
        line = self._lines[key]
        kept = self._kept.get(key)
        if kept is not None:
            return kept
        return self._parsed(self._line(line), 0)

    def __contains__(self, key: object) -> bool:
        # The inherited method would read the line.
        return key in self._lines

    def __iter__(self) -> Iterator[Key]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def _line(self, line: _Line) -> bytes:
        if self._descriptor is not None:
            return os.pread(self._descriptor, line.length, line.offset)
        try:
            with self._results.open("rb", buffering=0) as stream:
                return os.pread(stream.fileno(), line.length, line.offset)
        except OSError as error:
            raise RunRefused(f"{self._results} cannot be read: {error.strerror}.") from error

    def _read(self) -> Iterator[tuple[Key, _Line]]:
        offset = room = 0
        with open_regular(self._results) as stream:
            for number, data in enumerate(iter(lambda: stream.readline(MAX_BYTES), b""), 1):
                if not data.endswith(b"\n"):
                    if len(data) < MAX_BYTES:
                        return
                    raise RunRefused(f"{self._results}:{number} is not a verdict: it is longer than {MAX_BYTES} bytes.")
                verdict = self._parsed(data, number)
                key = key_of(verdict)
                # If several lines are about the same submission, the last one counts.
                self._kept.pop(key, None)
                if room < _KEPT_BYTES and not self._light:
                    self._kept[key] = verdict
                    room += len(data)
                yield key, _Line(verdict.number, offset, len(data))
                offset += len(data)

    def _parsed(self, data: bytes, number: int) -> VerdictDocument:
        try:
            return VerdictDocument.model_validate_json(data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the line"
            raise RunRefused(
                f"{self._results}:{number} is not a verdict: {where}: {first['msg']}.", remedy=self._writer
            ) from error
