"""The filters of the command line select among the loaded cases. Reads and prints nothing."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from hashlib import sha256
from typing import Any, NamedTuple

from gradebox.graders.cases import Diagnostic, Loaded
from gradebox.graders.documents.id_filter import Matcher, id_matcher
from gradebox.graders.documents.suggest import closest
from gradebox.graders.errors import NothingSelected, UsageRefused
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.crossing import Isolation
from gradebox.graders.model.verdict import Status
from gradebox.sandbox.records import dataclass


@dataclass(frozen=True, slots=True)
class Selection:
    """The filters; without any, all cases are selected."""

    ids: tuple[str, ...] = ()  # Words, globs and expressions, one of which selects the id (`id_filter`).
    # The case must have one of these tags, and none of the excluded ones.
    tags: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    # Texts FIELD=GLOB, each of which a value of the case must match; a dot leads into a mapping.
    where: tuple[str, ...] = ()
    # Of the cases that these select: how many are drawn, by the seed and their ids alone, or how many are the first.
    sample: int | None = None
    limit: int | None = None
    seed: int = 0

    def admits(self, case: Case) -> bool:
        """Return whether a case may be selected, whatever its id is."""
        tags = set(case.tags)
        tagged = not self.tags or not tags.isdisjoint(self.tags)
        fitting = all(_fits(case, condition) for condition in self.where)
        return tagged and fitting and tags.isdisjoint(self.excluded)

    def id_rule(self, ids: Container[str]) -> Matcher:
        """Return what says whether the case of an id may be selected, of all `ids`; of a broken case, only that counts.

        Raises UsageRefused if an expression has a mistake.
        """
        rules = [id_matcher(words, ids) for words in self.ids]
        return lambda case_id: not rules or any(rule(case_id) for rule in rules)

    def thinned(self, ids: Iterable[str]) -> Container[str]:
        """Return which of the selected ids are left."""
        ids = list(dict.fromkeys(ids))
        if self.sample is not None:
            # Another case changes the fate of one other at most.
            drawn = sorted(ids, key=lambda one: sha256(f"{self.seed} {one}".encode("utf-8", "surrogatepass")).digest())
            ids = drawn[: self.sample]
        return frozenset(ids[: self.limit])

    def __str__(self) -> str:
        words = [f"-k {pattern}" for pattern in self.ids]
        words += [f"--tag {tag}" for tag in self.tags] + [f"--exclude-tag {tag}" for tag in self.excluded]
        words += [f"--where {condition}" for condition in self.where]
        words += [f"--{name} {number}" for name, number in (("sample", self.sample), ("limit", self.limit)) if number]
        return " ".join(words)


EVERYTHING = Selection()


def _fits(case: Case, condition: str) -> bool:
    field, _, glob = condition.partition("=")
    values = _values(case, field)
    return any(fnmatchcase(value if isinstance(value, str) else json.dumps(value), glob) for value in values)


def _values(case: Case, field: str) -> Sequence[Any]:
    """Return the values of a field of a case: each of a list, and nothing where there is no such field."""
    found: Any = {"category": case.category, **case.about}
    for name in field.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, list | tuple) else () if found in (None, "") else (found,)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The selected cases."""

    # Each once, in the order in which they were loaded; a case with several targets once for each of them.
    cases: tuple[Case, ...]
    errors: tuple[Diagnostic, ...] = ()  # Mistakes in cases that may be selected, and in the suites around them.
    # Ids of the cases that exist and are not selected, and of those that may be selected and cannot be graded.
    left_out: frozenset[str] = frozenset()
    broken: frozenset[str] = frozenset()
    idle: tuple[str, ...] = ()  # Filters that select nothing, a sentence each.


def choose(loaded: Iterable[Loaded], selection: Selection) -> Chosen:
    """Select cases.

    Raises NothingSelected if there are cases and none of them is selected, and UsageRefused if two cases have the same
    id, which would make their verdicts indistinguishable.
    """
    loaded = list(loaded)
    # A test that is given with several prompts is several cases at one place.
    found = {(case.place, case.id, case.target): case for one in loaded for case in one.cases}
    broken = {case.id for one in loaded for case in one.broken}
    admits_id = selection.id_rule({case.id for case in found.values()} | broken)
    cases = tuple(case for case in found.values() if selection.admits(case) and admits_id(case.id))
    left = selection.thinned(case.id for case in cases)
    cases = tuple(case for case in cases if case.id in left)
    idle = tuple(_idle(loaded, selection))
    if found and not cases:
        guess = next((unmatched.guess for unmatched in idle if unmatched.guess), "")
        what = "does not select the only case" if len(found) == 1 else f"selects none of {len(found)} cases"
        raise NothingSelected(f"{selection} {what}.", remedy=guess or "`grade list` shows ids and tags.")
    places: dict[str, Place] = {}
    for case in cases:
        first = places.setdefault(case.id, case.place)
        if first != case.place:
            raise UsageRefused(
                f"Two cases have the id {case.id}: {first} and {case.place}.", remedy="Grade them one after the other."
            )
    chosen = {case.id for case in cases}
    left_out = ({case.id for one in loaded for case in one.cases} | broken) - chosen
    return Chosen(
        cases,
        tuple(_errors(loaded, admits_id)),
        frozenset(left_out),
        frozenset(filter(admits_id, broken - chosen)),
        tuple(f"{unmatched.sentence} {unmatched.guess}".rstrip() for unmatched in idle),
    )


class _Unmatched(NamedTuple):
    sentence: str
    guess: str


def _idle(loaded: Iterable[Loaded], selection: Selection) -> Iterator[_Unmatched]:
    cases = [case for one in loaded for case in one.cases]
    broken = [case.id for one in loaded for case in one.broken]
    ids = {*(case.id for case in cases), *broken}
    for pattern in selection.ids:
        if not any(map(id_matcher(pattern, ids), ids)):
            yield _Unmatched(f"-k {pattern} matches no case.", _guess(pattern, ids))
    tags = {tag for case in cases for tag in case.tags}
    for option, names in (("--tag", selection.tags), ("--exclude-tag", selection.excluded)):
        # The tags of a broken case are not known.
        for tag in names if not broken else ():
            if tag not in tags:
                yield _Unmatched(f"{option} {tag} names a tag that no case has.", _guess(tag, tags))
    fields = {"category", *(name for case in cases for name in case.about)}
    for field in [condition.partition("=")[0] for condition in selection.where if not broken]:
        if not any(_values(case, field) for case in cases):
            yield _Unmatched(f"--where {field} names a field that no case has.", _guess(field, fields))


def _guess(name: str, known: Iterable[str]) -> str:
    likely = closest(name, known)
    return f"Did you mean `{likely}`?" if likely else ""


def _errors(loaded: Iterable[Loaded], admits_id: Matcher) -> Iterable[Diagnostic]:
    for one in loaded:
        others = [case for case in one.broken if not admits_id(case.id)]
        not_selected = {diagnostic for case in others for diagnostic in case.diagnostics}
        yield from (diagnostic for diagnostic in one.errors if diagnostic not in not_selected)


def as_requested(
    case: Case,
    *,
    time_factor: float = 1.0,
    isolation: str | None = None,
    strict_layout: bool = False,
    unreadable: str = "failed",
) -> Case:
    """Return a case as the options of a run have it graded.

    `isolation` is how it is judged in place of what it says, None for what it says; `unreadable` is the verdict of what
    is not a submission.
    """
    return replace(
        case,
        time_factor=time_factor,
        isolation=Isolation(isolation) if isolation else case.isolation,
        strict_layout=strict_layout,
        unreadable_is_error=unreadable == Status.ERROR,
    )
