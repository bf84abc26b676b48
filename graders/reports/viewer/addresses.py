"""The addresses of the viewer's pages: built from names that anybody may have written, and read back. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from gradebox.graders.runs.index.index_queries import SORTS, VerdictFilter
from gradebox.sandbox.records import dataclass

# In the order in which an address has them.
FIELDS = ("q", "status", "target", "category", "tag", "case", "submission")


def to(path: str, **query: object) -> str:
    """Return an address of this site, without what is empty."""
    given = {name: str(value) for name, value in query.items() if value not in ("", None, 0, False)}
    return quote(path) + (f"?{urlencode(given, errors='replace')}" if given else "")


def run_path(run: str) -> str:
    return f"/run/{run}"


@dataclass(frozen=True, slots=True)
class ListAddress:
    """A list of verdicts as an address has it: which ones, in which order, from where."""

    path: str
    wanted: VerdictFilter
    sort: str
    descending: bool
    after: int = 0
    before: int = 0

    @classmethod
    def read(cls, path: str, query: Mapping[str, str], run: str = "") -> ListAddress:
        """Read one; what makes no sense in it is as if it were not there."""
        wanted = VerdictFilter(run, **{name: query.get(name, "") for name in FIELDS})
        default = "#" if run else "started"
        sort = query.get("sort", "")
        sort = sort if sort in SORTS else default
        descending = query["order"] == "descending" if query.get("order") else sort == "started" and not run
        return cls(path, wanted, sort, descending, number(query, "after"), number(query, "before"))

    @property
    def query(self) -> dict[str, str]:
        """What selects and sorts, without where a page begins."""
        given = {name: getattr(self.wanted, name) for name in FIELDS}
        usual = ("#", False) if self.wanted.run else ("started", True)
        if (self.sort, self.descending) != usual:
            given |= {"sort": self.sort, "order": "descending" if self.descending else "ascending"}
        return {name: value for name, value in given.items() if value}

    def page(self, *, after: int = 0, before: int = 0) -> str:
        return to(self.path, **self.query, after=after, before=before)

    def sorted_by(self, column: str) -> str:
        """Return the address of the same sorted by a column, the other way round if it is sorted by it already."""
        descending = column == self.sort and not self.descending
        given = self.query | {"sort": column, "order": "descending" if descending else "ascending"}
        return to(self.path, **given)

    def without(self, field: str) -> str:
        return to(self.path, **{name: value for name, value in self.query.items() if name != field})

    def verdict(self, run: str, key: str) -> str:
        """Return the address of a verdict that knows this list."""
        return to(f"{run_path(run)}/{key}", **self.query, within="" if self.wanted.run else "all")


def number(query: Mapping[str, str], name: str) -> int:
    """Return a row of the index that an address names, 0 if it names none."""
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0
