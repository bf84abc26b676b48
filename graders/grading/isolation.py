"""Separates grader and candidate as two users: chooses the user and the environment of each step of an apart stage.

Only the grader can read the delivered files and its stdin. It starts the candidate through the program `candidate`
(``sandbox/supervisor/candidates.c``). A command that runs a program of the submission, or nothing of the case, is not a
grader, so it runs as the candidate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from gradebox.graders.grading.apart import bun_options, told_files
from gradebox.graders.grading.stages import feedback
from gradebox.graders.integrity import control_files
from gradebox.graders.integrity.case_programs import CasePrograms
from gradebox.graders.integrity.referenced_files import named_paths
from gradebox.graders.integrity.restore import WRITTEN
from gradebox.graders.model.plan import Plan, Stage, Step, User
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import (
    CANDIDATE_DIRECTORY,
    CANDIDATE_TMPDIR,
    DEFAULT_ENV,
    GRADER_HOME,
    GRADER_TMPDIR,
    REPORT_VARIABLE,
    WORKSPACE,
    Candidates,
)

_CALLS = re.compile(r"(?<![\w.-])(?:gradebox_)?candidate(?![\w-])")
# Where these name a directory, interpreters load compiled code from it. A submission may have written there.
_CODE_CACHES = frozenset({"PYTHONPYCACHEPREFIX", "NODE_COMPILE_CACHE", "BUN_RUNTIME_TRANSPILER_CACHE_PATH"})
_INSIDE = Path(__file__).parents[1] / "languages" / "inside" / "candidate"
# The modules that graders can import, by the suffix of the importing file.
_MODULES = {".py": "py", ".js": "mjs", ".mjs": "mjs", ".ts": "mjs", ".jl": "jl"}


@cache
def _module(suffix: str) -> bytes:
    return (_INSIDE / f"gradebox_candidate.{suffix}").read_bytes()


def modules(delivered: Iterable[ArchiveEntry]) -> dict[str, ArchiveEntry]:
    """Return modules that call `candidate`, by their paths beside the graders that may import them."""
    found: dict[str, ArchiveEntry] = {}
    for entry in delivered:
        place = PurePosixPath(entry.path)
        if entry.kind is EntryKind.FILE and (suffix := _MODULES.get(place.suffix)):
            path = str(place.with_name(f"gradebox_candidate.{suffix}"))
            found[path] = file_entry(path, _module(suffix))
    return found


def decided(stage: Stage, programs: CasePrograms) -> Stage:
    """Return a stage with the final users of its steps: some steps planned as graders run as the candidate."""
    return replace(stage, steps=tuple(_with_user(step, programs) for step in stage.steps)) if stage.apart else stage


def _with_user(step: Step, programs: CasePrograms) -> Step:
    if step.user is not User.GRADER or step.token or step.items or _is_grader(step, programs):
        return step
    return replace(step, user=User.CANDIDATE, stdin=b"", own_stdout=False)


def _is_grader(step: Step, programs: CasePrograms) -> bool:
    if programs.of_candidate(step.command, step.cwd):
        return False
    named = named_paths(step.mentions, step.cwd)
    # What a command prints as its verdict is no candidate's to say, though the case names no file for it.
    return step.own_stdout or any(map(_CALLS.search, step.mentions)) or any(map(programs.of_case, named))


def lay_out(sandbox: Sandbox, plan: Plan, stage: Stage) -> None:
    """Bring the sandbox into the state from which a stage starts."""
    grader = sandbox.uid(stage.user) if stage.apart else 0
    if grader:
        sandbox.reset(sandbox.candidate_uid(stage.user), grader=grader, built=stage.built)
    else:
        sandbox.reset(sandbox.uid(stage.user), closed=() if stage.is_of_items else control_files.home_files())
    if stage.given:
        sandbox.put(stage.given, uid=sandbox.candidate_uid(stage.user) if grader else sandbox.uid(stage.user))
    if plan.restored:
        sandbox.put(plan.restored, protect=True)
        if not grader and (written := [entry for entry in plan.restored if entry.mode == WRITTEN]):
            sandbox.put(written)
    if stage.feedback:
        feedback.lay_out(sandbox, stage)
    delivered = (*stage.delivered, *told_files.entries(plan, stage))
    if delivered:
        sandbox.put(delivered, protect=True, grader=grader)


def surroundings(sandbox: Sandbox, plan: Plan, stage: Stage, step: Step) -> Mapping[str, Any]:
    """Return the user and the environment of a command and, for a grader, the candidates' users."""
    around = {**sandbox.env, **control_files.env(), **step.env}
    if step.user is User.GRADER:
        around = {name: value for name, value in around.items() if name not in _CODE_CACHES}
    env = {step.renamed.get(name, name): value for name, value in around.items()}
    of_bun = env.get(bun_options.VARIABLE, "")
    if options := bun_options.bun_options(plan, stage, step):
        env[bun_options.VARIABLE] = f"{options} {of_bun}".rstrip()
    if stage.beside or not stage.apart:
        return {"uid": sandbox.uid(stage.user), "env": env}
    first = sandbox.candidate_uid(stage.user)
    if step.user is not User.GRADER:
        return {"uid": first, "env": {**env, "TMPDIR": CANDIDATE_TMPDIR}}
    if told_files.is_told(step):
        env[told_files.VARIABLE] = told_files.PLACE
    if step.artifact:
        env[REPORT_VARIABLE] = f"{WORKSPACE}/{step.artifact}"
    candidates = Candidates(first, own_stdout=step.own_stdout)
    path = f"{CANDIDATE_DIRECTORY}:{env.get('PATH', DEFAULT_ENV['PATH'])}"
    return {
        "uid": sandbox.uid(stage.user),
        "env": {**env, "HOME": GRADER_HOME, "TMPDIR": GRADER_TMPDIR, "PATH": path},
        "candidates": replace(candidates, env={**candidates.env, bun_options.VARIABLE: of_bun}),
    }
