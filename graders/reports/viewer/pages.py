"""The pages of the viewer, by address.

    /                       the runs, the newest first
    /run/NAME               one run: its figures, plots and verdicts
    /run/NAME/KEY           one verdict with its evidence
    /verdicts               the verdicts of all runs
    /case?case=ID           a case over time
    /compare?before=&after= what changed between two runs
    /static/NAME            our style sheet, scripts and icon

Every request for a page first updates the index. The ETag of a page changes with the index and with the set of runs
that are being written. If the browser's copy is current, the answer is 304 and no page is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from gradebox.graders.documents.suggest import similar
from gradebox.graders.errors import RunRefused
from gradebox.graders.reports.viewer.addresses import FIELDS, ListAddress, number, run_path, to
from gradebox.graders.reports.viewer.charts import trend_chart
from gradebox.graders.reports.viewer.comparing import Comparisons
from gradebox.graders.reports.viewer.run_numbers import list_choices, run_overview
from gradebox.graders.reports.viewer.static_files import STATIC, render
from gradebox.graders.reports.viewer.verdict_page import verdict_values
from gradebox.graders.reports.viewer.viewer_server import Answer
from gradebox.graders.runs.history.run_lock import is_written
from gradebox.graders.runs.index.index_numbers import trend
from gradebox.graders.runs.index.index_queries import (
    RunRow,
    VerdictFilter,
    count,
    earlier_run,
    find_row,
    run_page,
    verdict_page,
)
from gradebox.graders.runs.index.indexed_run import IndexedRuns
from gradebox.graders.runs.index.run_index import RunIndex

_VERDICTS, _RUNS, _TREND, _OVERVIEWS = 100, 50, 200, 8
# How many of the newest runs are checked for a lock, to show whether they are still running.
_WATCHED = 20


class Viewer:
    """The pages about one index. Several threads may use it."""

    def __init__(self, index: RunIndex) -> None:
        self.index = index
        self.runs = IndexedRuns(index)
        self._comparisons = Comparisons(self.runs)
        self._overviews: dict[str, tuple[list[Any], dict[str, object]]] = {}
        self._pages: Mapping[str, Callable[[Mapping[str, str]], str]] = {
            "/": self._list_of_runs,
            "/verdicts": self._list_of_verdicts,
            "/case": self._case,
            "/compare": self._compare,
        }

    def answer(self, path: str, query: Mapping[str, str], tag: str) -> Answer:
        """Return the page at a path. Raises GraderError if there is none."""
        if path.startswith("/static/"):
            return STATIC.get(path.removeprefix("/static/")) or self._nowhere(path)
        self.index.refresh()
        now = f'"{self.index.generation}-{int(self.index.complete)}-{"".join(self._written())}"'
        if tag == now:
            return Answer(b"", status=HTTPStatus.NOT_MODIFIED, tag=now)
        parts = path.removeprefix("/run/").split("/")
        if path in self._pages:
            page = self._pages[path](query)
        elif path.startswith("/run/") and len(parts) == 1:
            page = self._run(parts[0], query)
        elif path.startswith("/run/") and len(parts) == 2:
            page = self._verdict(parts[0], parts[1], query)
        else:
            return self._nowhere(path)
        return Answer(page.encode("utf-8", "replace"), tag=now)

    def message(self, status: HTTPStatus, sentence: str, remedy: str = "") -> Answer:
        """Return a page with a message."""
        page = render("message.html.j2", status=status, sentence=sentence, remedy=remedy, current="")
        return Answer(page.encode("utf-8", "replace"), status=status)

    def welcome(self, path: str) -> Answer:
        """Return the page that forwards the browser to a path without the token."""
        there = quote(path) if path.startswith("/") and not path.startswith("//") else "/"
        return Answer(render("welcome.html.j2", there=there).encode(), enters=True)

    def _nowhere(self, path: str) -> Answer:
        return self.message(HTTPStatus.NOT_FOUND, f"There is no page {path[:200]}.", "The runs are on the first page.")

    def _written(self) -> list[str]:
        """Return "1" for each of the newest runs that is being written, "0" for the others."""
        rows = self.index.rows("SELECT name FROM runs ORDER BY started DESC LIMIT ?", (_WATCHED,))
        return ["1" if self._is_written(name) else "0" for (name,) in rows]

    def _is_written(self, run: str) -> bool:
        try:
            return is_written(self.runs.directory(run))
        except RunRefused:
            return False

    def _render(self, template: str, *, going_on: bool = False, **values: Any) -> str:
        database = self.index.database
        elsewhere = str(database.place or "memory") if database.why_elsewhere else ""
        going_on = going_on or not self.index.complete
        common = {"going_on": going_on, "complete": self.index.complete, "elsewhere": elsewhere}
        return render(template, **common, why_elsewhere=database.why_elsewhere, root=str(self.index.root), **values)

    def _list_of_runs(self, query: Mapping[str, str]) -> str:
        q = query.get("q", "")
        page = run_page(self.index, q, number(query, "after"), _RUNS)
        written = {row.run for row in page.rows if self._is_written(row.run)}
        older = {row.run: after.run for row, after in zip(page.rows, page.rows[1:], strict=False)}
        return self._render(
            "runs.html.j2",
            current="/",
            going_on=bool(written),
            rows=page.rows,
            written=written,
            older=older,
            chart=trend_chart(page.rows[::-1]),
            q=q,
            following=to("/", q=q, after=page.rows[-1].row) if page.has_after else "",
        )

    def _list_of_verdicts(self, query: Mapping[str, str]) -> str:
        address = ListAddress.read("/verdicts", query)
        options, columns = list_choices(self.index, "")
        listed = self._listed(address)
        return self._render(
            "verdicts.html.j2", current="/verdicts", choices=options, **columns, **listed, with_run=True
        )

    def _run(self, run: str, query: Mapping[str, str]) -> str:
        row = self._found(run)
        written = self._is_written(run)
        options, columns = list_choices(self.index, run)
        return self._render(
            "run.html.j2",
            current="",
            going_on=written,
            row=row,
            written=written,
            earlier=earlier_run(self.index, row.row),
            overview=self._overview(run),
            choices=options,
            **columns,
            **self._listed(ListAddress.read(run_path(run), query, run)),
        )

    def _overview(self, run: str) -> dict[str, object]:
        """Return the overview above the list of a run; it is cached until the run changes."""
        ((*read,),) = self.index.rows("SELECT results_offset, guard, record_stamp FROM runs WHERE name = ?", (run,))
        known = self._overviews.get(run)
        if known is None or known[0] != read:
            known = read, run_overview(self.index, run, self.runs.requested(run)[0])
            self._overviews = {**dict([*self._overviews.items()][-_OVERVIEWS:]), run: known}
        return known[1]

    def _listed(self, address: ListAddress) -> dict[str, Any]:
        """Return the variables of a list's template, for one page of the list."""
        page = verdict_page(
            self.index, address.wanted, address.sort, descending=address.descending, after=address.after,
            before=address.before, most=_VERDICTS,
        )  # fmt: skip
        return {
            "address": address,
            "verdicts": page.rows,
            "total": count(self.index, address.wanted),
            "href": lambda verdict: address.verdict(verdict.run, verdict.key),
            "previous": address.page(before=page.rows[0].row) if page.has_before and page.rows else "",
            "following": address.page(after=page.rows[-1].row) if page.has_after and page.rows else "",
            "fields": FIELDS,
        }

    def _verdict(self, run: str, key: str, query: Mapping[str, str]) -> str:
        self._found(run)
        return self._render("verdict.html.j2", current="", **verdict_values(self.runs, run, key, query))

    def _case(self, query: Mapping[str, str]) -> str:
        wanted = VerdictFilter(
            **{name: query.get(name, "") for name in ("case", "target", "submission", "tag", "category")}
        )
        rows = trend(self.index, wanted, _TREND)
        return self._render("case.html.j2", current="", wanted=wanted, rows=rows[::-1], chart=trend_chart(rows))

    def _compare(self, query: Mapping[str, str]) -> str:
        names = [row.run for row in run_page(self.index, most=_TREND).rows]
        after = query.get("after") or (names[0] if names else "")
        before = query.get("before") or (names[names.index(after) + 1] if after in names[:-1] else "")
        found = self._comparisons.values(before, after, query) if before and after else {}
        return self._render("compare.html.j2", current="/compare", names=names, before=before, after=after, **found)

    def _found(self, run: str) -> RunRow:
        row = find_row(self.index, run)
        if row is None:
            # The run may have begun just now.
            self.index.refresh(rested=False)
            row = find_row(self.index, run)
        if row is None:
            names = [one.run for one in run_page(self.index, most=_TREND).rows]
            likely = similar(run, names)
            raise RunRefused(f"There is no run {run}.", remedy=f"Did you mean {likely[0]}?" if likely else "")
        return row
