"""Builds the addresses of the viewer's pages from untrusted names, and parses them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from gradebox.graders.runs.index.index_queries import SORTS, VerdictFilter
from gradebox.sandbox.records import dataclass

# The fields of a filter, in their order in an address.
FIELDS = ("q", "status", "target", "category", "tag", "case", "submission")


def to(path: str, **query: object) -> str:
    """Return an address of this site, without empty values in its query."""
    given = {name: str(value) for name, value in query.items() if value not in ("", None, 0, False)}
    return quote(path) + (f"?{urlencode(given, errors='replace')}" if given else "")


def run_path(run: str) -> str:
    return f"/run/{run}"


@dataclass(frozen=True, slots=True)
class ListAddress:
    """The address of a page of a list of verdicts: its filter, its order, and where the page begins."""

    path: str
    wanted: VerdictFilter
    sort: str
    descending: bool
    after: int = 0
    before: int = 0

    @classmethod
    def read(cls, path: str, query: Mapping[str, str], run: str = "") -> ListAddress:
        """Parse an address; values that make no sense are ignored."""
        wanted = VerdictFilter(run, **{name: query.get(name, "") for name in FIELDS})
        default = "#" if run else "started"
        sort = query.get("sort", "")
        sort = sort if sort in SORTS else default
        descending = query["order"] == "descending" if query.get("order") else sort == "started" and not run
        return cls(path, wanted, sort, descending, number(query, "after"), number(query, "before"))

    @property
    def query(self) -> dict[str, str]:
        """The query for filter and order, without the beginning of the page."""
        given = {name: getattr(self.wanted, name) for name in FIELDS}
        usual = ("#", False) if self.wanted.run else ("started", True)
        if (self.sort, self.descending) != usual:
            given |= {"sort": self.sort, "order": "descending" if self.descending else "ascending"}
        return {name: value for name, value in given.items() if value}

    def page(self, *, after: int = 0, before: int = 0) -> str:
        return to(self.path, **self.query, after=after, before=before)

    def sorted_by(self, column: str) -> str:
        """Return the address of the list sorted by a column, in reverse if it is already sorted by that column."""
        descending = column == self.sort and not self.descending
        given = self.query | {"sort": column, "order": "descending" if descending else "ascending"}
        return to(self.path, **given)

    def without(self, field: str) -> str:
        return to(self.path, **{name: value for name, value in self.query.items() if name != field})

    def verdict(self, run: str, key: str) -> str:
        """Return the address of a verdict, with a query that leads back to this list."""
        return to(f"{run_path(run)}/{key}", **self.query, within="" if self.wanted.run else "all")


def number(query: Mapping[str, str], name: str) -> int:
    """Return the number under a name in a query, 0 if there is no valid one."""
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0
