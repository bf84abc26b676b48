"""Compares two runs like `grade compare`, and caches the result until one of them changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from gradebox.graders.errors import RunRefused
from gradebox.graders.reports.comparison import Comparison, Pair, Transition, compare
from gradebox.graders.reports.comparison_text import in_words
from gradebox.graders.reports.viewer.addresses import number, run_path, to
from gradebox.graders.runs.index.index_update import key_digest
from gradebox.graders.runs.index.indexed_run import IndexedRuns
from gradebox.graders.runs.saved_run import read_run
from gradebox.graders.runs.store import RESULTS

_KEPT, _PAIRS, _MISSING = 4, 100, 50
_ORDER = (Transition.LOST, Transition.GAINED, Transition.OTHER, Transition.SCORE)


class Comparisons:
    """The latest comparisons. Several threads may use it."""

    def __init__(self, runs: IndexedRuns) -> None:
        self._runs = runs
        self._kept: OrderedDict[tuple[Any, ...], Comparison] = OrderedDict()
        self._lock = Lock()

    def values(self, before: str, after: str, query: Mapping[str, str]) -> dict[str, Any]:
        """Return the variables of a comparison's template. Raises RunRefused if one of the runs cannot be read."""
        found = self._compared(before, after)
        wanted, case, begin = query.get("change", ""), query.get("case", ""), number(query, "from")
        changed = [pair for kind in _ORDER for pair in found.pairs if pair.change is kind]
        shown = [pair for pair in changed if wanted in ("", pair.change) and case in ("", pair.case)]
        address = {"before": before, "after": after, "change": wanted, "case": case}
        following, previous = begin + _PAIRS, max(0, begin - _PAIRS)
        return {
            "comparison": found,
            "words": in_words(found),
            "changes": [(kind, found.count(kind)) for kind in _ORDER],
            "change": wanted,
            "pairs": shown[begin:following],
            "shown": len(shown),
            "missing": found.missing[:_MISSING],
            "same": found.count(Transition.SAME),
            "pair_address": lambda pair: _address(pair, found),
            "change_address": lambda kind: to("/compare", **{**address, "change": kind}),
            "following": to("/compare", **address, **{"from": following}) if following < len(shown) else "",
            "previous": to("/compare", **address, **{"from": previous}) if begin else "",
            "page_of_pairs": bool(begin),
        }

    def _compared(self, before: str, after: str) -> Comparison:
        directories = [self._runs.directory(run) for run in (before, after)]
        key = (before, after, *map(_stamp, directories))
        # Only one comparison runs at a time, since each reads two runs.
        with self._lock:
            if key not in self._kept:
                self._kept[key] = compare(*map(read_run, directories))
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return self._kept[key]


def _stamp(directory: Path) -> tuple[int, int]:
    try:
        found = (directory / RESULTS).stat()
    except OSError as error:
        raise RunRefused(f"{directory.name} has no verdict yet.") from error
    return found.st_size, found.st_mtime_ns


def _address(pair: Pair, comparison: Comparison) -> str:
    """Return the address of the second run's verdict, with the first run's beside it if their names are equal."""
    key = key_digest(pair.case, pair.target, pair.submission, pair.repeat).hex()
    against = "" if comparison.without else comparison.before
    return to(f"{run_path(comparison.after)}/{key}", against=against)
