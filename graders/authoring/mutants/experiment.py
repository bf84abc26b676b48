"""An experiment on one case: which mutants of its reference are graded, and the result of each.

Checks that ask a language model are left out, and tests in the reference are not mutated.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gradebox.graders.authoring.mutants.marks import Mark, idle_marks, read_marks
from gradebox.graders.authoring.mutants.mutation import Mutant, is_known, mutants_of
from gradebox.graders.authoring.mutants.sampling import sample
from gradebox.graders.authoring.quality_gradings import Level, QualityFinding
from gradebox.graders.checks.evaluation import asks_judge
from gradebox.graders.errors import GraderError, UsageRefused
from gradebox.graders.grading.grader import Grader
from gradebox.graders.grading.prepare import place_source, read_files
from gradebox.graders.grading.task import Task
from gradebox.graders.model.case import Case
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.time_limit import spent_seconds
from gradebox.graders.model.tree import Tree, changed_paths, content
from gradebox.graders.model.verdict import Status
from gradebox.graders.runners.runner import is_test_file
from gradebox.graders.runs.statistics import Rate
from gradebox.graders.submissions.answer import read_answer
from gradebox.graders.submissions.overlay import lay
from gradebox.graders.submissions.source import read_reference
from gradebox.sandbox.archive import EntryKind, file_entry

SAMPLE, SEED = 60, 0
# A mutant gets this multiple of the time that the reference used, and at least this many seconds.
_TIMES, _LEAST_SECONDS = 3.0, 1.0


class GradedMutant(NamedTuple):
    """A mutant and its verdict."""

    mutant: Mutant
    verdict: Status
    check: str = ""  # The check that caught the mutant.
    reason: str = ""  # Which checks lowered their score although the mutant passed, or the reasons of the verdict.
    reached: bool = True  # Whether a check runs the line of the mutant.


class Noticed(NamedTuple):
    """How a case judged the mutants that were tried, or the problem that prevented it."""

    graded: tuple[GradedMutant, ...] = ()
    found: int = 0  # How many mutants there are.
    marked: int = 0  # How many of the sample are marked as equivalent, and therefore not graded.
    idle: tuple[Mark, ...] = ()
    seed: int = SEED
    problem: str = ""

    @property
    def rate(self) -> Rate:
        """The share of mutants that were caught, on lines that the checks reach. Verdicts `error` are its errors."""
        counts = Counter(each.verdict for each in self.graded if each.reached)
        caught = counts[Status.FAILED]
        return Rate("mutants", caught, caught + counts[Status.PASSED], counts[Status.ERROR])

    @property
    def survivors(self) -> list[GradedMutant]:
        return [each for each in self.graded if each.verdict is Status.PASSED and each.reached]

    @property
    def not_reached(self) -> dict[str, list[int]]:
        """The lines that no check runs, by file."""
        lines: dict[str, set[int]] = {}
        for each in self.graded:
            if not each.reached:
                lines.setdefault(each.mutant.path, set()).add(each.mutant.line)
        return {path: sorted(found) for path, found in sorted(lines.items())}

    @property
    def by_check(self) -> Counter[str]:
        return Counter(each.check for each in self.graded if each.check)

    def by_function(self) -> list[tuple[tuple[str, str], list[GradedMutant]]]:
        """Return the survivors by file and function, those with the most survivors first."""
        groups: dict[tuple[str, str], list[GradedMutant]] = {}
        for each in self.survivors:
            groups.setdefault((each.mutant.path, each.mutant.function), []).append(each)
        return sorted(groups.items(), key=lambda one: -len(one[1]))


def find_weakness(noticed: Noticed, least: float) -> Iterator[QualityFinding]:
    """Yield the findings about a case that must catch at least the share `least` of the mutants."""
    rate = noticed.rate
    if noticed.problem:
        yield QualityFinding(Level.NOT_GRADED, noticed.problem, "Fix what the reason names.")
    elif rate.errors:
        message = f"{rate.errors} of {len(noticed.graded)} mutants could not be graded."
        yield QualityFinding(Level.NOT_GRADED, message, "`grade mutants` says why.")
    if not noticed.problem and rate.share < least:
        message = f"{rate.passed} of {rate.judged} mutants were caught, and at least {least:.0%} must be."
        remedy = "Test what the mutants change, or mark those that are equivalent in mutants.yaml with a reason."
        yield QualityFinding(Level.UNFAIR, message, remedy)
    for mark in noticed.idle:
        message = f"The mark of {mark.file} in mutants.yaml fits no mutant any more: {mark.after}."
        yield QualityFinding(Level.WARNING, message, "Remove it.")


@dataclass(frozen=True, slots=True)
class Experiment:
    """The gradings for one case: its reference, then mutants of it."""

    case: Case
    reference: Submission
    solved: Tree
    workspace: Tree
    mutants: tuple[Mutant, ...]  # The sample.
    found: int
    marked: int
    idle: tuple[Mark, ...]
    seed: int
    problem: str = ""

    @property
    def count(self) -> int:
        """The minimum number of gradings."""
        return 0 if self.problem else 1 + len(self.mutants)

    def carried_out(self, grader: Grader, *, jobs: int) -> Noticed | None:
        """Grade the mutants, `jobs` at a time. Return the results, None if the grader was stopped."""
        nothing = Noticed(found=self.found, marked=self.marked, idle=self.idle, seed=self.seed)
        if self.problem:
            return nothing._replace(problem=self.problem)
        case = grader.settle(self.case)
        honest = list(grader.grade_many([Task(case, self.reference)], jobs=1))
        if not honest or grader.stopped:
            return None
        if honest[0].verdict.status is not Status.PASSED:
            reasons = "; ".join(honest[0].verdict.reasons).rstrip(".")
            return nothing._replace(problem=f"The reference does not pass, so mutants of it say nothing: {reasons}.")
        case = hurried(case, honest[0])
        texts = [mutant.text for mutant in self.mutants]
        results = self._graded(grader, case, list(zip(self.mutants, texts, strict=True)), jobs)
        graded = [_outcome(*pair) for pair in zip(self.mutants, results, strict=False)]
        if len(graded) < len(self.mutants):
            return None
        probes = {each.mutant.probe: each.mutant for each in graded if each.verdict is Status.PASSED}
        probes.pop("", None)
        ended = self._graded(grader, case, [(mutant, text) for text, mutant in probes.items()], jobs)
        if grader.stopped or len(ended) < len(probes):
            return None
        idle = {text for text, one in zip(probes, ended, strict=True) if not _notices(one)}
        return nothing._replace(graded=tuple(each._replace(reached=each.mutant.probe not in idle) for each in graded))

    def _graded(self, grader: Grader, case: Case, works: Sequence[tuple[Mutant, str]], jobs: int) -> list[Result]:
        named = (self.submission(mutant, text, number) for number, (mutant, text) in enumerate(works, 1))
        return list(grader.grade_many((Task(case, each) for each in named), jobs=jobs))

    def submission(self, mutant: Mutant, text: str, number: int) -> Submission:
        """Return the reference with `text` in place of the file that a mutant changes."""
        name = f"{mutant.path}:{mutant.line}/{number}"
        if self.reference.form is Form.ANSWER and self.case.whole_answer:
            return read_answer(name, text)
        changed = {path: self.solved.entries[path] for path in changed_paths(self.workspace, self.solved)
                   if path in self.solved.entries}  # fmt: skip
        changed[mutant.path] = file_entry(mutant.path, text.encode(), mode=changed[mutant.path].mode)
        if self.reference.form is Form.ANSWER:
            fence = "`" * 4
            kept = [entry for entry in changed.values() if entry.kind is EntryKind.FILE]
            blocks = (f"{fence}text {entry.path}\n{content(entry).decode()}\n{fence}\n" for entry in kept)
            return read_answer(name, "\n".join(blocks))
        gone = tuple(path for path in self.workspace.entries if path not in self.solved.entries)
        return Submission(name, Form.DIRECTORY, Tree({path: changed[path] for path in sorted(changed)}), deleted=gone)


def hurried(case: Case, honest: Result) -> Case:
    """Return the case with the time limit for mutants, which depends on the time of the reference."""
    done = honest.outcomes.done.values() if honest.outcomes else ()
    spent = sum(spent_seconds(each.outcome.usage, case.limits.cpus) for steps in done for each in steps)
    wanted = max(_LEAST_SECONDS, _TIMES * spent) / case.time_factor
    return replace(case, timeout_seconds=min(case.timeout_seconds, wanted))


def plan_mutants(case: Case, count: int = SAMPLE, seed: int = SEED) -> Experiment:
    """Plan a sample of mutants of a case's reference.

    Raises UsageRefused if a grammar is not installed, and CaseRefused if `mutants.yaml` has a mistake.
    """
    marks = read_marks(case.directory)
    checks = tuple(check for check in case.checks if not asks_judge(check))
    empty = Experiment(case, Submission("reference"), Tree(), Tree(), (), 0, 0, (), seed)
    if not checks:
        return replace(empty, problem="All of its checks ask a language model.")
    case = replace(case, checks=checks)
    try:
        reference = read_reference(case)
        if reference is None:
            return replace(empty, problem="There is no reference to make mutants of.")
        files = read_files(case)
        placed = place_source(case, reference, files).submission
        solved = lay(files.workspace, placed).tree
        found = tuple(_mutants(files.workspace, solved))
    except UsageRefused:
        raise
    except (GraderError, OSError) as error:
        return replace(empty, problem=str(error))
    if not found:
        return replace(empty, problem="The reference changes no line that can be mutated.")
    # The sample is drawn before marks apply, so marks do not change it.
    chosen = sample(found, count, seed)
    kept = tuple(mutant for mutant in chosen if not any(mark.fits(mutant) for mark in marks))
    marked, idle = len(chosen) - len(kept), idle_marks(marks, found)
    return Experiment(case, placed, solved, files.workspace, kept, len(found), marked, idle, seed)


def _mutants(workspace: Tree, solved: Tree) -> Iterator[Mutant]:
    for path in sorted(changed_paths(workspace, solved)):
        entry = solved.entries.get(path)
        if entry is None or entry.kind is not EntryKind.FILE or is_test_file(path) or not is_known(path):
            continue
        there = workspace.entries.get(path)
        old = content(there) if there is not None and there.kind is EntryKind.FILE else b""
        try:
            source = content(entry).decode()
        except UnicodeDecodeError:
            continue
        yield from mutants_of(path, source, changed_lines(old.decode("utf-8", "replace"), source))


def changed_lines(before: str, after: str) -> frozenset[int]:
    """Return the numbers, from 1, of the lines of `after` that are new or changed since `before`."""
    matcher = difflib.SequenceMatcher(None, before.split("\n"), after.split("\n"), autojunk=False)
    blocks = (range(low + 1, high + 1) for tag, _, _, low, high in matcher.get_opcodes() if tag != "equal")
    return frozenset(line for block in blocks for line in block)


def _notices(result: Result) -> bool:
    """Return whether a check failed, even if the verdict is passed."""
    return result.verdict.status is not Status.PASSED or bool(_lower(result))


def _lower(result: Result) -> str:
    """Return the names of the checks without the full score."""
    return ", ".join(check.name for check in result.verdict.checks if check.score is not None and check.score < 1)


def _outcome(mutant: Mutant, result: Result) -> GradedMutant:
    verdict = result.verdict
    failed = [check for check in verdict.checks if check.status is Status.FAILED]
    first = next((check for check in failed if check.required), failed[0] if failed else None)
    caught = first.name if first is not None and verdict.status is Status.FAILED else ""
    lower = _lower(result)
    reason = f"noticed by {lower}, and passes" if lower and verdict.status is Status.PASSED else ""
    return GradedMutant(mutant, verdict.status, caught, reason or "; ".join(verdict.reasons))
