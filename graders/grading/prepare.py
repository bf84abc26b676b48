"""Case and submission -> plan: the one way to a plan, for grading, `grade plan`, regrading and `grade check`.

code of an answer -> files of the case -> the submission laid over the workspace -> what graders read -> the plan
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from graders.cases.grader_files import grader_files
from graders.checks import evaluation
from graders.checks.grader_io import describe_submission
from graders.checks.items import Items
from graders.errors import CaseRefused
from graders.grading.planner import make_plan
from graders.integrity.referenced_files import named_paths
from graders.languages.python_operators import operator_classes
from graders.model.case import Case, CommandSpec
from graders.model.plan import Files, Plan
from graders.model.submission import UNTOUCHED, Form, Submission
from graders.model.tree import Tree, content, differs, overlay, parents, scan, take
from graders.submissions.answer import extract_code
from graders.submissions.overlay import lay
from graders.submissions.source import read_submission
from sandbox.archive import EntryKind

# Of Python in a solution, in bytes.
_SOURCES_MAX = 2_000_000
# What lies beside a case file and is never delivered: the solution, submissions, the case itself.
WITHHELD = ("reference", "submissions", "workspace", "case.yaml", "case.yml", ".git", "__pycache__")


def prepare(case: Case, submission: Submission, *, image: str) -> Plan:
    """Return what will be done to grade a submission. Runs nothing.

    Where the submission cannot be laid over the workspace, the plan's `problem` says why. Raises CaseRefused if a
    directory of the case cannot be read, and OSError if a file of the case or of the submission cannot be read.
    """
    submission = extract_code(case, submission)
    if case.turns:
        from graders.checks.transcript.turns import with_turns  # noqa: PLC0415 - few cases are conversations

        case = with_turns(case, submission)
    files = read_files(case)
    laid = lay(files.workspace, submission)
    described = describe_submission(submission, files.workspace, laid.tree)
    plan = make_plan(case, files, laid.tree, image=image, submission_data=described)
    notes = () if laid.problem or submission.fault else tuple(_notes(case, submission, files.workspace, laid.tree))
    return replace(plan, submission=submission, problem=laid.problem, changes=described["file_changes"], notes=notes)


def _notes(case: Case, submission: Submission, before: Tree, after: Tree) -> Iterator[str]:
    text_only = submission.output is not None or submission.transcript is not None
    # Of a case without files, an answer in words is all that there can be.
    if submission.name == UNTOUCHED.name or (text_only and not before.entries and not case.answer_file):
        return
    paths = before.entries.keys() | after.entries.keys()
    if not any(differs(before.entries.get(path), after.entries.get(path)) for path in paths):
        reason = ": there is no code in the answer" if text_only and submission.form is Form.NOTHING else ""
        yield f"The submission changes nothing of the workspace{reason}."


def read_files(case: Case) -> Files:
    """Read what a case can deliver. Contents are read only when they are packed.

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
        return Files(workspace, own, *_solution(case, workspace), found.imports, found.places)
    except OSError as error:
        raise CaseRefused(f"{case.place}: {error.filename} cannot be read: {error.strerror}.") from error


def _solution(case: Case, workspace: Tree) -> tuple[frozenset[str], frozenset[str] | None]:
    """Return what the reference changes of the workspace and the files that it adds, and its classes with operators."""
    if case.reference is None:
        return frozenset(), None
    solved = lay(workspace, extract_code(case, read_submission(case.reference))).tree
    changed = {path for path, entry in workspace.entries.items() if differs(entry, solved.entries.get(path))}
    added = (entry for path, entry in solved.entries.items() if path not in workspace.entries)
    paths = frozenset(changed | {entry.path for entry in added if entry.kind is not EntryKind.DIRECTORY})
    checks = (each for check in case.checks for each in (check, *evaluation.members(check)))
    return paths, _operators(solved) if any(evaluation.is_apart(check, case) for check in checks) else None


def _operators(solved: Tree) -> frozenset[str] | None:
    """Return which classes of Python in a tree have operators; None if there are none, or too much to read."""
    files = [each for path, each in solved.entries.items() if path.endswith(".py") and each.kind is EntryKind.FILE]
    if not files or sum(entry.size for entry in files) > _SOURCES_MAX:
        return None
    return operator_classes(content(entry).decode("utf-8", "replace") for entry in files)


def _inside(case: Case) -> Iterator[str]:
    """Yield the names in the case's directory that lead to its workspace and its reference."""
    for path in (case.workspace, case.reference):
        if path is not None and path.is_relative_to(case.directory) and path != case.directory:
            yield path.relative_to(case.directory).parts[0]


def _named_below(root: Path, case: Case) -> Tree:
    """Read the files of a suite that commands of the case name, and nothing else of it."""
    found = Tree()
    for path in named_paths(text for command in commands(case) for text in command):
        place = root / path
        # A link could lead to any file of this machine.
        if not place.exists() or any((root / part).is_symlink() for part in (*parents(path), path)):
            continue
        found = overlay(found, take(place, path))
    return found


def commands(case: Case) -> Iterator[Iterable[str]]:
    """Yield the texts of a case in which names of files are looked for."""
    listed: list[CommandSpec] = [*case.setup, *case.teardown, *(hook.command for hook in case.hooks)]
    listed += [found.command for found in case.preprocessors]
    for check in case.checks:
        listed += evaluation.commands(check)
        if isinstance(check, Items) and check.language == "bash":
            yield [check.setup, check.teardown, *(item.code for item in check.items)]
    for command in listed:
        yield command.argv
