"""Converts files to text for code graders and judges, by commands of the case (preprocessors).

A plan contains a mark in place of such a text. The preprocessor's step comes before the code grader's step, in the same
stage; for a judge it has its own stage. Its output replaces the mark. It reads ``{"path", "original_path",
"media_type"}`` on stdin.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from gradebox.graders.checks.base import CheckPlanner
from gradebox.graders.model.case import Case, CaseCheck, Preprocessor
from gradebox.graders.model.evidence import StepOutcome
from gradebox.graders.model.plan import Role, Step
from gradebox.sandbox.types import WORKSPACE


def preprocessor(case: Case, file: str) -> Preprocessor | None:
    """Return the preprocessor for a file's suffix or media type; None if the file needs none."""
    if not case.preprocessors:
        return None
    suffix, media_type = PurePosixPath(file).suffix.lower(), _media_type(file)
    names = {suffix, suffix.removeprefix("."), media_type} - {""}
    return next((found for found in case.preprocessors if found.type.lower() in names), None)


def mark(path: str) -> str:
    """Return the mark that stands for a file's text until it is made."""
    return f"\ue000text of {path}\ue000"


def steps(case: Case, check: CaseCheck, planner: CheckPlanner, files: Iterable[tuple[str, str]]) -> Iterator[Step]:
    """Yield the steps that make texts. `files` are pairs of a name as written and a path in the workspace."""
    for written, path in files:
        found = preprocessor(case, written)
        if found is not None:
            told = {"path": f"{WORKSPACE}/{path}", "original_path": written, "media_type": _media_type(written)}
            stdin = json.dumps(told, ensure_ascii=False).encode()
            name = f"{check.name} text of {written}"
            step = planner.step(Role.CHECK_SETUP, name, found.command, check=check, stdin=stdin)
            yield replace(step, fills=mark(path))


def made_texts(done: Iterable[StepOutcome]) -> dict[str, str]:
    """Return the texts that commands have made, by their marks."""
    return {ran.step.fills: text_of(ran) for ran in done if ran.step.fills}


def text_of(ran: StepOutcome) -> str:
    return ran.outcome.stdout.content().decode("utf-8", "replace").strip()


def unmade(done: Iterable[StepOutcome]) -> StepOutcome | None:
    """Return the first command that did not make its text."""
    return next((ran for ran in done if ran.step.fills and ran.outcome.exit_code != 0), None)


def filled(step: Step, texts: Mapping[str, str]) -> Step:
    """Return a step with the marks on its stdin replaced by these texts."""
    stdin = step.stdin
    for place, text in texts.items():
        stdin = stdin.replace(_in_json(place), _in_json(text))
    return step if stdin == step.stdin else replace(step, stdin=stdin)


def _in_json(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "replace")


def _media_type(file: str) -> str:
    from mimetypes import guess_type  # noqa: PLC0415 - it reads files of the system, and is seldom needed

    return guess_type(file, strict=False)[0] or ""
