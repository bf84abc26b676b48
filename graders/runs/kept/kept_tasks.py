"""The gradings of a run to repeat: the submissions that it kept, with the current cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable
from pathlib import Path
from typing import NamedTuple

from gradebox.graders.documents.diagnostics import Findings
from gradebox.graders.grading.fingerprint import Key
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.submission import Submission
from gradebox.graders.runs.kept.kept_submission import kept_submission
from gradebox.graders.runs.saved_run import SavedRun, read_run

_MOST_NAMED = 10


class KeptTask(NamedTuple):
    """A grading of a run to repeat."""

    case: Case
    key: Key
    run: SavedRun

    def read(self) -> Submission:
        return kept_submission(self.run, self.run.verdicts[self.key], self.case)


class KeptTasks(NamedTuple):
    """The gradings of a run to repeat; `findings` report those that cannot be repeated."""

    listed: tuple[KeptTask, ...]
    findings: Findings


def kept_tasks(
    directory: Path, cases: Iterable[Case], left_out: Container[str] = (), only: Collection[str] = ()
) -> KeptTasks:
    """Return the gradings of a run whose cases exist, in the order of the run.

    `left_out` has ids of cases that are not selected. `only` has the statuses to grade again; empty for all. Raises
    RunRefused if the run cannot be read.
    """
    # Each verdict is read only when it is needed.
    run = read_run(directory, light=True)
    named = {(case.id, case.target): case for case in cases}
    found: list[KeptTask] = []
    gone: Counter[str] = Counter()
    for key in run.verdicts:
        case = named.get((key.case, key.target)) or named.get((key.case, None))
        if case is None:
            gone.update([key.case] if key.case not in left_out else ())
        elif not only or run.verdicts[key].verdict in only:
            found.append(KeptTask(case, key, run))
    findings = Findings()
    if gone:
        listed = ", ".join([*gone][:_MOST_NAMED]) + (", ..." if len(gone) > _MOST_NAMED else "")
        message = f"{gone.total()} of {len(run.verdicts)} verdicts are of no case that is named: {listed}"
        findings.error(Place(directory), message, hint="Name their cases with --case, or select the others with -k.")
    return KeptTasks(tuple(found), findings)
