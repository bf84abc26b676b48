"""Finds the first difference of an output from the expected one, and from that of another run. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gradebox.graders.checks.io.first_difference import differing
from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.graders.reports.html_report.article import ShownDifference
from gradebox.graders.runs.saved_evidence import Output, SavedStep

_SHOWN = 6
_TEXT_MAX = 2000


def from_expected(verdict: VerdictDocument) -> Iterator[ShownDifference]:
    """Yield the first difference from expected output in each check that reports both outputs."""
    for check in verdict.checks:
        for rows in check.details.values():
            first = next(filter(_differs, rows if isinstance(rows, list) else ()), None)
            if first is not None:
                name = next((str(first[key]) for key in ("test", "name") if first.get(key)), "")
                where = ", ".join(filter(None, (check.name, name, str(first.get("reason") or ""))))
                sides = [(side, str(first.get(side) or "")[:_TEXT_MAX]) for side in ("expected", "actual")]
                yield ShownDifference(where[:_TEXT_MAX], sides)


def _differs(row: object) -> bool:
    return isinstance(row, dict) and "expected" in row and row.get("expected") != row.get("actual")


def from_other_run(
    run: str, steps: Sequence[SavedStep], other_run: str, others: Iterable[SavedStep]
) -> Iterator[ShownDifference]:
    """Yield the first differences between the outputs of equally named commands in two gradings."""
    before = {(step.check, step.role, step.name): step for step in others}
    for step in steps:
        other = before.get((step.check, step.role, step.name))
        if other is None:
            continue
        for stream, now, then in (("stdout", step.stdout, other.stdout), ("stderr", step.stderr, other.stderr)):
            found = differing("line", _lines(then), _lines(now))
            if not found.accepted:
                sides = [(other_run, found.expected), (run, found.actual)]
                yield ShownDifference(f"{step.name}, {stream}, {found.reason}", sides)


def limited(found: Iterable[ShownDifference]) -> list[ShownDifference]:
    """Return as many differences as a page shows."""
    return [one for one, _ in zip(found, range(_SHOWN), strict=False)]


def _lines(output: Output) -> list[bytes]:
    """Return the lines in the first bytes of an output; bytes between these and the last ones are unknown."""
    return output.head.splitlines()
