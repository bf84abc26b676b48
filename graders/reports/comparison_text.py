"""A comparison of two runs for people."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from graders.documents.printable import visible
from graders.grading.fingerprint import Key
from graders.reports.comparison import Change, Comparison, Pair
from graders.reports.permutation import SMALLEST

_STYLES = {Change.GAINED: "green", Change.LOST: "red", Change.OTHER: "magenta", Change.SCORE: "yellow"}
_SHOWN = 200
_SHOWN_KEYS = 20


def comparison_lines(comparison: Comparison) -> Iterator[Text]:
    """Yield the lines that tell what changed."""
    yield Text(f"{visible(comparison.before)} -> {visible(comparison.after)}", "bold")
    if not comparison.by_submission:
        yield Text("  No submission is in both runs, so that verdicts are paired by case alone.", "dim")
    yield from _changes(comparison)
    yield from _only_in_one(comparison)
    yield from _numbers(comparison)
    if comparison.regressed:
        yield Text(f"  {comparison.regressed} passed before and {_do(comparison.regressed)} not any more", "red")


def _changes(comparison: Comparison) -> Iterator[Text]:
    changed = [pair for pair in comparison.pairs if pair.change is not Change.SAME]
    for change in (Change.LOST, Change.GAINED, Change.OTHER, Change.SCORE):
        alike = [pair for pair in changed if pair.change is change]
        yield from map(_line, alike[:_SHOWN])
        if len(alike) > _SHOWN:
            yield Text(f"  {change:7}... and {len(alike) - _SHOWN} more, all in --json", "dim")


def _only_in_one(comparison: Comparison) -> Iterator[Text]:
    for key in comparison.missing[:_SHOWN]:
        yield Text.assemble(("  missing", "red"), f" {visible(_named(key))}: passed -> no verdict")
    if len(comparison.missing) > _SHOWN:
        yield Text(f"  missing ... and {len(comparison.missing) - _SHOWN} more, all in --json", "dim")
    missing = set(comparison.missing)
    others = [key for key in comparison.only_before if key not in missing]
    for word, keys in (("before", others), ("after", comparison.only_after)):
        if keys:
            named = ", ".join(visible(_named(key)) for key in keys[:_SHOWN_KEYS])
            yield Text(f"  only {word}: {named}{' and more' if len(keys) > _SHOWN_KEYS else ''}", "yellow")


def _numbers(comparison: Comparison) -> Iterator[Text]:
    if not comparison.pairs:
        yield Text("  No verdict is in both runs.", "yellow")
        return
    yield Text(
        f"  {len(comparison.pairs)} in both: {comparison.count(Change.GAINED)} gained, "
        f"{comparison.count(Change.LOST)} lost, {comparison.count(Change.OTHER)} changed otherwise, "
        f"{comparison.count(Change.SCORE)} only in score, {comparison.count(Change.SAME)} the same"
    )
    # Repeats of the same say nothing independently of each other.
    of = ", repeats taken together" if comparison.repeated else ""
    if comparison.pass_rate_before is not None and comparison.pass_rate_after is not None:
        yield Text(
            f"  pass rate {comparison.pass_rate_before:.1%} -> {comparison.pass_rate_after:.1%}"
            f"{_chance(comparison.p_passed, f'paired permutation test{of}' if of else 'exact McNemar test')}"
        )
    if comparison.score_before is not None and comparison.score_after is not None:
        yield Text(
            f"  mean score {comparison.score_before:.3f} -> {comparison.score_after:.3f}"
            f"{_chance(comparison.p_score, f'paired permutation test{of}')}"
        )


def _line(pair: Pair) -> Text:
    scores = " -> ".join("-" if score is None else f"{score:.3f}" for score in (pair.score_before, pair.score_after))
    name = " ".join(filter(None, (pair.case, pair.submission, pair.target)))
    repeat = f" repeat {pair.repeat}" if pair.repeat > 1 else ""
    verdicts = pair.after if pair.before == pair.after else f"{pair.before} -> {pair.after}"
    checks = f"  ({', '.join(map(visible, pair.checks))})" if pair.checks else ""
    return Text.assemble(
        (f"  {pair.change:7}", _STYLES.get(pair.change, "")), f"{visible(name)}{repeat}: {verdicts}, {scores}{checks}"
    )


def _named(key: Key) -> str:
    repeat = f" repeat {key.repeat}" if key.repeat > 1 else ""
    return " ".join(filter(None, (key.case, key.submission, key.target))) + repeat


def _do(count: int) -> str:
    return "does" if count == 1 else "do"


def _chance(probability: float | None, test: str) -> str:
    if probability is None:
        return ""
    said = f"p < {SMALLEST:g}" if probability == SMALLEST else f"p = {probability:.3g}"
    return f" ({said}, {test})"
