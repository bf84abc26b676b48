"""Groups of tests, each with points for all its tests together, as in contests and courses. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from pydantic import Field

from gradebox.graders.checks.base import Reading, Visible
from gradebox.graders.checks.io.program_tests import ProgramTest
from gradebox.graders.documents.diagnostics import shown
from gradebox.graders.documents.entries import optional
from gradebox.graders.documents.fields import Name, Texts, Weight
from gradebox.graders.model import scoring
from gradebox.graders.model.verdict import Seen, Shown

LISTED = 20
"""The most failed tests, and the most passed ones, whose input is kept."""


class Group(Visible):
    """Tests that are scored together."""

    name: Name = Field(description="The name that tests give as their `group`.")
    points: Weight = Field(default=1.0, description="The points for all of its tests.")
    tests: Texts = optional("Names of its tests, in place of their `group`.", default=())
    scoring: Literal["sum", "min", "all"] = optional(
        "`sum`: the weighted mean of its tests' scores. `min`: the lowest score of a test. `all`: 0 unless all "
        "tests pass.",
        default="sum",
    )
    on_fail: Literal["continue", "stop"] = optional(
        "Whether the tests after a failed one still run. Tests that do not run score 0.", default="continue"
    )


class Total(NamedTuple):
    """The score of all groups, from 0 to 1, and the points of each; without groups, there are no points."""

    score: float
    points: str = ""
    rows: tuple[dict[str, Any], ...] = ()


def with_groups(groups: Sequence[Group], tests: tuple[ProgramTest, ...], reading: Reading) -> tuple[ProgramTest, ...]:
    """Return tests with their groups, and report contradictions."""
    if not groups:
        return tests
    found = _placed(groups, tests, reading)
    known = {group.name for group in groups}
    for name in (test.name for test in found if test.group not in known):
        reading.error(("groups",), f"the test `{shown(name)}` is in none of the groups", "Name it in one of them.")
    for index, group in enumerate(groups):
        if not any(test.weight for test in found if test.group == group.name):
            reading.error(("groups", index), f"no test of `{shown(group.name)}` has a weight", "Give it tests.")
    if not any(group.points for group in groups):
        reading.error(("groups",), "the points of all groups are 0", "Give one of them points.")
    return found


def _placed(groups: Sequence[Group], tests: tuple[ProgramTest, ...], reading: Reading) -> tuple[ProgramTest, ...]:
    named: dict[str, str] = {}
    names = [group.name for group in groups]
    for index, group in enumerate(groups):
        at = ("groups", index)
        for name in group.tests:
            if all(test.name != name for test in tests):
                reading.error((*at, "tests"), f"no test is called `{shown(name)}`", "Correct the name.")
            elif named.setdefault(name, group.name) != group.name:
                reading.error((*at, "tests"), f"`{shown(name)}` is in two groups", "Leave it in one.")
        if names.count(group.name) > 1:
            reading.error((*at, "name"), f"two groups are called `{shown(group.name)}`", "Give each its own name.")
    return tuple(test.but(group=named.get(test.name, test.group)) for test in tests)


def combined(groups: Sequence[Group], tests: Sequence[ProgramTest], scores: Sequence[float]) -> Total:
    """Return the score of tests: the share of their groups' points or, without groups, of their weights."""
    weighed = [scoring.Weighed(score, test.weight) for test, score in zip(tests, scores, strict=True)]
    if not groups:
        return Total(scoring.mean(weighed) or 0.0)
    shares: list[scoring.Weighed] = []
    rows: list[dict[str, Any]] = []
    for group in groups:
        own = [part for test, part in zip(tests, weighed, strict=True) if test.group == group.name]
        share = scoring.combined(own, "mean" if group.scoring == "sum" else "min") or 0.0
        if group.scoring == "all":
            share = float(share >= 1.0)
        shares.append(scoring.Weighed(share, group.points))
        rows.append({"group": group.name, "points": round(share * group.points, 6), "of": group.points})
    got, most = sum(row["points"] for row in rows), sum(group.points for group in groups)
    return Total(scoring.mean(shares) or 0.0, f"{got:g} of {most:g} points", tuple(rows))


def seen_parts(
    groups: Sequence[Group], tests: Sequence[ProgramTest], around: Seen | None, *, talks: bool
) -> tuple[dict[str, Seen], dict[str, Seen]]:
    """Return what a candidate may see of each test and of each group.

    A test's own setting counts first, then its group's, then its check's. `talks` states that a program of the case
    talks with the candidate's program, so the output contains text of both.
    """
    of_groups = {group.name: group.seen(around) for group in groups}
    inside = {group.name: of_groups[group.name] for group in groups if group.visibility}
    found = {test.name: test.seen(inside.get(test.group, around)) for test in tests}
    shown = (Shown.NAME, Shown.VERDICT, Shown.INPUT)
    return {name: one.only(*shown) for name, one in found.items()} if talks else found, of_groups


def listed_tests(scores: Mapping[str, float], seen: Mapping[str, Seen]) -> list[str]:
    """Return the tests whose input is kept with a verdict: failed tests, and passed tests that candidates may see.

    There are at most LISTED of each kind. Among failed tests, those that candidates may see come first.
    """
    failed = sorted((name for name, score in scores.items() if score < 1), key=lambda name: name not in seen)
    return failed[:LISTED] + [name for name, score in scores.items() if score == 1 and name in seen][:LISTED]
