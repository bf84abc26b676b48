"""Selects among the loaded cases by the filters of the command line. Reads and prints nothing."""

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
    """The filters. Without any, all cases are selected."""

    ids: tuple[str, ...] = ()  # Words, globs and expressions; at least one must select the id (`id_filter`).
    # The case must have one of these tags, and none of the excluded ones.
    tags: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    # Conditions FIELD=GLOB, which the case must all match. A dot in FIELD leads into a mapping.
    where: tuple[str, ...] = ()
    # `sample` draws that many of the selected cases, by seed and id alone; `limit` then takes the first ones.
    sample: int | None = None
    limit: int | None = None
    seed: int = 0

    def admits(self, case: Case) -> bool:
        """Return whether the filters other than those of ids select a case."""
        tags = set(case.tags)
        tagged = not self.tags or not tags.isdisjoint(self.tags)
        fitting = all(_fits(case, condition) for condition in self.where)
        return tagged and fitting and tags.isdisjoint(self.excluded)

    def id_rule(self, ids: Container[str]) -> Matcher:
        """Return a function that says whether the filters select an id among all `ids`.

        For a broken case, only this filter counts. Raises UsageRefused if an expression has a mistake.
        """
        rules = [id_matcher(words, ids) for words in self.ids]
        return lambda case_id: not rules or any(rule(case_id) for rule in rules)

    def thinned(self, ids: Iterable[str]) -> Container[str]:
        """Return the selected ids that `sample` and `limit` leave."""
        ids = list(dict.fromkeys(ids))
        if self.sample is not None:
            # Drawing by hash, so that adding a case changes the selection of at most one other.
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
    """Return the values of a field of a case: all items of a list, and nothing if the field is missing."""
    found: Any = {"category": case.category, **case.about}
    for name in field.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, list | tuple) else () if found in (None, "") else (found,)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The selected cases."""

    # Without duplicates, in the order of loading; a case with several targets appears once for each.
    cases: tuple[Case, ...]
    errors: tuple[Diagnostic, ...] = ()  # Mistakes in cases that may be selected, and in their suites.
    # Ids of cases that exist but are not selected, and of cases that may be selected but cannot be graded.
    left_out: frozenset[str] = frozenset()
    broken: frozenset[str] = frozenset()
    idle: tuple[str, ...] = ()  # A sentence for each filter that selects nothing.


def choose(loaded: Iterable[Loaded], selection: Selection) -> Chosen:
    """Select cases.

    Raises NothingSelected if there are cases but none is selected, and UsageRefused if two cases have the same id,
    which would make their verdicts indistinguishable.
    """
    loaded = list(loaded)
    # A test with several prompts is several cases at one place.
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
        # The tags of a broken case are unknown.
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
    """Return a case with the options of a run applied.

    `isolation` replaces that of the case unless it is None; `unreadable` is the verdict on a file that is not a
    submission.
    """
    return replace(
        case,
        time_factor=time_factor,
        isolation=Isolation(isolation) if isolation else case.isolation,
        strict_layout=strict_layout,
        unreadable_is_error=unreadable == Status.ERROR,
    )
