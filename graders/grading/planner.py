"""Makes the plan of a grading: the submission's tree, and the commands that judge it, in stages. Pure.

Every stage starts from the same state: the workspace as it was after setup, no process alive, and a fresh user. Then
exactly the files of the case that the stage needs are delivered, and its steps run in order. So hidden files are in
the sandbox only while a stage that names them runs. `grade plan` prints the plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import count
from posixpath import join, normpath
from typing import Any

from gradebox.graders.cases.grader_files import ABOVE, GRADING
from gradebox.graders.checks import evaluation
from gradebox.graders.checks.evaluation import judging_order
from gradebox.graders.checks.grader_input.case_messages import INPUTS
from gradebox.graders.checks.grader_io import hook_input
from gradebox.graders.documents.command_lines.command_line import in_workspace
from gradebox.graders.grading import isolation
from gradebox.graders.grading.services.planned import planned
from gradebox.graders.integrity import tampering_search
from gradebox.graders.integrity.case_programs import CasePrograms
from gradebox.graders.integrity.command_scan import CommandScan
from gradebox.graders.integrity.control_files import control_globs
from gradebox.graders.integrity.referenced_files import named_entries
from gradebox.graders.integrity.restore import control_files_to_keep, files_to_restore, snapshots_to_remove
from gradebox.graders.languages.language import MODULES
from gradebox.graders.model.case import Case, CaseCheck, CommandSpec
from gradebox.graders.model.plan import Files, Plan, Role, Stage, Step, User
from gradebox.graders.model.tree import Tree, content, resolved
from gradebox.graders.runners.pytest.python_modules import case_modules
from gradebox.graders.runners.runner import Trees
from gradebox.sandbox.archive import ArchiveEntry
from gradebox.sandbox.types import WORKSPACE
from gradebox.sandbox.users import USERS


class Planner:
    """Turns the commands of one case into steps. Code graders can read `submission_data` as JSON."""

    def __init__(self, case: Case, files: Files, submission_data: Mapping[str, Any] | None = None) -> None:
        self.submission_data = submission_data or {}
        self._case = case
        self._files = files
        # Shared with the copies that `about` makes.
        self._users = count(1)

    def stage(self, name: str, steps: Iterable[Step], check: str | None = None, *, apart: bool = False) -> Stage:
        """Return a stage with a fresh user and the files that its steps name; `apart` if its steps are graders."""
        told = (self._with_modules(step) if MODULES in step.env else step for step in steps)
        listed = tuple(replace(step, user=User.GRADER) if apart else step for step in told)
        return Stage(name, next(self._users) % USERS, self._delivered(listed, apart=apart), listed, check)

    def step(
        self, role: Role, name: str, command: CommandSpec, *, check: CaseCheck | None = None, stdin: bytes = b""
    ) -> Step:
        """Return the step that runs a command of the case."""
        cwd = self.cwd(command.cwd or (check.cwd if check else ""))
        argv = self._programs.with_whole_paths(tuple(map(self._placed, command.argv)), cwd)
        return Step(
            role,
            name,
            argv,
            shown=command.argv if argv != command.argv else (),
            cwd=cwd,
            env={**self._case.env, **(check.env if check else {}), **command.env},
            stdin=stdin,
            limit_seconds=self._case.limit_seconds(command.timeout_seconds, check.timeout_seconds if check else None),
            program_is_ours=self._is_ours(argv[0], cwd),
            mentions=(*argv, command.cwd, *command.env.values(), *(check.env.values() if check else ())),
        )

    def runs_candidate(self, command: CommandSpec, check: CaseCheck) -> bool:
        """Return whether a program that a command runs lies in the submission and not in the case."""
        return bool(self._programs.of_candidate(command.argv, self.cwd(command.cwd or check.cwd)))

    @property
    def _programs(self) -> CasePrograms:
        return CasePrograms(self._files, self._case.allow)

    def own_stage(
        self, role: Role, *, before: Iterable[str] = (), commands: Iterable[CommandSpec] = (), after: Iterable[str] = ()
    ) -> Stage | None:
        """Return the stage of the case's own commands with the hooks around them; None if there is nothing to run."""
        steps = [
            *self._hooks(before),
            *(self.step(role, f"{role} {number}", command) for number, command in enumerate(commands, 1)),
            *self._hooks(after),
        ]
        return self.stage(str(role), steps) if steps else None

    def about(self, submission_data: Mapping[str, Any]) -> Planner:
        """Return a copy of this planner whose checks get other data about the submission."""
        other = copy(self)
        other.submission_data = {**self.submission_data, **submission_data}
        return other

    def _hooks(self, when: Iterable[str]) -> list[Step]:
        return [
            self.step(Role.HOOK, f"{hook.when} of {hook.origin}", hook.command, stdin=self._hook_input(hook.command))
            for moment in when
            for hook in self._case.hooks
            if hook.when == moment
        ]

    def _hook_input(self, command: CommandSpec) -> bytes:
        return b"" if self._programs.of_candidate(command.argv, self.cwd(command.cwd)) else hook_input(self._case)

    def cwd(self, relative: str) -> str:
        """Return a working directory as an absolute path in the sandbox, without links of the case's workspace."""
        path = normpath(join(WORKSPACE, relative))
        return resolved(self._files.workspace, path, WORKSPACE)

    def _delivered(self, steps: Iterable[Step], *, apart: bool) -> tuple[ArchiveEntry, ...]:
        """Return the files beside the case that these steps name, with all of `grading` if they name a part of it.

        The files that our own runners bring are included.
        """
        wanted = {entry.path: entry for step in steps for entry in step.brought}
        own = self._files.own
        for path in named_entries(steps, own):
            top = path.partition("/")[0]
            for each in (top if top in (GRADING, ABOVE) else path, *self._files.imports.get(path, ())):
                wanted |= {entry.path: entry for entry in own.below(each)}
        if apart:
            wanted = {**isolation.modules(wanted.values()), **wanted}
        return tuple(wanted[path] for path in sorted(wanted))

    def _with_modules(self, step: Step) -> Step:
        return replace(step, env={**step.env, MODULES: " ".join(self._modules)})

    @cached_property
    def _modules(self) -> tuple[str, ...]:
        """The Python modules of the case and its reference."""
        paths = self._files.workspace.entries.keys() | self._files.solution
        task = " ".join(str(message.content) for message in self._case.input)
        python = (path for path in paths if path.endswith(".py"))
        return case_modules(paths, python, self._files.solution, task)

    def _placed(self, text: str) -> str:
        """Return a word or line of a command in which files delivered elsewhere have their actual paths."""
        for word, path in self._files.places.items():
            if word in text:
                text = re.sub(rf"(?<![\w./-]){re.escape(word)}(?![\w./-])", path, text)
        return text

    def _is_ours(self, program: str, cwd: str) -> bool:
        path = in_workspace(program if program.startswith("/") else f"{cwd}/{program}")
        return (
            "/" not in program
            or path is None
            or path in self._files.own.entries
            or path in self._files.workspace.entries
        )


def _closed(stage: Stage, programs: CasePrograms, restored: Iterable[ArchiveEntry], laid: Tree) -> Stage:
    """Return a stage that closes the directories of its graders to the submission."""
    stage = replace(stage, steps=tuple(programs.started(step, laid) for step in stage.steps))
    run = [(step.command, step.cwd) for step in stage.steps]
    delivered = {entry.path: entry for entry in stage.delivered}
    closed = programs.closed(run, delivered, {entry.path for entry in restored}, laid)
    if not closed:
        return stage
    return replace(stage, delivered=tuple(entry for _, entry in sorted((delivered | closed).items())))


def make_plan(
    case: Case, files: Files, laid: Tree, *, image: str, submission_data: Mapping[str, Any] | None = None
) -> Plan:
    """Plan the grading of one submission.

    `submission_data` is the data about the submission that code graders can read as JSON.
    """
    planner = Planner(case, files, submission_data or {})
    setup = planner.own_stage(Role.SETUP, before=("before_all", "before_each"), commands=case.setup)
    # A check that uses the result of another check may need it when its commands run.
    ordered = [case.checks[position] for position in judging_order(case.checks)]
    late = evaluation.late(ordered, case)
    ordered.sort(key=lambda check: check.name in late)
    stages = tuple(stage for check in ordered for stage in evaluation.stages(check, case, planner))
    teardown = planner.own_stage(Role.TEARDOWN, commands=case.teardown, after=("after_each", "after_all"))
    every = [stage for stage in (setup, *stages, teardown) if stage is not None]
    trees = Trees(files.workspace, files.own, laid, files.solution, case.protect, case.allow)
    commands = CommandScan(trees, tuple(step for stage in every for step in stage.steps), content)
    undone = tampering_search.find(trees, GRADING, commands)
    restored = files_to_restore(trees, commands.steps, undone, commands)
    programs = CasePrograms(files, case.allow)
    above = (path for path in (ABOVE, INPUTS) if path in laid.entries)
    return Plan(
        case=case,
        image=image,
        limits=case.limits,
        files=files,
        laid=laid,
        restored=restored,
        removed_globs=control_globs(),
        kept_files=control_files_to_keep(trees, restored),
        removed_paths=(*undone.removed, *snapshots_to_remove(trees, restored), *above),
        tampering=undone.tampering,
        services=tuple(planned(service, planner) for service in case.services),
        setup=setup,
        stages=tuple(
            stage if stage.beside else isolation.decided(_closed(stage, programs, restored, laid), programs)
            for stage in stages
        ),
        teardown=teardown,
    )
