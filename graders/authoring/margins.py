"""How far the reference stays below the limits of a case: another correct solution may need three times as much."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from gradebox.graders.authoring.quality_gradings import Level, QualityFinding
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import names_in
from gradebox.graders.model.result import Result
from gradebox.graders.model.time_limit import spent_seconds
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.records import dataclass

WIDE, MANY = 3.0, 1000


@dataclass(frozen=True, slots=True)
class Margin:
    """A limit, and the most that the reference used of it.

    Attributes:
        name: What is limited.
        used, allowed: In `unit`.
        check: The check whose command used most; empty for a limit of the whole sandbox.
        step: The command that used most; empty for a limit of the whole sandbox.
        remedy: What to write into the case.
    """

    name: str
    used: float
    allowed: float
    unit: str
    remedy: str
    check: str = ""
    step: str = ""

    @property
    def times(self) -> float:
        """The limit divided by the use."""
        return self.allowed / self.used if self.used else math.inf

    def __str__(self) -> str:
        return f"{self.name} {self.times:.3g}" if self.times < MANY else f"{self.name} more than {MANY:,}"


def margins(case: Case, results: Sequence[Result]) -> tuple[Margin, ...]:
    """Return the narrowest margin of each limit over some gradings of the reference."""
    found: dict[str, Margin] = {}
    for margin in (margin for result in results for margin in _of(case, result)):
        if margin.name not in found or margin.times < found[margin.name].times:
            found[margin.name] = margin
    return tuple(found.values())


def narrow(case: Case, results: Sequence[Result]) -> Iterator[QualityFinding]:
    """Yield a warning for each limit of which the reference uses more than a third; for time limits, one per check."""
    of_checks: dict[tuple[str, str], Margin] = {}
    for margin in (margin for result in results for margin in _of(case, result) if margin.times < WIDE):
        of_checks.setdefault((margin.name, margin.check), margin)
    for margin in of_checks.values():
        where = f" in {margin.step}" if margin.step else ""
        message = (
            f"The reference needs {margin.used:.3g} of {margin.allowed:g} {margin.unit}{where}: right solutions that "
            f"need more {margin.name} may fail."
        )
        yield QualityFinding(Level.WARNING, message, margin.remedy, "reference", margin.check)


def _of(case: Case, result: Result) -> Iterator[Margin]:
    for name, done in result.outcomes.done.items() if result.outcomes else ():
        for step, outcome in ((each.step, each.outcome) for each in done):
            check, printed = names_in(name)[0], max(outcome.stdout.total_bytes, outcome.stderr.total_bytes)
            seconds = spent_seconds(outcome.usage, case.limits.cpus)
            remedy = f"Write `timeout_seconds: {math.ceil(WIDE * seconds)}`, three times as much."
            yield Margin("time", seconds, step.limit_seconds, "s", remedy, check, step.name)
            remedy = "Let its commands print less."
            yield Margin("output", printed / MIB, case.output_bytes / MIB, "MiB", remedy, check, step.name)
    if peak := result.memory.memory_peak_bytes:
        remedy = f"Write `limits: {{memory: {math.ceil(WIDE * peak / MIB)}m}}`, three times as much."
        yield Margin("memory", peak / MIB, case.limits.memory_bytes / MIB, "MiB", remedy)
