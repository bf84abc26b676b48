"""Turns a case and a submission into a plan, for grading, `grade plan`, regrading and `grade check`.

code of an answer -> files of the case -> the submission's layout -> laid over the workspace -> data for graders -> plan
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from gradebox.graders import languages
from gradebox.graders.cases.grader_files import grader_files, module_guard
from gradebox.graders.checks import evaluation
from gradebox.graders.checks.grader_io import describe_submission
from gradebox.graders.checks.items import Items
from gradebox.graders.errors import CaseRefused
from gradebox.graders.grading.planner import make_plan
from gradebox.graders.integrity.referenced_files import named_paths
from gradebox.graders.model.case import Case, CommandSpec
from gradebox.graders.model.plan import Files, Plan
from gradebox.graders.model.submission import UNTOUCHED, Form, Submission
from gradebox.graders.model.tree import Tree, content, differs, overlay, parents, scan, take
from gradebox.graders.submissions import layout
from gradebox.graders.submissions.answer import extract_code
from gradebox.graders.submissions.known_names import KnownNames
from gradebox.graders.submissions.notebook import NotebookRefused
from gradebox.graders.submissions.notebook_files import answers_as_files, made_files, with_code_of_notebook
from gradebox.graders.submissions.overlay import lay
from gradebox.graders.submissions.source import read_reference
from gradebox.sandbox.archive import EntryKind

# Files beside a case file that are never delivered: the solution, submissions, the case itself.
WITHHELD = ("reference", "submissions", "workspace", "case.yaml", "case.yml", "mutants.yaml", ".git", "__pycache__")


def prepare(case: Case, submission: Submission, *, image: str) -> Plan:
    """Return the plan for grading a submission. Runs nothing.

    If the submission cannot be laid over the workspace, the plan's `problem` says why. Raises CaseRefused if a
    directory of the case cannot be read, and OSError if a file of the case or of the submission cannot be read.
    """
    submission = extract_code(case, submission)
    if case.turns:
        from gradebox.graders.checks.transcript.turns import with_turns  # noqa: PLC0415 - few cases are conversations

        case = with_turns(case, submission)
    files = read_files(case)
    arranged = arrange(case, submission, files)
    submission = arranged.submission
    laid = lay(files.workspace, submission)
    described = describe_submission(submission, files.workspace, laid.tree)
    plan = make_plan(case, files, laid.tree, image=image, submission_data=described)
    notes = tuple(filter(None, (arranged.moved, arranged.misfit, case.crossing.note if case.crossing else "")))
    if not (laid.problem or submission.fault or arranged.misfit):
        notes = (*notes, *_notes(case, submission, files.workspace, laid.tree))
    return replace(
        plan,
        submission=submission,
        problem=laid.problem,
        moved=arranged.moved,
        misfit=arranged.misfit,
        changes=described["file_changes"],
        notes=notes,
    )


class Arranged(NamedTuple):
    """A submission with its files at the expected paths."""

    submission: Submission
    moved: str = ""  # Which files were moved, a sentence.
    misfit: str = ""  # Why no file has an expected path, a sentence.


def arrange(case: Case, submission: Submission, files: Files) -> Arranged:
    """Move a submission's files to the paths that the case expects; set `problem` or `fault` if it is unreadable."""
    try:
        found = _arranged(case, submission, files)
    except NotebookRefused as refused:
        found = Arranged(replace(submission, form=Form.NOTHING, tree=Tree(), unreadable=str(refused)))
    submission = found.submission
    if submission.unreadable:
        reason = f"unreadable: {submission.unreadable}"
        is_error = case.unreadable_is_error
        return Arranged(replace(submission, fault=reason) if is_error else replace(submission, problem=reason))
    return found


def _arranged(case: Case, submission: Submission, files: Files) -> Arranged:
    handed_in = submission.tree
    placed = place_source(case, submission, files)
    submission = placed.submission
    if submission.form is not Form.DIRECTORY or submission.problem or submission.fault or submission.deleted:
        return placed
    names = KnownNames(case, files)
    found = layout.decide(names, submission.tree)
    if not found.fits and (tree := with_code_of_notebook(found.tree)) is not None:
        found = layout.decide(names, tree)
    answers = answers_as_files(handed_in, names.names)
    misfit = "" if answers.entries else found.misfit
    tree = overlay(answers, found.tree)
    submission = replace(submission, tree=tree, problem=misfit if case.strict_layout else "")
    return Arranged(submission, placed.moved or found.moved, misfit)


def place_source(case: Case, submission: Submission, files: Files) -> Arranged:
    """Move a source file to its path, or make it `unreadable` if there is none; keep other submissions unchanged."""
    if submission.form is not Form.SOURCE_FILE:
        return Arranged(submission)
    names = KnownNames(case, files)
    (entry,) = submission.tree.entries.values()
    place = layout.place_of_file(names, entry.path)
    if place is None and (made := made_files(entry)) is not None:
        code = Tree({made.code.path: made.code})
        found = place_source(case, replace(submission, tree=code, output=content(made.code).decode()), files)
        if found.submission.form is not Form.DIRECTORY:
            return found
        tree = overlay(found.submission.tree, made.written)
        return found._replace(submission=replace(found.submission, tree=tree))
    if place is None:
        unplaced = layout.unplaced(names, case.id, entry.path)
        return Arranged(replace(submission, form=Form.NOTHING, tree=Tree(), unreadable=unplaced))
    note = "" if place.rpartition("/")[2] == entry.path else layout.taken_as(entry.path, place)
    tree = Tree({place: replace(entry, path=place)})
    return Arranged(replace(submission, form=Form.DIRECTORY, tree=tree), note)


def _notes(case: Case, submission: Submission, before: Tree, after: Tree) -> Iterator[str]:
    text_only = submission.output is not None or submission.transcript is not None
    # A case without files can only get an answer in words.
    if submission.name == UNTOUCHED.name or (text_only and not before.entries and not case.answer_file):
        return
    paths = before.entries.keys() | after.entries.keys()
    if not any(differs(before.entries.get(path), after.entries.get(path)) for path in paths):
        reason = ": there is no code in the answer" if text_only and submission.form is Form.NOTHING else ""
        yield f"The submission changes nothing of the workspace{reason}."


def read_files(case: Case) -> Files:
    """Return the files that a case can deliver. Contents are read only when they are packed.

    Raises CaseRefused if a directory of the case cannot be read.
    """
    try:
        workspace = scan(case.workspace, leave=[".git"]) if case.workspace else Tree()
        own = Tree()
        for root in reversed(case.roots):
            if root != case.directory:
                own = overlay(own, _named_below(root, case))
        withheld = [*(case.directory / name for name in WITHHELD), *filter(None, [case.reference])]
        found = grader_files(commands(case), case.roots, case.workspace, withheld)
        own = overlay(own, found.tree)
        own = overlay(own, scan(case.directory, leave=(*WITHHELD, *_inside(case))))
        solution = _solution(case, workspace)
        own = overlay(module_guard(own, workspace, solution), own)
        return Files(workspace, own, solution, found.imports, found.places)
    except OSError as error:
        raise CaseRefused(f"{case.place}: {error.filename} cannot be read: {error.strerror}.") from error


def _solution(case: Case, workspace: Tree) -> frozenset[str]:
    """Return the paths of the workspace that the reference changes, and the files that it adds."""
    if case.reference is None:
        return frozenset()
    reference = read_reference(case)
    # `Files` has no `solution` yet.
    solved = lay(workspace, place_source(case, reference, Files(workspace)).submission).tree if reference else workspace
    changed = {path for path, entry in workspace.entries.items() if differs(entry, solved.entries.get(path))}
    added = (entry for path, entry in solved.entries.items() if path not in workspace.entries)
    return frozenset(changed | {entry.path for entry in added if entry.kind is not EntryKind.DIRECTORY})


def _inside(case: Case) -> Iterator[str]:
    """Yield the entries of the case's directory that contain its workspace and its reference."""
    for path in (case.workspace, case.reference):
        if path is not None and path.is_relative_to(case.directory) and path != case.directory:
            yield path.relative_to(case.directory).parts[0]


def _named_below(root: Path, case: Case) -> Tree:
    """Read only those files of a suite that commands of the case name."""
    found = Tree()
    for path in named_paths(text for command in commands(case) for text in command):
        place = root / path
        # A link could lead to any file of this machine.
        if not place.exists() or any((root / part).is_symlink() for part in (*parents(path), path)):
            continue
        found = overlay(found, take(place, path))
    return found


def commands(case: Case) -> Iterator[Iterable[str]]:
    """Yield the texts of a case that are searched for names of files."""
    listed: list[CommandSpec] = [*case.setup, *case.teardown, *(hook.command for hook in case.hooks)]
    listed += [found.command for found in case.preprocessors]
    for check in case.checks:
        listed += evaluation.commands(check)
        if isinstance(check, Items) and languages.get(check.language).is_shell:
            yield [check.setup, check.teardown, *(item.code for item in check.items)]
    for command in listed:
        yield command.argv
    for service in case.services:
        yield from (service.command, service.ready.command, service.reset)
