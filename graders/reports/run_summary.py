"""The summary at the end of a run: results of each candidate, why verdicts are not `passed`, and what to do next.

It is collected verdict by verdict, so its memory depends on the number of groups and reasons, not of verdicts.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from heapq import nlargest
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from gradebox.graders.grading.fingerprint import Key, key_of
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status
from gradebox.graders.reports import wording
from gradebox.graders.reports.escaping import visible
from gradebox.graders.reports.terminal import Cell, Column, ConsoleLine, table
from gradebox.graders.runs.statistics import Rate
from gradebox.sandbox.records import dataclass

# The most reasons and rows: together they fill a screen.
_REASONS = 10
_ROWS = 20
# The most groups and reasons; the others are left out or counted together.
_MOST = 1000
_REASON_MAX = 200
_NAMED = 5
_OTHERS = "other reasons"


@dataclass(slots=True)
class CandidateTotals:
    """Totals of the verdicts of one candidate, or of one kind of case."""

    passed: int = 0
    failed: int = 0
    errors: int = 0
    scored: int = 0
    score: float = 0.0  # The sum of the scores.

    def add(self, result: Result) -> None:
        status, score = result.verdict.status, result.verdict.score
        self.passed += status is Status.PASSED
        self.failed += status is Status.FAILED
        self.errors += status not in {Status.PASSED, Status.FAILED}
        if score is not None:
            self.scored += 1
            self.score += score

    @property
    def count(self) -> int:
        return self.passed + self.failed + self.errors

    @property
    def mean_score(self) -> float | None:
        return self.score / self.scored if self.scored else None

    def rate(self, name: str) -> Rate:
        return Rate(name, self.passed, self.passed + self.failed, self.errors)


@dataclass(slots=True)
class Failures:
    """The verdicts that share a reason for not being `passed`."""

    reason: str
    error: bool
    first: Key
    count: int = 0
    worst: float = 1.0


class GroupTable(NamedTuple):
    """Groups by name; `title` says what they are, such as `model`."""

    title: str
    groups: dict[str, CandidateTotals]


@dataclass(slots=True)
class RunSummary:
    """The summary of verdicts, collected one by one."""

    durations: int = 0  # How many of the longest gradings to remember.
    whole: CandidateTotals = field(default_factory=CandidateTotals)
    _tables: dict[str, dict[str, CandidateTotals]] = field(default_factory=dict)
    _failures: dict[tuple[bool, str], Failures] = field(default_factory=dict)
    # How many verdicts passed by tests with answers that the reference did not give, and the first of them.
    _others: int = 0
    _first_others: list[Key] = field(default_factory=list)
    # Sorted by seconds; the number keeps gradings with equal seconds in order.
    _longest: list[tuple[float, int, Key]] = field(default_factory=list)

    def add(self, result: Result) -> None:
        self.whole.add(result)
        if self.durations:
            one = (result.wall_seconds, -self.whole.count, key_of(result))
            self._longest = nlargest(self.durations, [*self._longest, one])
        for title, names in (
            ("target", [result.target or ""]),
            ("model", [str(result.origin.get("model") or "")]),
            ("submission", [result.submission]),
            ("category", [result.category]),
            ("tag", result.tags),
        ):
            groups = self._tables.setdefault(title, {})
            for name in filter(None, names):
                if name in groups or len(groups) < _MOST:
                    groups.setdefault(name, CandidateTotals()).add(result)
        if result.verdict.status is not Status.PASSED:
            self._add_failure(result)
        elif result.verdict.other_answers:
            self._others += 1
            self._first_others = [*self._first_others, key_of(result)][:_NAMED]

    def _add_failure(self, result: Result) -> None:
        error = result.verdict.status is Status.ERROR
        key = (error, reason_of(result))
        if key not in self._failures and len(self._failures) >= _MOST:
            key = (error, _OTHERS)
        found = self._failures.setdefault(key, Failures(key[1], error, key_of(result)))
        found.count += 1
        score = result.verdict.score or 0.0
        if score < found.worst:
            found.worst, found.first = score, key_of(result)

    def tables(self) -> Iterator[GroupTable]:
        """Yield the tables that compare candidates and kinds of cases, or one table of all verdicts without any."""
        candidates = [self._table(title) for title in ("model", "target", "submission")]
        # If each submission has one verdict, a table would repeat the printed verdicts.
        found = [one for one in candidates if len(one.groups) > 1 and len(one.groups) < self.whole.count][:1]
        kinds = [self._table(title) for title in ("category", "tag")]
        found += [one for one in kinds if len(one.groups) > 1][:1]
        yield from found or [GroupTable("", {"all": self.whole})]

    def longest(self) -> list[tuple[float, Key]]:
        """Return the longest gradings, with their seconds."""
        return [(seconds, key) for seconds, _, key in self._longest]

    def _table(self, title: str) -> GroupTable:
        return GroupTable(title, self._tables.get(title, {}))

    def failures(self) -> list[Failures]:
        """Return the reasons, the worst first: errors, then the lowest score, then the most frequent."""
        return sorted(self._failures.values(), key=lambda one: (not one.error, one.worst, -one.count))

    def other_answers(self) -> str:
        """Return which verdicts passed by tests with answers that the reference did not give; empty for none."""
        named = [_named(key) for key in self._first_others]
        more = [f"{self._others - len(named)} more"] if self._others > len(named) else []
        return f"{self._others} of {self.whole.passed} passed: {', '.join(named + more)}" if named else ""

    @property
    def worst(self) -> Key | None:
        """Which verdict to look at first, None if all passed."""
        return next((one.first for one in self.failures()), None)


def reason_of(result: Result) -> str:
    """Return one line that says why a verdict is not `passed`: the first failed check's reason, or the verdict's."""
    verdict = result.verdict
    wanted = {Status.ERROR, Status.NOT_JUDGED} if verdict.status is Status.ERROR else {Status.FAILED}
    guilty = [check for check in verdict.checks if check.status in wanted and check.reason]
    first = next((check for check in guilty if check.name in verdict.missed), next(iter(guilty), None))
    said = verdict.reasons[0] if verdict.reasons else verdict.status.value
    if first is not None and not (verdict.tampering or first.reason.removeprefix("not run: ") == said):
        said = f"{first.name}: {first.reason}"
    said = said.partition("\n")[0]
    return said if len(said) <= _REASON_MAX else f"{said[:_REASON_MAX]}..."


def summary_lines(summary: RunSummary, console: Console) -> Iterator[Text | ConsoleLine]:
    """Yield the tables and the reasons for verdicts that did not pass, limited to a screen."""
    for title, groups in summary.tables() if summary.whole.count > 1 else ():
        yield Text()
        yield from _group_lines(title, groups, console)
    if longest := summary.longest():
        yield Text()
        yield Text("took longest", "bold")
        for seconds, key in longest:
            yield ConsoleLine(Text(f"{seconds:6.1f} s  {visible(_named(key))}"), cut=True)
    failures = summary.failures() if summary.whole.count > 1 else []
    if failures:
        yield Text()
        yield Text("not passed, the worst first", "bold")
    width = max((len(str(one.count)) for one in failures), default=0)
    for one in failures[:_REASONS]:
        line = Text(f"{one.count:>{width}}  ").append(visible(one.reason), "magenta" if one.error else "red")
        first = _named(one.first)
        yield ConsoleLine(line.append(f"  ({'first of them: ' if one.count > 1 else ''}{visible(first)})"), cut=True)
    if len(failures) > _REASONS:
        left = sum(one.count for one in failures[_REASONS:])
        others = wording.counted(len(failures) - _REASONS, "other reason")
        yield ConsoleLine(Text(f"and {left} for {others}", "dim"))
    if summary.whole.count > 1 and (others := summary.other_answers()):
        yield Text()
        yield Text("passed with answers that the reference did not give", "bold")
        yield ConsoleLine(Text(visible(others)))


def _named(key: Key) -> str:
    return " ".join(filter(None, (key.case, key.submission, key.target)))


def _group_lines(title: str, groups: dict[str, CandidateTotals], console: Console) -> Iterator[Text]:
    shown: Sequence[tuple[str, CandidateTotals]] = list(groups.items())
    if len(shown) > _ROWS:
        shown = sorted(shown, key=lambda item: (item[1].rate("").share, item[1].mean_score or 0.0))[:_ROWS]
    columns = [Column(title, most=40, least=10), Column("passed", right=True), Column("95 % interval", right=True)]
    columns += [Column("mean score", right=True)]
    rows = [_row(name, group) for name, group in shown]
    if any(group.errors for _, group in shown):
        columns.append(Column("errors", right=True))
        for row, (_, group) in zip(rows, shown, strict=True):
            row.append(Cell(str(group.errors or ""), "magenta"))
    yield from table(columns, rows, console)
    if len(groups) > _ROWS:
        yield Text(f"the lowest {_ROWS} of {len(groups)}; `grade report` lists all", "dim")


def _row(name: str, group: CandidateTotals) -> list[Cell]:
    rate = group.rate(name)
    low, high = rate.interval
    return [
        Cell(visible(name)),
        Cell(f"{rate.passed} of {rate.judged}"),
        Cell(f"{low:.0%} to {high:.0%}" if rate.judged else "-"),
        Cell(wording.score(group.mean_score)),
    ]


def next_commands(run: str, summary: RunSummary, *, report: bool) -> Iterator[str]:
    """Yield commands that can be pasted. `run` is a name that finds the run; `report`: suggest writing a report."""
    run = shlex.quote(run)
    if summary.whole.errors:
        yield f"grade --resume {run} --rerun error"
    if (worst := summary.worst) is not None and _pastes([worst.case, worst.submission]):
        yield f"grade show {run} {shlex.join([worst.case, '-s', worst.submission])}"
    if report:
        yield f"grade report {run} -f html -o report.html"


def _pastes(names: Iterable[str]) -> bool:
    """Return whether names can be pasted into a shell without changing their meaning."""
    return all(name.isprintable() and not name.startswith("-") for name in names)
