"""The run directory: every verdict and its evidence, on disk as soon as it is known.

    runs/20260131-142501-3f9c2a/
        run.json                  the request, and the version of gradebox
        results.jsonl             a verdict a line, appended and flushed to disk when it is known
        lock                      held by the run that writes here
        evidence.tar.gz           the evidence of the verdicts, appended and flushed to disk before them; it holds:
            evidence/<case>/<submission>/[<target>/][repeat 2/]
                sandbox.json          the memory used, and its limit
                changes.diff          what the submission changes in the workspace
                answer.md             its answer, if it has one
                transcript.jsonl      the transcript of the answer, if it has one, in a form that `grade` reads
                judgments.jsonl       questions to judges and their replies, a question a line
                steps.jsonl           a command a line: ending, usage, hashes of its output
                001-check-login.stdout captured output, if there was any
                outcomes.json         what is needed to score the submission again
                not-kept.txt          why the submission is not kept, if it is not
            submissions/<hash>/   a submission as it was handed in; equal submissions share one (`kept.keeper`)

Names of cases and submissions are hostile: they are quoted before they become file names. Nothing here reads what a
candidate wrote. If several lines are about the same submission, the last one counts: a continued run only appends.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, NamedTuple, Self

from gradebox.graders.errors import RunLost, RunRefused
from gradebox.graders.model.result import Result
from gradebox.graders.model.tree import RUN_LOCK, RUN_RECORD, RUN_RESULTS
from gradebox.graders.runs.evidence_log import LOG, NO_WORK, Owner, Work, cut_torn, evidence_directory, packed, works_in
from gradebox.graders.runs.kept.evidence_files import NOT_KEPT, evidence_files

RECORD, RESULTS, LOCK = RUN_RECORD, RUN_RESULTS, RUN_LOCK
# The most bytes of a record, a line of the results, or outcomes: another machine may have written them.
MAX_BYTES = 512 * 1024 * 1024
# The name of a run directory begins with the time of its start, in UTC.
STAMP = "%Y%m%d-%H%M%S"
_BLOCK = 64 * 1024
# Errors of file systems without locks: NFS without its lock service, Lustre without `flock`, some FUSE file systems.
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL})


class Store:
    """One run directory, open for writing, and its lock file. Several threads may use it.

    `locked` is False on a file system without locks, where another run can write to the same directory.
    """

    def __init__(self, directory: Path, lock: BinaryIO, locked: bool = True) -> None:
        self.id = directory.name
        self.directory = directory
        self.locked = locked
        self._lock = lock
        self._writing = Lock()
        self._results = FileIO(directory / RESULTS, "a")
        self._evidence = FileIO(directory / LOG, "a")
        self._works = set(works_in(directory / LOG))

    @classmethod
    def create(cls, root: Path, request: Mapping[str, Any], *, name: str = "") -> Self:
        """Make a run directory below `root` that holds the record of the request; make `root` if it is missing.

        Raises RunRefused if the directory cannot be written, or a directory of this name exists and is not empty.
        """
        stamp = datetime.now(UTC).strftime(STAMP)
        directory = root / (name or f"{stamp}-{secrets.token_hex(3)}")
        try:
            directory.mkdir(parents=True, exist_ok=bool(name) and not any(directory.glob("*")))
            write_record(directory, request)
            store = cls(directory, *_locked(directory))
            _keep_names(directory)
            return store
        except OSError as error:
            raise RunRefused(
                f"The run directory {directory} cannot be written: {error.strerror}.",
                remedy="Name another with --runs.",
            ) from error

    @classmethod
    def reopen(cls, directory: Path) -> Self:
        """Open a run directory to continue its run, and cut off a partial line that a crash left in its results.

        Raises RunRefused if it is not a run directory, has links instead of files, cannot be written, or another run
        is writing there.
        """
        if not (directory / RECORD).is_file():
            raise RunRefused(f"{directory} is not a run directory: it has no {RECORD}.")
        try:
            # The id is the resolved name, even if the path is `runs/latest` or `.`.
            directory = directory.resolve()
            for path in (directory / name for name in (RESULTS, LOG, LOCK, f"{RECORD}.new")):
                # Writing through a link changes another file, and writing to a pipe waits for a reader.
                if path.is_symlink() or (path.exists() and not path.is_file()):
                    raise RunRefused(f"{path} is a link or not a regular file.", remedy="Continue a copy of the run.")
            lock, locked = _locked(directory)
            _cut_half_a_line(directory / RESULTS)
            cut_torn(directory / LOG)
            return cls(directory, lock, locked)
        except OSError as error:
            raise RunRefused(
                f"The run directory {directory} cannot be written: {error.strerror}.",
                remedy="Continue the run as a user who can write there, or continue a copy of it.",
            ) from error

    def has(self, work: str) -> bool:
        """Return whether the submission with this hash is kept."""
        return work in self._works

    def add(self, graded: Result, work: Work = NO_WORK) -> None:
        """Write a verdict, its evidence and its submission; when this returns, the verdict survives a crash.

        Raises RunLost if they cannot be written.
        """
        from gradebox.graders.model.verdict_document import as_json  # noqa: PLC0415 - after the engine has answered

        try:
            place = evidence_directory(graded.case, graded.submission, graded.target, graded.repeat)
            files = [*evidence_files(graded), *([(NOT_KEPT, work.why_not.encode())] if work.why_not else ())]
            kept = packed(Owner(place, graded.id), files, graded.started.timestamp())
            self.append(kept, as_json(graded, self.id).encode() + b"\n", work)
        except OSError as error:
            raise _lost(self.directory, error) from error

    def append(self, evidence: bytes, line: bytes, work: Work = NO_WORK) -> None:
        """Write a submission that is not kept yet and a piece of evidence to the log, then a line of results.

        Raises OSError if they cannot be written.
        """
        with self._writing:
            _append(self._evidence, evidence if work.hash in self._works else work.piece + evidence)
            if work.piece:
                self._works.add(work.hash)
            _append(self._results, line)

    def close(self) -> None:
        """Close the files and release the lock."""
        self._evidence.close()
        self._results.close()
        self._lock.close()


def _lost(directory: Path, error: OSError) -> RunLost:
    return RunLost(
        f"A verdict cannot be written to {directory}: {error.strerror}.",
        remedy=f"When there is room, continue with `grade --resume {directory}`.",
    )


def _append(file: FileIO, data: bytes) -> None:
    """Write all of the data and flush it to disk, or none of it."""
    if not data:
        return
    begin = os.fstat(file.fileno()).st_size
    try:
        left = memoryview(data)
        while left:
            left = left[file.write(left) or 0 :]
        os.fsync(file.fileno())
    except OSError:
        # A later piece, written when there is room again, must not follow half a piece.
        with suppress(OSError):
            file.truncate(begin)
        raise


def amend_record(directory: Path, more: Mapping[str, Any]) -> None:
    """Add to the record of a request, or replace a part of it. Raises RunLost if it cannot be written."""
    try:
        record = json.loads((directory / RECORD).read_bytes())
        record["asked"] |= more
        _replace_record(directory, record)
    except OSError as error:
        raise _lost(directory, error) from error


def write_record(directory: Path, request: Mapping[str, Any], version: str = "") -> None:
    """Write the record of a request, with the version of gradebox that made it (default: this one).

    Raises OSError if it cannot be written.
    """
    from importlib import metadata  # noqa: PLC0415 - after the engine has answered

    version, started = version or metadata.version("gradebox"), datetime.now(UTC).isoformat(timespec="seconds")
    _replace_record(directory, {"id": directory.name, "version": version, "started": started, "asked": dict(request)})


def _replace_record(directory: Path, record: Mapping[str, Any]) -> None:
    # The file gets its name only when it is complete: a run with a record can be continued.
    unfinished = directory / f"{RECORD}.new"
    with unfinished.open("w", encoding="utf-8") as stream:
        # `json.dump` writes in pieces: the record names every submission and may be large.
        json.dump(record, stream, indent=2, default=str)
        stream.write("\n")
        stream.flush()
        os.fsync(stream.fileno())
    unfinished.replace(directory / RECORD)


class _Lock(NamedTuple):
    file: BinaryIO
    held: bool


def _locked(directory: Path) -> _Lock:
    """Lock a directory until the lock file is closed or this process ends in any way, and return the file.

    On a file system without locks the lock is not held: a run without a lock is better than no run. Raises RunRefused
    if another process holds the lock, and OSError if the file cannot be made.
    """
    lock = (directory / LOCK).open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        lock.close()
        raise RunRefused(
            f"Another run is writing to {directory}.", remedy="Wait until it has ended, or stop it."
        ) from error
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            lock.close()
            raise
        return _Lock(lock, held=False)
    return _Lock(lock, held=True)


def _keep_names(directory: Path) -> None:
    """Flush the names in a new run directory, and its own name, to disk, so that they survive a power cut."""
    for place in (directory, directory.parent):
        # File systems that cannot flush directories keep names safe without it.
        with suppress(OSError):
            descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _cut_half_a_line(results: Path) -> None:
    if not results.exists():
        return
    with results.open("r+b") as stream:
        end = whole = stream.seek(0, os.SEEK_END)
        while whole:
            begin = max(0, whole - _BLOCK)
            stream.seek(begin)
            newline = stream.read(whole - begin).rfind(b"\n")
            whole = begin + newline + 1
            if newline >= 0:
                break
        if whole < end:
            stream.truncate(whole)
            os.fsync(stream.fileno())
