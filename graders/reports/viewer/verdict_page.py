"""The page of one verdict: the HTML report's article with longer outputs, differences, and verdicts of other runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gradebox.graders.errors import RunRefused
from gradebox.graders.reports.html_report.article import ShownDifference, article
from gradebox.graders.reports.html_report.rerun import CommandLines
from gradebox.graders.reports.viewer.addresses import ListAddress, run_path, to
from gradebox.graders.reports.viewer.charts import timeline
from gradebox.graders.reports.viewer.first_differences import from_expected, from_other_run, limited
from gradebox.graders.runs.index.index_queries import neighbours, same_elsewhere
from gradebox.graders.runs.index.indexed_run import IndexedRuns, IndexedVerdict
from gradebox.graders.runs.saved_evidence import steps_of

# The most characters of outputs and diff. This is more than in a report, since the page has one verdict.
_ROOM = 512 * 1024
_OUTPUT_BYTES = 64 * 1024
_RUNS = 20


def verdict_values(runs: IndexedRuns, run: str, key: str, query: Mapping[str, str]) -> dict[str, Any]:
    """Return the variables of a verdict's template. Raises RunRefused if there is no such verdict."""
    found = runs.opened(run, key)
    if found is None:
        raise RunRefused(
            f"There is no such verdict in {run}.", remedy="It may have been graded again: look in the list."
        )
    everywhere = query.get("within") == "all"
    address = ListAddress.read("/verdicts", query) if everywhere else ListAddress.read(run_path(run), query, run)
    before, after = neighbours(runs.index, address.wanted, address.sort, found.row.row, descending=address.descending)
    against = query.get("against", "")
    shown = article(found.run, found.verdict, CommandLines(found.run.directory, found.run.requested), _ROOM)
    differences = limited(_differences(runs, found, against))
    return {
        "run": run,
        "key": key,
        "address": address,
        "against": against,
        "article": shown._replace(timeline=timeline(shown.commands), differences=differences),
        "previous": before and address.verdict(before.run, before.key),
        "following": after and address.verdict(after.run, after.key),
        "elsewhere_same": [row for row in same_elsewhere(runs.index, key, _RUNS) if row.run != run],
        "case_address": to("/case", case=found.row.case),
        "this_address": lambda other: to(f"{run_path(run)}/{key}", **address.query, against=other),
        "version": found.run.other_version,
    }


def _differences(runs: IndexedRuns, found: IndexedVerdict, against: str) -> Iterator[ShownDifference]:
    other = runs.opened(against, found.row.key) if against else None
    if other is not None:
        steps, others = (steps_of(one.run, one.verdict, max_bytes=_OUTPUT_BYTES) for one in (found, other))
        yield from from_other_run(found.row.run, steps, against, others)
    yield from from_expected(found.verdict)
