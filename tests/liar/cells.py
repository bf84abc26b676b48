"""What a lying peer has tried: a count for each request, subject and class of name, and for each kind of trouble.

A report says how often each cell was tried. `least` of a run shows that nothing of the grammar was left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product

from golden_boundary import TABLE
from lying_names import CLASSES, FOREIGN_REQUESTS

REQUESTS = (*TABLE["to_grader"], "foreign")
SUBJECTS = (
    "lent object", "lent function", "lent class", "container", "own", "never sent", "released", "data", "constant",
    "value", "zero", "no number",
)  # fmt: skip
NAMES = tuple(CLASSES)
ANSWERS = ("sound", "malformed", "exception", "echo", "heard", "object", "honest", "truth", "fitting")
TROUBLE = (
    "broken frame", "wrong number", "late answer", "second answer", "wrong changes", "wrong released", "wrong message",
    "closed", "outermost answer",
)  # fmt: skip
CELLS = (
    *product(REQUESTS, SUBJECTS, NAMES),
    *(("answer", kind) for kind in ANSWERS),
    *(("trouble", kind) for kind in TROUBLE),
)


class Cells:
    """Counts what was tried."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, ...]] = Counter()

    def request(self, what: str, subject: str, name: str) -> None:
        self.counts[what if what not in FOREIGN_REQUESTS else "foreign", subject, name] += 1

    def answer(self, kind: str) -> None:
        self.counts["answer", kind] += 1

    def trouble(self, kind: str) -> None:
        self.counts["trouble", kind] += 1

    @property
    def total(self) -> int:
        return self.counts.total()

    def least(self, cells: Iterable[tuple[str, ...]] = CELLS) -> tuple[int, tuple[str, ...]]:
        """Return the cell that was tried least, and how often."""
        return min((self.counts[cell], cell) for cell in cells)

    def report(self) -> Iterator[str]:
        """Yield lines that say how often each request and each subject were tried."""
        count, cell = self.least()
        yield f"{self.total} messages; each of {len(CELLS)} cells at least {count} times (fewest: {' '.join(cell)})"
        for kinds, at in ((REQUESTS, 0), (SUBJECTS, 1), (NAMES, 2)):
            parts: Counter[str] = Counter()
            for key, number in self.counts.items():
                if len(key) == 3:
                    parts[key[at]] += number
            yield "  " + ", ".join(f"{kind} {parts[kind]}" for kind in kinds)
        yield "  " + ", ".join(f"{' '.join(key)} {self.counts[key]}" for key in CELLS if len(key) == 2)
