"""A checker: a program of the case that decides whether one output is right, given the input and the answer.

It runs in its own stage when no process of the candidate is alive, so no submission can influence it. It is called like
an output validator of a Kattis problem package: its last arguments are the input file, the answer file and a directory
for feedback; its stdin is the output. Only two exit statuses are valid. Any other status is a mistake of the checker.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, NamedTuple

from gradebox.graders.checks.base import Check, CheckPlanner
from gradebox.graders.checks.io.verdicts import RunResult, RunVerdict
from gradebox.graders.checks.results import ending_sentence, last_words
from gradebox.graders.model.case import CommandSpec
from gradebox.graders.model.evidence import StepOutcome
from gradebox.graders.model.expectation import Content
from gradebox.graders.model.plan import Role, Stage
from gradebox.sandbox.archive import ArchiveEntry, EntryKind
from gradebox.sandbox.types import WORKSPACE

Protocol = Literal["kattis", "exit"]
_PLACE = ".gradebox-io"
_INPUT, _ANSWER, _OUTPUT = (f"{_PLACE}/{name}" for name in ("input", "answer", "output"))
FEEDBACK = ".gradebox-feedback"
MESSAGE = f"{FEEDBACK}/judgemessage.txt"
_WORDS = {"{input}": _INPUT, "{answer}": _ANSWER, "{output}": _OUTPUT, "{feedback}": FEEDBACK}
MESSAGE_CHARACTERS = 300


class _Statuses(NamedTuple):
    accepts: int
    refuses: int


STATUSES: Mapping[Protocol, _Statuses] = {"kattis": _Statuses(42, 43), "exit": _Statuses(0, 1)}


def checker_stage(
    check: Check,
    planner: CheckPlanner,
    command: CommandSpec,
    name: str,
    contents: tuple[Content, Content],
    how: Protocol,
) -> Stage:
    """Return the stage in which a checker reads the output of the stage before it; `contents` are input and answer."""
    step = planner.step(Role.CHECKER, name, replace(command, argv=with_paths(command.argv)), check=check)
    stage = planner.stage(f"{check.name} {name} checker", [replace(step, artifact=MESSAGE)], check.name)
    return replace(
        stage,
        delivered=(*stage.delivered, *files(contents)),
        given=(ArchiveEntry(FEEDBACK, EntryKind.DIRECTORY, 0o755),),
        output_path=_OUTPUT,
        accepts=STATUSES[how].accepts,
    )


def with_paths(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return a command with its placeholders replaced by paths; without placeholders, append Kattis's arguments."""
    paths = {word: f"{WORKSPACE}/{path}" for word, path in _WORDS.items()}
    found = tuple(paths.get(word, word) for word in argv)
    return found if found != argv else (*argv, *(paths[word] for word in ("{input}", "{answer}", "{feedback}")))


def files(contents: tuple[Content, Content]) -> tuple[ArchiveEntry, ...]:
    """Return a directory with the input file and the answer file."""
    listed = (
        ArchiveEntry(path, size=content.size, data=None if content.file else content.data, source=content.file)
        for path, content in zip((_INPUT, _ANSWER), contents, strict=True)
    )
    return (ArchiveEntry(_PLACE, EntryKind.DIRECTORY, 0o755), *listed)


def checked(ran: StepOutcome, how: Protocol) -> RunResult:
    """Return the result that a checker gave for an output."""
    status = ran.outcome.exit_code
    said = ran.artifact.data.decode("utf-8", "replace").strip() if ran.artifact else ""
    if status == STATUSES[how].accepts:
        return RunResult(RunVerdict.ACCEPTED, score=1.0)
    if status == STATUSES[how].refuses:
        return RunResult(RunVerdict.WRONG_ANSWER, reason=said[:MESSAGE_CHARACTERS] or "the checker refuses it")
    fault = f"the checker cannot judge it: {ending_sentence(ran)}{last_words(ran)}"
    if status is not None:
        fault += "; {} accepts and {} refuses".format(*STATUSES[how])
    return RunResult(RunVerdict.NOT_RUN, fault=fault)
