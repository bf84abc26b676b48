"""Checks of the files that a candidate delivered: that they are there, what they hold, what was changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from graders.checks.base import CheckSpec
from graders.checks.judging import error, scored
from graders.documents import globs
from graders.model import scoring
from graders.model.case import Case
from graders.model.evidence import (
    Evidence,
    TextUnreadable,
    file_text,
)
from graders.model.plan import Stage
from graders.model.tree import Tree, differs
from graders.model.verdict import CheckResult
from sandbox.archive import Kind

if TYPE_CHECKING:
    from graders.grading.planner import Planner


@dataclass(frozen=True, slots=True, kw_only=True)
class FileExists(CheckSpec):
    """Every glob matches a file that was delivered; the score is the share of those that do.

    Attributes:
        paths: Globs, at least one.
    """

    type: ClassVar[str] = "file-exists"

    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileContains(CheckSpec):
    """One file that a glob matches holds all values; the score is the share of the globs of which that is true.

    Attributes:
        paths: Globs, at least one.
        value: Texts, at least one.
    """

    type: ClassVar[str] = "file-contains"

    paths: tuple[str, ...]
    value: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanges(CheckSpec):
    """What the submission changed, added or removed; the score is the share of the conditions that hold.

    Attributes:
        paths: Globs, each of which must match a changed file.
        only: Globs outside of which nothing may have changed; empty for no such condition.
        forbidden: Globs inside of which nothing may have changed.
        min_files, max_files: How many files must and may have changed, None for any number.
    """

    type: ClassVar[str] = "file-changes"

    paths: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    min_files: int | None = None
    max_files: int | None = None


class Condition(NamedTuple):
    """One thing that a check asks for: whether it holds, and what is said where it does not."""

    met: bool
    otherwise: str


def stages(_spec: CheckSpec, _case: Case, _planner: Planner) -> tuple[Stage, ...]:
    """Return nothing: no command is needed."""
    return ()


def judge(spec: FileExists | FileContains | FileChanges, case: Case, evidence: Evidence) -> CheckResult:
    """Look at the files."""
    conditions = list(_CONDITIONS[type(spec)](spec, evidence))
    score = scoring.mean(scoring.Weighed(float(condition.met), 1.0) for condition in conditions)
    if score is None:
        return error(spec, case, "it asks for nothing")
    missing = [condition.otherwise for condition in conditions if not condition.met]
    return scored(spec, case, score, "; ".join(missing[:5]))


def changed_files(before: Tree, after: Tree) -> list[str]:
    """Return the files and links that differ between two trees, in the order of their paths."""
    both = {*before.entries, *after.entries}
    return sorted(path for path in both if _differs(before, after, path))


def _differs(before: Tree, after: Tree, path: str) -> bool:
    one, other = before.entries.get(path), after.entries.get(path)
    if all(entry is None or entry.kind is Kind.DIRECTORY for entry in (one, other)):
        return False
    return differs(one, other)


def _exists(spec: FileExists, evidence: Evidence) -> Iterable[Condition]:
    for glob in spec.paths:
        yield Condition(bool(globs.matching(evidence.tree, glob)), f"there is no file {glob}")


def _contains(spec: FileContains, evidence: Evidence) -> Iterable[Condition]:
    for glob in spec.paths:
        paths = globs.matching(evidence.tree, glob)
        if not paths:
            yield Condition(False, f"there is no file {glob}")
            continue
        met = any(_holds(spec, evidence.tree, path) for path in paths)
        yield Condition(met, f"{glob} does not contain {', '.join(f'{value!r:.60}' for value in spec.value[:5])}")


def _holds(spec: FileContains, tree: Tree, path: str) -> bool:
    try:
        text = file_text(tree, path)
    except TextUnreadable:
        # A file that cannot be read helps nobody: where it must not hold something, it is taken to hold it.
        return spec.negate
    return all(value in text for value in spec.value)


def _changes(spec: FileChanges, evidence: Evidence) -> Iterable[Condition]:
    changed = changed_files(evidence.before, evidence.tree)
    for glob in spec.paths:
        yield Condition(any(globs.matches_path(path, [glob]) for path in changed), f"nothing changed in {glob}")
    if spec.only:
        outside = [path for path in changed if not globs.matches_path(path, spec.only)]
        yield Condition(not outside, f"changed although only {', '.join(spec.only)} may be: {_listed(outside)}")
    if spec.forbidden:
        inside = [path for path in changed if globs.matches_path(path, spec.forbidden)]
        yield Condition(not inside, f"changed although it must not be: {_listed(inside)}")
    if spec.min_files is not None:
        yield Condition(len(changed) >= spec.min_files, f"{len(changed)} files changed, {spec.min_files} at least must")
    if spec.max_files is not None:
        yield Condition(len(changed) <= spec.max_files, f"{len(changed)} files changed, {spec.max_files} at most may")


def _listed(paths: list[str]) -> str:
    return ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")


_CONDITIONS: Mapping[type[CheckSpec], Callable[[Any, Evidence], Iterable[Condition]]] = {
    FileExists: _exists,
    FileContains: _contains,
    FileChanges: _changes,
}
