"""What will be done: a case, a submission's tree, and the commands that judge it, in stages. Pure.

A stage begins from the same state as every other: the workspace as it was after setup, no process alive, a user of its
own. Then exactly the files of the case that it needs are delivered, and its steps run in order. Hidden files are
therefore in the sandbox only while a stage that names them runs. `grade plan` prints this.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from posixpath import normpath

from graders import checks
from graders.case import Case, CommandSpec
from graders.checks import CheckSpec
from graders.control_files import CONTROL_FILES, is_control_file, matches
from graders.steps import Role, Stage, Step
from graders.tree import Tree, parents
from sandbox.archive import Entry, Kind, check_path
from sandbox.types import FIRST_UID, UID_COUNT, WORKSPACE, Limits

GRADING = "grading"


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a case that a plan can deliver, by the path at which they appear in the workspace.

    Attributes:
        workspace: The tree that the case starts from.
        own: Files beside the case (and its suite) that commands may name, hidden ones included; never the reference,
            the submissions or the case file.
    """

    workspace: Tree
    own: Tree


@dataclass(frozen=True, slots=True)
class Plan:
    """All that will be done for one case and one submission.

    Attributes:
        case: What was asked.
        image: Reference of the image.
        limits: What the sandbox may use.
        laid: The workspace with the submission laid over it.
        restored: Files of the case's workspace that are put back before every stage.
        scrubbed: Globs of names that are removed from the workspace.
        kept: Paths that are not removed though they match.
        setup, stages, teardown: In this order.
    """

    case: Case
    image: str
    limits: Limits
    laid: Tree
    restored: tuple[Entry, ...]
    scrubbed: tuple[str, ...]
    kept: tuple[str, ...]
    setup: Stage | None
    stages: tuple[Stage, ...]
    teardown: Stage | None


class Planner:
    """Turns the commands of one case into steps.

    Args:
        case: The case.
        files: What can be delivered.
        runners: Source of the item runners, by language.
    """

    def __init__(self, case: Case, files: Files, runners: Mapping[str, str]) -> None:
        self._case = case
        self._files = files
        self._runners = runners
        self._next_uid = FIRST_UID

    def stage(self, name: str, steps: Iterable[Step], check: str | None = None) -> Stage:
        """Return a stage with a fresh user and the files that its steps name."""
        self._next_uid = FIRST_UID + (self._next_uid - FIRST_UID + 1) % UID_COUNT
        listed = tuple(steps)
        return Stage(name, self._next_uid, self._delivered(listed), listed, check)

    def step(
        self,
        role: Role,
        name: str,
        command: CommandSpec,
        *,
        check: CheckSpec | None = None,
        stdin: bytes = b"",
    ) -> Step:
        """Return the step that runs a command of the case."""
        seconds = command.timeout_seconds or (check.timeout_seconds if check else None) or self._case.command_seconds
        return Step(
            role,
            name,
            command.argv,
            cwd=self.cwd(command.cwd or (check.cwd if check else "")),
            env={**self._case.env, **(check.env if check else {}), **command.env},
            stdin=stdin,
            wall_seconds=min(seconds, self._case.timeout_seconds),
            program_is_ours=self._is_ours(command.argv[0]),
            mentions=command.argv,
        )

    def cwd(self, relative: str) -> str:
        """Return a working directory as an absolute path in the sandbox."""
        return normpath(f"{WORKSPACE}/{relative}")

    def runner(self, language: str) -> str:
        """Return the source of a language's item runner."""
        return self._runners[language]

    def _delivered(self, steps: Iterable[Step]) -> tuple[Entry, ...]:
        """Return the files beside the case that these steps name, with all of `grading` if they name a part of it."""
        wanted: dict[str, Entry] = {}
        own = self._files.own
        for step in steps:
            for path in named_paths(step.mentions):
                if path in own.entries:
                    top = path.partition("/")[0]
                    wanted |= {entry.path: entry for entry in own.below(GRADING if top == GRADING else path)}
        return tuple(wanted[path] for path in sorted(wanted))

    def _is_ours(self, program: str) -> bool:
        path = _clean(program)
        return path is None or path in self._files.own.entries or path in self._files.workspace.entries


def make_plan(case: Case, files: Files, laid: Tree, *, image: str, runners: Mapping[str, str]) -> Plan:
    """Plan the grading of one submission.

    Args:
        case: What is asked.
        files: What can be delivered.
        laid: The workspace with the submission laid over it.
        image: Reference of the image.
        runners: Source of the item runners, by language.
    """
    planner = Planner(case, files, runners)
    setup = _own_stage(planner, Role.SETUP, case.setup)
    stages = tuple(stage for check in case.checks for stage in checks.stages(check, case, planner))
    teardown = _own_stage(planner, Role.TEARDOWN, case.teardown)
    every = [stage for stage in (setup, *stages, teardown) if stage is not None]
    restored = _restored(case, files.workspace, every)
    return Plan(
        case=case,
        image=image,
        limits=case.limits,
        laid=laid,
        restored=restored,
        scrubbed=CONTROL_FILES,
        kept=_kept(case, laid, restored),
        setup=setup,
        stages=stages,
        teardown=teardown,
    )


def _own_stage(planner: Planner, role: Role, commands: tuple[CommandSpec, ...]) -> Stage | None:
    if not commands:
        return None
    steps = [planner.step(role, f"{role} {number}", command) for number, command in enumerate(commands, 1)]
    return planner.stage(str(role), steps)


def _restored(case: Case, workspace: Tree, stages: Iterable[Stage]) -> tuple[Entry, ...]:
    """Return the files of the case's workspace that no submission may change.

    These are what commands name, what `protect` lists, and control files of test runners.
    """
    named = {path for stage in stages for step in stage.steps for path in named_paths(step.mentions)}
    return tuple(
        entry
        for path, entry in workspace.entries.items()
        if entry.kind is not Kind.DIRECTORY
        and (
            path in named
            or any(parent in named for parent in parents(path))
            or matches(path, case.protect)
            or (is_control_file(path) and not matches(path, case.allow))
        )
    )


def _kept(case: Case, laid: Tree, restored: Iterable[Entry]) -> tuple[str, ...]:
    """Return the control files that stay: those of the case, and those that it allows."""
    allowed = (path for path in laid.entries if is_control_file(path) and matches(path, case.allow))
    own = (entry.path for entry in restored if is_control_file(entry.path))
    return tuple(sorted({*allowed, *own}))


def named_paths(arguments: Iterable[str]) -> tuple[str, ...]:
    """Return the words of a command that may be relative paths, in order.

    Every word of an argument counts, so that ``sh -c "bash grading/run.sh x"`` and ``--config=grading/a.toml`` name
    their files too, as does the file part of ``grading/test_a.py::test_b``.
    """
    found: dict[str, None] = {}
    for argument in arguments:
        for word in _words(argument):
            for part in (word, word.partition("=")[2], word.partition("::")[0]):
                path = _clean(part)
                if path is not None:
                    found[path] = None
    return tuple(found)


def _words(argument: str) -> list[str]:
    if not any(character.isspace() for character in argument):
        return [argument]
    lexer = shlex.shlex(argument, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return [argument, *lexer]
    except ValueError:
        return [argument, *argument.split()]


def _clean(word: str) -> str | None:
    """Return a word as a path below the workspace, None if it cannot be one."""
    word = word.removeprefix(f"{WORKSPACE}/")
    if not word or word.startswith("/") or "\0" in word:
        return None
    path = normpath(word)
    return None if check_path(path) else path
