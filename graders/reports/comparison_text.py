"""A comparison of runs as text for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from gradebox.graders.reports import wording
from gradebox.graders.reports.comparison import Comparison, Pair, Transition
from gradebox.graders.reports.escaping import visible
from gradebox.graders.reports.terminal import Cell, Column, table

_STYLES = {Transition.GAINED: "green", Transition.LOST: "red", Transition.OTHER: "magenta", Transition.SCORE: "yellow"}
_SHOWN = 200
_SHOWN_KEYS = 20
# Shown if nothing that a verdict depends on differs: then chance or something outside of the run changed it.
_NOTHING = "nothing differs"
# Smaller probabilities are not shown: an estimate from random patterns cannot distinguish them.
_LEAST_P = 0.001
# The usual significance level: below it, chance alone is seldom the reason.
_SELDOM_P = 0.05


def comparison_lines(comparison: Comparison) -> Iterator[Text]:
    yield Text(f"{visible(comparison.before)} -> {visible(comparison.after)}", "bold")
    if comparison.without:
        yield Text(
            f"  The runs share no {' and no '.join(comparison.without)}, so verdicts are paired by what is left.", "dim"
        )
    yield from (Text(f"  {visible(sentence)}", "yellow") for sentence in comparison.machines)
    yield from _changes(comparison)
    yield from _only_in_one(comparison)
    yield from _numbers(comparison)
    yield from _why(comparison)
    if comparison.regressed:
        do = "does" if comparison.regressed == 1 else "do"
        yield Text(f"  {comparison.regressed} passed before and no longer {do}", "red")


def in_words(comparison: Comparison) -> str:
    """Return in words what a comparison shows, and whether chance alone may be the reason."""
    rates = comparison.pass_rate_before or 0.0, comparison.pass_rate_after or 0.0
    what, p = _direction(*rates, "passes more", "passes less"), comparison.p_passed
    if not what:
        scores = comparison.score_before or 0.0, comparison.score_after or 0.0
        what, p = _direction(*scores, "scores higher", "scores lower"), comparison.p_score
    if not what:
        return "passes and scores the same"
    if p is None or p >= _SELDOM_P:
        return f"{what}, but chance alone would often change as much"
    return f"{what}, and chance alone would seldom change as much"


def _direction(before: float, after: float, more: str, less: str) -> str:
    return more if after > before else less if after < before else ""


def overview_lines(comparisons: Sequence[Comparison], console: Console) -> Iterator[Text]:
    """Yield a table of several runs compared with one, and then each comparison."""
    columns = [Column("run", least=10), Column("pass rate", right=True), Column("mean score", right=True)]
    columns += [Column(word, right=True) for word in ("gained", "lost", "missing")]
    rows = [
        [
            Cell(visible(one.after)),
            Cell("-" if one.pass_rate_after is None else f"{one.pass_rate_after:.1%}"),
            Cell(wording.score(one.score_after)),
            *(Cell(str(one.count(change) or "")) for change in (Transition.GAINED, Transition.LOST)),
            Cell(str(len(one.missing) or ""), "red"),
        ]
        for one in comparisons
    ]
    yield Text(f"compared with {visible(comparisons[0].before)}", "bold")
    yield from table(columns, rows, console)
    for comparison in comparisons:
        yield Text()
        yield from comparison_lines(comparison)


def _changes(comparison: Comparison) -> Iterator[Text]:
    for change in (Transition.LOST, Transition.GAINED, Transition.OTHER, Transition.SCORE):
        alike = [pair for pair in comparison.pairs if pair.change is change]
        yield from map(_line, alike[:_SHOWN])
        if len(alike) > _SHOWN:
            yield Text(f"  {change:7}... and {len(alike) - _SHOWN} more, all in --json", "dim")


def _why(comparison: Comparison) -> Iterator[Text]:
    """Yield a line about the differences that may explain the changed verdicts."""
    changed = [pair for pair in comparison.pairs if pair.change is not Transition.SAME and pair.differs is not None]
    counts = Counter(what for pair in changed for what in pair.differs or ())
    parts = [f"{count} with another {what}" for what, count in counts.items()]
    if same := sum(not pair.differs for pair in changed):
        parts.append(f"{same} though {_NOTHING}")
    if parts:
        yield Text(f"  changed verdicts: {', '.join(parts)}")


def _only_in_one(comparison: Comparison) -> Iterator[Text]:
    for key in comparison.missing[:_SHOWN]:
        yield Text.assemble(("  missing", "red"), f" {visible(_name(*key))}: passed -> no verdict")
    if len(comparison.missing) > _SHOWN:
        yield Text(f"  missing ... and {len(comparison.missing) - _SHOWN} more, all in --json", "dim")
    missing = set(comparison.missing)
    others = [key for key in comparison.only_before if key not in missing]
    for word, keys in (("before", others), ("after", comparison.only_after)):
        if keys:
            names = ", ".join(visible(_name(*key)) for key in keys[:_SHOWN_KEYS])
            yield Text(f"  only {word}: {names}{' and more' if len(keys) > _SHOWN_KEYS else ''}", "yellow")


def _numbers(comparison: Comparison) -> Iterator[Text]:
    if not comparison.pairs:
        yield Text("  No verdict is in both runs.", "yellow")
        return
    count = comparison.count
    yield Text(
        f"  {len(comparison.pairs)} in both: {count(Transition.GAINED)} gained, {count(Transition.LOST)} lost, "
        f"{count(Transition.OTHER)} changed otherwise, {count(Transition.SCORE)} only in score, "
        f"{count(Transition.SAME)} the same"
    )
    # Repeats of the same grading, and samples of one model, are not independent of each other.
    permutation = f"paired permutation test{', repeats taken together' if comparison.repeated else ''}"
    test = permutation if comparison.repeated else "exact McNemar test"
    judged, scored = (_left_out(len(comparison.pairs) - number) for number in (comparison.judged, comparison.scored))
    if comparison.pass_rate_before is not None and comparison.pass_rate_after is not None:
        rates = f"{comparison.pass_rate_before:.1%} -> {comparison.pass_rate_after:.1%}"
        yield Text(f"  pass rate {rates}{judged}{_probability(comparison.p_passed, test)}")
    if comparison.score_before is not None and comparison.score_after is not None:
        scores = f"{wording.score(comparison.score_before)} -> {wording.score(comparison.score_after)}"
        yield Text(f"  mean score {scores}{scored}{_probability(comparison.p_score, permutation)}")
    if comparison.judged:
        yield Text(f"  of these, {visible(comparison.after)} {in_words(comparison)}", "bold")


def _line(pair: Pair) -> Text:
    scores = f"{wording.score(pair.score_before)} -> {wording.score(pair.score_after)}"
    name = _name(pair.case, pair.target, pair.submission, pair.repeat)
    verdicts = pair.after if pair.before == pair.after else f"{pair.before} -> {pair.after}"
    checks = f"  ({', '.join(map(visible, pair.checks))})" if pair.checks else ""
    change = Text(f"  {pair.change:7}", _STYLES[pair.change])
    why = "" if pair.differs is None else f"  [{', '.join(pair.differs) or _NOTHING}]"
    return Text.assemble(change, f"{visible(name)}: {verdicts}, {scores}{checks}", (why, "dim"))


def _name(case: str, target: str | None, submission: str, repeat: int) -> str:
    return " ".join(filter(None, (case, submission, target, f"repeat {repeat}" if repeat > 1 else "")))


def _left_out(count: int) -> str:
    return f", {wording.counted(count, 'pair')} left out" if count else ""


def _probability(p: float | None, test: str) -> str:
    if p is None:
        return ""
    shown = f"p < {_LEAST_P:g}" if p < _LEAST_P else f"p = {p:.3g}"
    return f" ({shown}, {test})"
