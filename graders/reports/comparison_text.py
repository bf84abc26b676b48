"""A comparison of two runs for people."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from graders.reports.comparison import Change, Comparison, Pair
from graders.reports.text import visible

_STYLES = {Change.GAINED: "green", Change.LOST: "red", Change.OTHER: "magenta", Change.SCORE: "yellow"}
_SHOWN = 200
_SHOWN_KEYS = 20


def comparison_lines(comparison: Comparison) -> Iterator[Text]:
    """Yield the lines that tell what changed."""
    yield Text(f"{visible(comparison.before)} -> {visible(comparison.after)}", "bold")
    if not comparison.by_submission:
        yield Text("  No submission is in both runs, so that verdicts are paired by case alone.", "dim")
    changed = [pair for pair in comparison.pairs if pair.change is not Change.SAME]
    for change in (Change.LOST, Change.GAINED, Change.OTHER, Change.SCORE):
        alike = [pair for pair in changed if pair.change is change]
        yield from map(_line, alike[:_SHOWN])
        if len(alike) > _SHOWN:
            yield Text(f"  {change:7}... and {len(alike) - _SHOWN} more, all in --json", "dim")
    for word, keys in (("before", comparison.only_before), ("after", comparison.only_after)):
        if keys:
            named = ", ".join(visible(" ".join(filter(None, key[:3]))) for key in keys[:_SHOWN_KEYS])
            yield Text(f"  only {word}: {named}{' and more' if len(keys) > _SHOWN_KEYS else ''}", "yellow")
    yield Text(
        f"  {len(comparison.pairs)} in both: {comparison.count(Change.GAINED)} gained, "
        f"{comparison.count(Change.LOST)} lost, {comparison.count(Change.OTHER)} changed otherwise, "
        f"{comparison.count(Change.SCORE)} only in score, {comparison.count(Change.SAME)} the same"
    )
    if comparison.pass_rate_before is not None and comparison.pass_rate_after is not None:
        yield Text(
            f"  pass rate {comparison.pass_rate_before:.1%} -> {comparison.pass_rate_after:.1%}"
            f"{_chance(comparison.p_passed, 'exact McNemar test')}"
        )
    if comparison.score_before is not None and comparison.score_after is not None:
        yield Text(
            f"  mean score {comparison.score_before:.3f} -> {comparison.score_after:.3f}"
            f"{_chance(comparison.p_score, 'paired permutation test')}"
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


def _chance(probability: float | None, test: str) -> str:
    return "" if probability is None else f" (p = {probability:.3g}, {test})"
