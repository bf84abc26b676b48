"""The verdicts of a run as they lie on disk: all are read once, and only so many are kept in memory.

A verdict may be long, since what a grader said is in it, and a run may have tens of thousands. The first few megabytes
stay in memory, which is all of most runs; the others are read again when they are asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from weakref import finalize

from pydantic import ValidationError

from graders.errors import RunRefused
from graders.grading.fingerprint import Key, key_of
from graders.model.verdict_document import VerdictDocument

# Of lines; what they become in memory is ten times as much.
_KEPT_BYTES = 8 * 1024 * 1024


class _Line(NamedTuple):
    number: int
    offset: int
    length: int


class Verdicts(Mapping[Key, VerdictDocument]):
    """The verdicts that count, by key, in the order of the run. May be read from several threads.

    Half a line at the end is what was being written, and no verdict yet. Lines that are added later are not seen.

    Args:
        results: The file; none is one without lines.
        writer: Who wrote it, for complaints: empty, or a phrase.

    Raises:
        RunRefused: If a line is no verdict, or the file cannot be read.
    """

    def __init__(self, results: Path, writer: str = "") -> None:
        self._results = results
        self._writer = writer
        self._kept: dict[Key, VerdictDocument] = {}
        self._descriptor: int | None = None
        found: dict[Key, _Line] = {}
        try:
            self._descriptor = os.open(results, os.O_RDONLY | os.O_CLOEXEC)
            finalize(self, os.close, self._descriptor)
            found = dict(self._read())
        except FileNotFoundError:
            pass
        except OSError as error:
            raise RunRefused(f"{results} cannot be read: {error.strerror}.") from error
        self._lines = dict(sorted(found.items(), key=lambda item: (item[1].number, item[0])))

    def __getitem__(self, key: Key) -> VerdictDocument:
        line = self._lines[key]
        kept = self._kept.get(key)
        if kept is not None:
            return kept
        assert self._descriptor is not None
        return self._parsed(os.pread(self._descriptor, line.length, line.offset), 0)

    def __contains__(self, key: object) -> bool:
        # By itself it would read the line.
        return key in self._lines

    def __iter__(self) -> Iterator[Key]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def _read(self) -> Iterator[tuple[Key, _Line]]:
        offset = room = 0
        with self._results.open("rb") as stream:
            for number, data in enumerate(stream, 1):
                if not data.endswith(b"\n"):
                    return
                verdict = self._parsed(data, number)
                key = key_of(verdict)
                # Of several lines about the same, the last one counts.
                self._kept.pop(key, None)
                if room < _KEPT_BYTES:
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
                f"{self._results}:{number} is no verdict: {where}: {first['msg']}.", remedy=self._writer
            ) from error
