"""Reads new data of runs into the index. Each transaction reads a limited part of one run.

Sizes and times of a run's files show whether it has changed. If `results.jsonl` has grown, only the new lines are read.
A guard, a hash of the first and the last bytes that were read, shows whether it is still the same file. After any other
change, the whole run is read again. An incomplete last line is still being written, and is read later.

Several processes may do this at once: each transaction begins where, according to the index, the last one ended.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, TypeAlias

from pydantic import AwareDatetime, BaseModel, Field, ValidationError

from gradebox.graders.documents.paths import open_regular
from gradebox.graders.runs.evidence_log import LOG, members
from gradebox.graders.runs.history.run_list import what_was_asked
from gradebox.graders.runs.history.run_names import run_in
from gradebox.graders.runs.store import MAX_BYTES, RECORD, RESULTS

# Texts for lists and searches are cut to this many characters. The line in `results.jsonl` has all of them.
NAME_MAX, REASON_MAX = 400, 300
# Limits of one transaction, so that other processes wait only briefly.
_LINES, _BYTES, _PIECES = 1000, 16 * 1024 * 1024, 5000
_GUARDED = 4096
_Number = Field(ge=-1e9, le=1e9)


_Choice: TypeAlias = tuple[int, str, str]  # A run, a kind and a value.


class _Line(BaseModel):
    """The fields of a line of results that the index uses."""

    case: str
    target: str | None = None
    submission: str
    repeat: int = Field(default=1, ge=1, le=2**31)
    number: int = Field(default=0, ge=0, le=2**53)
    verdict: Literal["passed", "failed", "error", "not_judged"]
    score: float | None = _Number
    wall_seconds: float = _Number
    started: AwareDatetime
    category: str = ""
    tags: list[str] = []
    reasons: list[str] = []
    origin: dict[str, Any] = {}
    tampering: list[Any] = []
    reused: str = ""


class _Read(NamedTuple):
    """How far a file was read."""

    stamp: str
    offset: int
    lines: int
    guard: bytes


def key_digest(case: str, target: str | None, submission: str, repeat: int) -> bytes:
    """Return the key of a verdict in the index: 16 bytes."""
    return sha256(json.dumps([case, target, submission, repeat]).encode()).digest()[:16]


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Make all changes of the block to the database, or none if it raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def remove_missing(connection: sqlite3.Connection, names: Iterable[str]) -> bool:
    """Remove from the index the runs that are not among these names; return whether any were removed."""
    known = {name for (name,) in connection.execute("SELECT name FROM runs")}
    gone = known - set(names)
    for name in gone:
        with transaction(connection):
            for (run,) in connection.execute("SELECT id FROM runs WHERE name = ?", (name,)).fetchall():
                _forget(connection, run)
                connection.execute("DELETE FROM runs WHERE id = ?", (run,))
    return bool(gone)


def read_record(connection: sqlite3.Connection, directory: Path) -> bool:
    """Read the request of a run if it is new or has changed; return whether it was read."""
    stamp = _stamp(directory / RECORD)
    known = connection.execute("SELECT record_stamp FROM runs WHERE name = ?", (directory.name,)).fetchone()
    if not stamp or (known and known[0] == stamp):
        return False
    what, gradings, problem, found = "", None, "", run_in(directory)
    try:
        with open_regular(directory / RECORD) as stream:
            asked = dict(json.loads(stream.read(MAX_BYTES))["asked"])
        what, gradings = what_was_asked(asked)[:NAME_MAX], asked.get("tasks")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        problem = f"{RECORD} cannot be read: {error}"[:REASON_MAX]
    values = (
        found.started.timestamp() if found else 0.0,
        _text(what),
        gradings if isinstance(gradings, int) and 0 <= gradings < 2**53 else None,
        _text(problem),
        stamp,
    )
    with transaction(connection):
        connection.execute("INSERT OR IGNORE INTO runs (name) VALUES (?)", (directory.name,))
        connection.execute(
            "UPDATE runs SET started = ?, what = ?, gradings = ?, record_problem = ?, record_stamp = ? WHERE name = ?",
            (*values, directory.name),
        )
    return True


def read_results(connection: sqlite3.Connection, directory: Path) -> bool:
    """Read the next part of a run's verdicts; return whether there was anything to do."""
    stamp = _stamp(directory / RESULTS)
    run, read = _known(connection, directory.name, "results_stamp, results_offset, lines, guard")
    if run is None or read.stamp == stamp:
        return False
    if not stamp:
        with transaction(connection):
            _forget(connection, run)
            connection.execute(
                "UPDATE runs SET results_stamp = '', results_offset = 0, guard = x'' WHERE id = ?", (run,)
            )
        return True
    with open_regular(directory / RESULTS) as stream, transaction(connection):
        run, read = _known(connection, directory.name, "results_stamp, results_offset, lines, guard")
        if run is None or read.stamp == (stamp := _stamp_of(os.fstat(stream.fileno()))):
            return False
        if _is_other(read, stamp, stream):
            _forget(connection, run)
            read = _Read("", 0, 0, b"")
        stream.seek(read.offset)
        offset, lines, problem, ended = read.offset, read.lines, "", False
        rows, choices = [], set[_Choice]()
        for _ in range(_LINES):
            data = stream.readline(MAX_BYTES)
            if not data.endswith(b"\n") or offset - read.offset > _BYTES:
                ended = not data.endswith(b"\n")
                break
            try:
                row, values = _row(run, _Line.model_validate_json(data), lines + 1, offset, len(data))
            except ValidationError:
                problem, ended = f"{RESULTS}:{lines + 1} is not a verdict; the lines after it are not shown", True
                break
            rows.append(row)
            choices |= values
            offset, lines = offset + len(data), lines + 1
        connection.executemany(_INSERT, rows)
        connection.executemany("INSERT OR IGNORE INTO choices VALUES (?, ?, ?)", choices)
        # Until the end of the file is reached, the stamp differs from that of a finished file.
        stamp = stamp if ended else f"{stamp} unfinished"
        query = """UPDATE runs SET results_stamp = ?, results_offset = ?, lines = ?, guard = ?, results_problem = ?
            WHERE id = ?"""
        connection.execute(query, (stamp, offset, lines, _guard(stream, offset), problem, run))
    return True


def read_log(connection: sqlite3.Connection, directory: Path) -> bool:
    """Read the places of the next part of a run's evidence; return whether there was anything to do."""
    if not (stamp := _stamp(directory / LOG)):
        return False
    run, read = _known(connection, directory.name, "log_stamp, log_offset, 0, ''")
    if run is None or read.stamp == stamp:
        return False
    with open_regular(directory / LOG) as stream, transaction(connection):
        run, read = _known(connection, directory.name, "log_stamp, log_offset, 0, ''")
        if run is None or read.stamp == stamp:
            return False
        same = read.stamp.partition(":")[0] == stamp.partition(":")[0]
        offset, ended = read.offset if same and read.offset <= os.fstat(stream.fileno()).st_size else 0, True
        if not offset:
            connection.execute("DELETE FROM pieces WHERE run = ?", (run,))
        rows = []
        for piece in members(stream, offset):
            rows.append((run, sha256(piece.key).digest()[:16], piece.offset, piece.length))
            offset = piece.offset + piece.length
            if len(rows) == _PIECES:
                ended = False
                break
        connection.executemany("INSERT OR REPLACE INTO pieces VALUES (?, ?, ?, ?)", rows)
        stamp = stamp if ended else f"{stamp} unfinished"
        connection.execute("UPDATE runs SET log_stamp = ?, log_offset = ? WHERE id = ?", (stamp, offset, run))
    return True


READERS: tuple[Callable[[sqlite3.Connection, Path], bool], ...] = (read_record, read_results, read_log)


def forget_results(connection: sqlite3.Connection, name: str) -> bool:
    """Have the run read again from its beginning, because a verdict is not at the place that the index gives."""
    with transaction(connection):
        connection.execute("UPDATE runs SET results_stamp = '', guard = x'00', log_stamp = '' WHERE name = ?", (name,))
    return True


def _known(connection: sqlite3.Connection, name: str, columns: str) -> tuple[int | None, _Read]:
    row = connection.execute(f"SELECT id, {columns} FROM runs WHERE name = ?", (name,)).fetchone()  # noqa: S608 - ours
    return (row[0], _Read(*row[1:])) if row else (None, _Read("", 0, 0, b""))


def _forget(connection: sqlite3.Connection, run: int) -> None:
    connection.execute("DELETE FROM verdicts WHERE run = ?", (run,))
    connection.execute("DELETE FROM choices WHERE run = ?", (run,))
    connection.execute("DELETE FROM pieces WHERE run = ?", (run,))
    connection.execute("UPDATE runs SET log_stamp = '', log_offset = 0 WHERE id = ?", (run,))


def _is_other(read: _Read, stamp: str, stream: BinaryIO) -> bool:
    """Return whether a file is not the one that was read, or the part that was read has changed."""
    if not read.stamp:
        return bool(read.guard)
    (inode, size, _), (now, larger, _) = read.stamp.removesuffix(" unfinished").split(":"), stamp.split(":")
    if inode != now or int(larger) < read.offset or (size == larger and not read.stamp.endswith(" unfinished")):
        return True
    return read.guard != _guard(stream, read.offset)


def _guard(stream: BinaryIO, offset: int) -> bytes:
    first = os.pread(stream.fileno(), min(offset, _GUARDED), 0)
    last = os.pread(stream.fileno(), min(offset, _GUARDED), max(0, offset - _GUARDED))
    return sha256(first + last).digest()[:16]


def _row(run: int, line: _Line, number: int, offset: int, length: int) -> tuple[tuple[Any, ...], set[_Choice]]:
    """Return the row of a verdict, in the order of the columns, and the values by which it can be filtered."""
    reason = _text(line.reasons[0].partition("\n")[0], REASON_MAX) if line.reasons else ""
    tags = [_text(tag) for tag in line.tags[:50]]
    names = [_text(text) for text in (line.case, line.submission, line.target or "", line.category)]
    case, submission, target, category = names
    model = line.origin.get("model")
    searched = "\n".join([*names, *tags, reason]).lower()
    key = key_digest(line.case, line.target, line.submission, line.repeat)
    row = (
        run, key, line.number or number, line.verdict, case, submission, target, category, line.repeat,
        _text(model) if isinstance(model, str) else "", json.dumps(tags), reason, searched, line.score,
        line.wall_seconds, line.started.timestamp(), bool(line.tampering), bool(line.reused), offset, length,
    )  # fmt: skip
    kinds = {"status": line.verdict, "target": target, "category": category, "reason": "yes" if reason else ""}
    kinds["repeat"] = "yes" if line.repeat > 1 else ""
    return row, {(run, kind, value) for kind, value in kinds.items() if value} | {
        (run, "tag", tag) for tag in tags if tag
    }


def _text(text: str, most: int = NAME_MAX) -> str:
    return text[:most].encode("utf-8", "replace").decode()


_COLUMNS = (
    "run", "key", "number", "verdict", "name", "submission", "target", "category", "repeat", "model", "tags", "reason",
    "searched", "score", "seconds", "started", "tampered", "reused", "line_offset", "line_length",
)  # fmt: skip
_VALUES = ", ".join("?" * len(_COLUMNS))
# If several lines have the same key, the last one counts.
_CHANGES = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[2:])
_INSERT = (
    f"INSERT INTO verdicts ({', '.join(_COLUMNS)}) VALUES ({_VALUES}) "  # noqa: S608 - ours
    f"ON CONFLICT (key, run) DO UPDATE SET {_CHANGES}"
)


def _stamp(path: Path) -> str:
    """Return a text that changes whenever the file changes; empty if the file is missing or cannot be read."""
    try:
        return _stamp_of(path.stat())
    except OSError:
        return ""


def _stamp_of(found: os.stat_result) -> str:
    return f"{found.st_ino}:{found.st_size}:{found.st_mtime_ns}"
