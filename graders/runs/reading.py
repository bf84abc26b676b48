"""Reads a run directory: what was asked, and the verdicts that count.

A directory may be read while its run goes on, and after a crash: half a line at the end of the results is what was
being written, and no verdict yet. Anything else that is not a verdict is refused, since nothing else writes there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from graders.documents.suggest import did_you_mean
from graders.errors import RunRefused
from graders.grading import outcomes
from graders.grading.fingerprint import Key
from graders.model.evidence import Outcomes
from graders.model.verdict_document import (
    VerdictDocument,
)
from graders.runs.lines import Verdicts
from graders.runs.store import (
    OUTCOMES,
    RECORD,
    RESULTS,
    evidence_directory,
)


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A run as it was found on disk.

    Attributes:
        directory: Where.
        asked: What it was asked to do.
        verdicts: Those that count, by key, in the order of the run, whatever was graded first.
        other_version: Of the gradebox that began it, where it is not this one.
    """

    directory: Path
    asked: dict[str, Any]
    verdicts: Mapping[Key, VerdictDocument]
    other_version: str = ""

    @property
    def id(self) -> str:
        """The name of its directory, which is the run's id."""
        return self.directory.resolve().name

    def evidence(self, verdict: VerdictDocument) -> Path:
        """Return where the evidence of a verdict lies."""
        return self.directory / evidence_directory(verdict.case, verdict.submission, verdict.target, verdict.repeat)

    def outcomes(self, verdict: VerdictDocument) -> Outcomes | None:
        """Return what a verdict was decided by, None if that was not kept.

        Raises:
            RunRefused: If it cannot be read.
        """
        try:
            return outcomes.decode((self.evidence(verdict) / OUTCOMES).read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise RunRefused(f"The outcomes in {self.evidence(verdict)} cannot be read: {error.strerror}.") from error


def read_run(directory: Path) -> SavedRun:
    """Read a run directory.

    Raises:
        RunRefused: If it is none, or holds what no run writes.
    """
    try:
        record = json.loads((directory / RECORD).read_text("utf-8"))
        asked = dict(record["asked"])
    except (FileNotFoundError, NotADirectoryError) as error:
        raise RunRefused(
            f"{directory} is no run directory: it has no {RECORD}.",
            remedy=_newest_in(directory) or did_you_mean(directory) or "`grade` prints the directory of each run.",
        ) from error
    except OSError as error:
        raise RunRefused(f"{directory / RECORD} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise RunRefused(f"{directory / RECORD} is no record of a run: {error}.") from error
    version, ours = str(record.get("version") or "of an unknown version"), metadata.version("gradebox")
    other = "" if version == ours else version
    writer = f"The run was begun by gradebox {other}, and this is {ours}." if other else ""
    return SavedRun(directory, asked, Verdicts(directory / RESULTS, writer), other)


def _newest_in(directory: Path) -> str:
    """Name a run in a directory of runs, empty if it is none; names begin with the time."""
    runs = sorted(record.parent for record in directory.glob(f"*/{RECORD}"))
    return f"The newest run in it is {runs[-1]}." if runs else ""
