"""The run directory: everything that a run found, on disk as soon as it is known.

    runs/20260131-142501-3f9c2a/
        run.json                  what was asked, by which version, on which engine
        results.jsonl             a verdict a line, appended and flushed to disk when it is known
        evidence/<case>/<submission>/
            steps.jsonl           a command a line: ending, usage, hashes of its output
            01-check-login.stdout output as it was captured, where there was any

Names of cases and submissions are hostile: they are quoted before they become file names. Nothing here reads what a
candidate wrote.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote

from graders.errors import RunRefused
from graders.result import Graded, as_json, step_document
from graders.verdict import StepRecord
from sandbox.types import Capture

RESULTS = "results.jsonl"
_NAME_MAX = 120


class Store:
    """One run directory, open for writing.

    Args:
        root: Where run directories are; made if it is missing.
        asked: What the run was asked to do, for the record.

    Raises:
        RunRefused: If the directory cannot be written.
    """

    def __init__(self, root: Path, asked: dict[str, Any]) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
        self.id = f"{stamp}-{secrets.token_hex(3)}"
        self.directory = root / self.id
        try:
            self.directory.mkdir(parents=True)
            record = {"id": self.id, "version": metadata.version("gradebox"), **asked}
            (self.directory / "run.json").write_text(json.dumps(record, indent=2, default=str) + "\n", "utf-8")
            self._results = (self.directory / RESULTS).open("a", encoding="utf-8")
        except OSError as error:
            raise RunRefused(
                f"The run directory {self.directory} cannot be written: {error.strerror}.",
                remedy="Name another with --runs.",
            ) from error

    def add(self, graded: Graded) -> None:
        """Write a verdict and its evidence; when this returns, the verdict survives a crash.

        Raises:
            RunRefused: If the disk does not take it.
        """
        try:
            self._evidence(graded)
            self._results.write(as_json(graded, self.id) + "\n")
            self._results.flush()
            os.fsync(self._results.fileno())
        except OSError as error:
            raise RunRefused(f"A verdict cannot be written to {self.directory}: {error.strerror}.") from error

    def close(self) -> None:
        """Close the results."""
        self._results.close()

    def _evidence(self, graded: Graded) -> None:
        directory = self.directory / "evidence" / file_name(graded.case) / file_name(graded.submission)
        if graded.target:
            directory /= file_name(graded.target)
        directory.mkdir(parents=True, exist_ok=True)
        with (directory / "steps.jsonl").open("w", encoding="utf-8") as stream:
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


def _steps(graded: Graded) -> Iterator[tuple[str | None, StepRecord]]:
    for step in graded.own_steps:
        yield None, step
    for check in graded.verdict.checks:
        for step in check.steps:
            yield check.name, step


def _keep(path: Path, capture: Capture) -> dict[str, Any]:
    if capture.total_bytes:
        path.write_bytes(capture.content())
    return {
        "bytes": capture.total_bytes,
        "sha256": capture.sha256,
        "omitted_bytes": capture.omitted_bytes,
        "file": path.name if capture.total_bytes else None,
    }


def file_name(text: str) -> str:
    """Return a name that is safe on any file system, and readable where the text allows it.

    It never holds a separator, never begins with a dot, and is at most 120 characters long. Different texts have
    different names: what had to be cut ends with a part of the text's hash.
    """
    raw = text.encode("utf-8", "surrogatepass")
    # Blanks become plus signs, and plus signs are quoted; a percent sign stands before two digits, unless we cut.
    quoted = quote(raw, safe=" (),=@#").replace(" ", "+")
    if quoted.startswith("."):
        quoted = "%2E" + quoted[1:]
    if len(quoted) > _NAME_MAX:
        digest = sha256(raw).hexdigest()[:16]
        quoted = f"{quoted[: _NAME_MAX - len(digest) - 2]}%-{digest}"
    return quoted or "%"
