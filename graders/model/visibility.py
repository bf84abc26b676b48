"""What a candidate may see of a check, of a group of its tests and of each of its tests. Data only.

Everything is hidden unless it is named here, so that a test that nobody thought of stays hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum

from gradebox.sandbox.records import dataclass


class Visibility(StrEnum):
    """When a candidate may see something."""

    VISIBLE = "visible"
    AFTER = "after"  # Once `--after` says so, such as when a deadline is over.
    HIDDEN = "hidden"


class Shown(StrEnum):
    """What a candidate may see of a check or a test."""

    NAME = "name"
    VERDICT = "verdict"
    INPUT = "input"
    OUTPUT = "output"
    EXPECTED = "expected"
    MESSAGE = "message"


# Of a check that says nothing: its name and what it came to, and nothing of its tests.
DEFAULT_SHOWN = (Shown.NAME, Shown.VERDICT)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a candidate may see of one thing; by itself, nothing.

    Attributes:
        visibility: When.
        show: What of it.
        tests, groups: Of its tests and groups, by their names; those that are not named are hidden.
    """

    visibility: Visibility = Visibility.HIDDEN
    show: tuple[Shown, ...] = ()
    tests: Mapping[str, Seen] = field(default_factory=dict)
    groups: Mapping[str, Seen] = field(default_factory=dict)

    def fields(self, *, after: bool) -> frozenset[Shown]:
        """Return what may be seen of it now; `after` says that what is visible afterwards may be seen, too."""
        now = self.visibility is Visibility.VISIBLE or (after and self.visibility is Visibility.AFTER)
        return frozenset(self.show) if now else frozenset()

    def only(self, *fields: Shown) -> Seen:
        """Return the same with nothing but these fields, and without its parts."""
        return Seen(self.visibility, tuple(one for one in self.show if one in fields))

    def with_parts(self, *, tests: Mapping[str, Seen], groups: Mapping[str, Seen]) -> Seen:
        """Return the same with those of its tests and groups that are not hidden; a part of what is hidden is."""
        kept = ({name: one for name, one in parts.items() if one != HIDDEN} for parts in (tests, groups))
        return HIDDEN if self == HIDDEN else Seen(self.visibility, self.show, *kept)


HIDDEN = Seen()


def seen(
    visibility: Visibility | str | None, show: Sequence[str] | None, around: Seen | None = None, *, own: Seen = HIDDEN
) -> Seen:
    """Return what may be seen of something that says `visibility` and `show` itself.

    Args:
        visibility: When; None for what is `around` it.
        show: What; None for everything if it says when, otherwise for what is around it.
        around: Of what it is a part of, None for nothing; a part of what is hidden is hidden.
        own: What it is where neither says anything.
    """
    if visibility is None and show is None:
        return own if around is None else Seen(around.visibility, around.show)
    when = Visibility(visibility or (around.visibility if around else Visibility.VISIBLE))
    what = tuple(Shown) if show is None else tuple(map(Shown, show))
    return HIDDEN if when is Visibility.HIDDEN else Seen(when, what)
