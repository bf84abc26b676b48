"""Loads the cases that a command line names, prints their mistakes, and applies the filters."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gradebox.graders.cases import Loaded, load
from gradebox.graders.cases.select import Chosen, Selection, as_requested, choose
from gradebox.graders.checks.evaluation import lacks_judge
from gradebox.graders.cli import console
from gradebox.graders.errors import CaseRefused, UsageRefused

if TYPE_CHECKING:
    from gradebox.graders.model.case import Case
    from gradebox.graders.runs.request import Request
    from gradebox.graders.runs.saved_run import SavedRun
    from gradebox.graders.runs.tasks import Tasks


class Selected(NamedTuple):
    loaded: tuple[Loaded, ...]
    chosen: Chosen


def selection_of(
    ids: list[str] | None,
    tags: list[str] | None,
    excluded: list[str] | None,
    where: list[str] | None,
    *,
    limit: int | None = None,
    sample: int | None = None,
    seed: int | None = None,
) -> Selection:
    """Return the filters of a command line.

    Raises UsageRefused if a word of --where is not FIELD=GLOB, or options cannot be combined.
    """
    for word in where or ():
        if "=" not in word.lstrip("="):
            raise UsageRefused(f"--where takes FIELD=GLOB, not {word}.", remedy="For example: --where author=ann.")
    if limit is not None and sample is not None:
        raise UsageRefused("--limit and --sample cannot be combined.")
    if seed is not None and sample is None:
        raise UsageRefused("--seed needs --sample N.")
    filters = tuple(ids or ()), tuple(tags or ()), tuple(excluded or ()), tuple(where or ())
    return Selection(*filters, sample, limit, seed or 0)


def load_and_select(
    paths: Iterable[Path], selection: Selection, time_factor: float = 1.0, isolation: str | None = None, **more: Any
) -> Selected:
    """Load and select cases; print mistakes in files and filters on stderr.

    `time_factor`, `isolation` and `more` are arguments of `as_requested`.

    Raises CaseRefused if no case can be loaded, and NothingSelected if there are cases but none is selected.
    """
    loaded = load_all(paths)
    chosen = choose(loaded, selection)
    console.warn(*chosen.idle)
    asked = {"time_factor": time_factor, "isolation": isolation, **more}
    return Selected(loaded, replace(chosen, cases=tuple(as_requested(case, **asked) for case in chosen.cases)))


def with_submissions(request: Request, cases: Iterable[Case]) -> Request:
    """Return a request with the submissions in the folder of a class, if it names one."""
    if request.folder is None:
        return request
    from gradebox.graders.runs.submission_folder import with_hand_ins

    return with_hand_ins(request, cases)


def with_judges(chosen: Chosen, file: Path | None) -> Chosen:
    """Return the cases with the judges of a file. Without a file, cases that lack a judge get that of a targets file.

    Raises CaseRefused if the file cannot be read.
    """
    if file is not None:
        from gradebox.graders.judges import judge_file

        return replace(chosen, cases=judge_file.with_judges(chosen.cases, file, os.environ))
    if not any(map(lacks_judge, chosen.cases)):
        return chosen
    from gradebox.graders.documents.diagnostics import Findings
    from gradebox.graders.targets.judge_targets import with_target_judges

    findings = Findings()
    cases = with_target_judges(chosen.cases, os.environ, findings)
    console.print_diagnostics(findings)
    return replace(chosen, cases=cases)


class OfRun(NamedTuple):
    """The request and the tasks of a saved run, with the current cases."""

    saved: SavedRun
    request: Request
    chosen: Chosen
    tasks: Tasks


def load_run(run: Path) -> OfRun:
    """Load the cases and the submissions of a run again, and print their mistakes. `run` is a word for `find_run`.

    Raises GraderError if the run cannot be read, or no case can be loaded.
    """
    from gradebox.graders.runs.history.run_names import find_run
    from gradebox.graders.runs.request import Request, continued
    from gradebox.graders.runs.saved_run import read_run
    from gradebox.graders.runs.settled import with_recorded
    from gradebox.graders.runs.tasks import tasks_of

    saved = read_run(find_run(run))
    request = continued(Request(cases=(), resume=saved.directory), saved)
    if request.work_of is not None:
        # The run has its own copy of the submissions, and the run that it took them from may be gone.
        request = replace(request, work_of=saved.directory, only=frozenset())
    chosen = load_and_select(request.cases, request.selection, **request.of_cases).chosen
    chosen = with_judges(chosen, request.judge)
    chosen = replace(chosen, cases=with_recorded(chosen.cases, saved.requested))
    tasks = tasks_of(request, chosen.cases, chosen.left_out).repeated(request.repeat).only(request.gradings)
    console.print_diagnostics(tasks.diagnostics)
    return OfRun(saved, request, chosen, tasks)


def load_all(paths: Iterable[Path]) -> tuple[Loaded, ...]:
    """Load cases, and print mistakes in their files on stderr.

    Raises CaseRefused if there is a mistake and no case could be loaded.
    """
    paths = tuple(paths)
    loaded = tuple(load(path) for path in paths)
    console.print_diagnostics(dict.fromkeys(diagnostic for one in loaded for diagnostic in one.diagnostics))
    count = sum(len(one.errors) for one in loaded)
    if count and not any(one.cases for one in loaded):
        found = any(os.path.lexists(path) for path in paths)
        mistakes = f"{console.counted(count, 'mistake')} in the case; nothing" if found else "Nothing"
        raise CaseRefused(f"{mistakes} was graded.")
    return loaded
