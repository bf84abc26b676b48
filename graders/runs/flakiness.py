"""Which checks came to different results for the same submission. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from graders.model.result import Result
from graders.model.verdict import Status


@dataclass(slots=True)
class _Seen:
    statuses: Counter[Status] = field(default_factory=Counter)
    scores: dict[str, set[tuple[Status, float | None]]] = field(default_factory=dict)


class Flakiness:
    """What repeats of the same grading came to, gathered verdict by verdict."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str | None, str], _Seen] = {}

    def add(self, graded: Result) -> None:
        """Take a verdict into account."""
        seen = self._seen.setdefault((graded.case, graded.target, graded.submission), _Seen())
        seen.statuses[graded.verdict.status] += 1
        for check in graded.verdict.checks:
            seen.scores.setdefault(check.name, set()).add((check.status, check.score))

    def sentences(self) -> Iterator[str]:
        """Yield a sentence for each submission whose repeats do not agree, with the checks that make the difference."""
        for (case, target, submission), seen in self._seen.items():
            differ = [name for name, scores in seen.scores.items() if len(scores) > 1]
            if not differ and len(seen.statuses) < 2:
                continue
            where = " ".join(filter(None, (case, submission, target)))
            counts = ", ".join(f"{count} {status}" for status, count in sorted(seen.statuses.items()))
            checks = f"; checks that differ: {', '.join(differ)}" if differ else ""
            yield f"flaky: {where}: {counts}{checks}"
