"""The run directory: every verdict and its evidence, on disk as soon as it is known.

    runs/20260131-142501-3f9c2a/
        run.json                  the request, and the version of gradebox
        results.jsonl             a verdict a line, appended and flushed to disk when it is known
        lock                      held by the run that writes here
        evidence/<case>/<submission>/[<target>/][repeat 2/]
            steps.jsonl           a command a line: ending, usage, hashes of its output
            01-check-login.stdout output as it was captured, where there was any
            outcomes.json.gz      what is needed to score it again
            judgments.jsonl       what judges of words were asked and replied, a question a line
            changes.diff          what the submission changes of the workspace
            answer.md             its answer, if it has one
            transcript.jsonl      how the answer came about, if it says so: a transcript that `grade` reads
            sandbox.json          memory that was used, and its limit

Names of cases and submissions are hostile: they are quoted before they become file names. Nothing here reads what a
candidate wrote. Of several lines about the same submission the last one counts: a continued run adds lines and
changes none.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, NamedTuple, Self

from graders.documents.paths import file_name
from graders.errors import RunLost, RunRefused
from graders.model.result import Result
from graders.model.transcript import Transcript
from graders.model.verdict import StepRecord
from sandbox.types import Capture

RESULTS = "results.jsonl"
RECORD = "run.json"
OUTCOMES = "outcomes.json.gz"
CHANGES = "changes.diff"
JUDGMENTS = "judgments.jsonl"
ANSWER = "answer.md"
TRANSCRIPT = "transcript.jsonl"
SANDBOX = "sandbox.json"
STEPS = "steps.jsonl"
_LOCK = "lock"
_BLOCK = 64 * 1024
# File systems over a network may have none: NFS without its lock service, Lustre without `flock`, some of FUSE.
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL})


class Store:
    """One run directory, open for writing, and its lock file. May be used from several threads.

    It is not `locked` on a file system without locks, which keeps no other run out of it.
    """

    def __init__(self, directory: Path, lock: BinaryIO, locked: bool = True) -> None:
        self.id = directory.name
        self.directory = directory
        self.locked = locked
        self._lock = lock
        self._writing = Lock()
        self._results = (directory / RESULTS).open("ab")

    @classmethod
    def create(cls, root: Path, request: Mapping[str, Any]) -> Self:
        """Make a run directory below `root`, which is made if it is missing, with the record of the request.

        Raises:
            RunRefused: If the directory cannot be written.
        """
        from importlib import metadata  # noqa: PLC0415 - after the engine has answered

        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
        directory = root / f"{stamp}-{secrets.token_hex(3)}"
        try:
            directory.mkdir(parents=True)
            record = {"id": directory.name, "version": metadata.version("gradebox"), "asked": dict(request)}
            text = json.dumps(record, indent=2, default=str) + "\n"
            # It gets its name when it is complete: a run with a record can be continued.
            unfinished = directory / f"{RECORD}.new"
            with unfinished.open("w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            unfinished.replace(directory / RECORD)
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
        """Open a run directory to continue its run; half a line that a crash left at its end is cut off.

        Raises:
            RunRefused: If it is none, another run is writing there, or it cannot be written.
        """
        if not (directory / RECORD).is_file():
            raise RunRefused(f"{directory} is no run directory: it has no {RECORD}.")
        try:
            # Its resolved name is its id, also when it is called `runs/latest` or `.`.
            directory = directory.resolve()
            lock, locked = _locked(directory)
            _cut_half_a_line(directory / RESULTS)
            return cls(directory, lock, locked)
        except OSError as error:
            raise RunRefused(
                f"The run directory {directory} cannot be written: {error.strerror}.",
                remedy="Only who can write to it can go on with the run; a copy of it will do.",
            ) from error

    def add(self, graded: Result) -> None:
        """Write a verdict and its evidence; when this returns, the verdict survives a crash.

        Raises:
            RunLost: If the disk does not take it.
        """
        from graders.model.verdict_document import as_json  # noqa: PLC0415 - after the engine has answered

        try:
            self._evidence(graded)
            line = as_json(graded, self.id).encode() + b"\n"
            with self._writing:
                self._results.write(line)
                self._results.flush()
                os.fsync(self._results.fileno())
        except OSError as error:
            raise RunLost(
                f"A verdict cannot be written to {self.directory}: {error.strerror}.",
                remedy=f"When there is room, go on with `grade --resume {self.directory}`.",
            ) from error

    def close(self) -> None:
        """Close the results and let go of the directory."""
        # `add` has reported a full disk; closing tries once more.
        with suppress(OSError):
            self._results.close()
        self._lock.close()

    def _evidence(self, graded: Result) -> None:
        from graders.model.verdict_document import encodable, step_document  # noqa: PLC0415 - after the engine has answered

        directory = self.directory / evidence_directory(graded.case, graded.submission, graded.target, graded.repeat)
        directory.mkdir(parents=True, exist_ok=True)
        _clear(directory)
        with (directory / STEPS).open("w", encoding="utf-8") as stream:
            for number, (check, step) in enumerate(_steps(graded), 1):
                prefix = f"{number:03d}-{file_name(f'{step.role}-{step.name}')}"
                outcome = step.outcome
                line = {
                    "check": check,
                    **step_document(step).model_dump(),
                    "detail": outcome.detail,
                    "usage": asdict(outcome.usage),
                    "stdout": _keep(directory / f"{prefix}.stdout", outcome.stdout),
                    "stderr": _keep(directory / f"{prefix}.stderr", outcome.stderr),
                }
                stream.write(json.dumps(line) + "\n")
        if graded.changes:
            (directory / CHANGES).write_text(encodable(graded.changes), "utf-8")
        if graded.answer is not None:
            (directory / ANSWER).write_text(graded.answer, "utf-8", "replace", newline="")
        if graded.transcript is not None:
            _keep_transcript(directory / TRANSCRIPT, graded.transcript)
        used = {**asdict(graded.memory), "memory_limit_bytes": graded.memory_limit_bytes}
        (directory / SANDBOX).write_text(json.dumps(used) + "\n", "utf-8")
        if graded.outcomes is not None and graded.outcomes.judgments:
            lines = ({"key": key, **asdict(one)} for key, one in graded.outcomes.judgments.items())
            text = "".join(json.dumps(line) + "\n" for line in lines)
            (directory / JUDGMENTS).write_text(text, "utf-8")
        if graded.outcomes is not None:
            from graders.runs import outcomes  # noqa: PLC0415 - as above

            (directory / OUTCOMES).write_bytes(outcomes.encode(graded.outcomes))


def evidence_directory(case: str, submission: str, target: str | None, repeat: int) -> Path:
    """Return where the evidence of a verdict lies, relative to the run directory."""
    place = Path("evidence", file_name(case), file_name(submission))
    if target:
        place /= file_name(target)
    # A blank becomes a plus sign in names, so no target has this one.
    return place / f"repeat {repeat}" if repeat > 1 else place


class _Lock(NamedTuple):
    file: BinaryIO
    held: bool


def _locked(directory: Path) -> _Lock:
    """Return the lock file of a directory, held until it is closed or this process ends, however it ends.

    It is not held where the file system has no locks: a run there is better than none.

    Raises:
        RunRefused: If another process holds it.
        OSError: If it cannot be made.
    """
    lock = (directory / _LOCK).open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        lock.close()
        raise RunRefused(
            f"Another run is writing to {directory}.", remedy="Wait until it has ended, or end it."
        ) from error
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            lock.close()
            raise
        return _Lock(lock, held=False)
    return _Lock(lock, held=True)


def _keep_names(directory: Path) -> None:
    """Have the names in a new run directory, and its own, survive a power cut as what is in the files does."""
    for place in (directory, directory.parent):
        # Some file systems cannot do that, and then names are safe without.
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


def _clear(directory: Path) -> None:
    """Remove what an earlier grading left, so that it is not taken for evidence of this one."""
    for path in directory.iterdir():
        # Other targets and repeats have directories of their own in it.
        if path.is_symlink() or not path.is_dir():
            path.unlink()


def _steps(graded: Result) -> Iterator[tuple[str | None, StepRecord]]:
    for step in graded.own_steps:
        yield None, step
    for check in graded.verdict.checks:
        for step in check.steps:
            yield check.name, step


def _keep_transcript(path: Path, transcript: Transcript) -> None:
    from graders.submissions.transcript_json import transcript_lines  # noqa: PLC0415 - few submissions have one

    with path.open("w", encoding="ascii") as stream:
        stream.writelines(f"{json.dumps(line)}\n" for line in transcript_lines(transcript))


def _keep(path: Path, capture: Capture) -> dict[str, Any]:
    if capture.total_bytes:
        path.write_bytes(capture.content())
    return {
        "bytes": capture.total_bytes,
        "sha256": capture.sha256,
        "omitted_bytes": capture.omitted_bytes,
        "file": path.name if capture.total_bytes else None,
    }
