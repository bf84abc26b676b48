"""The log of ``grade`` on stderr, with structlog: for people, or as JSON lines for programs.

Without ``-v`` only warnings are logged, such as an engine that does not answer. With ``-v`` cases are logged, with
``-vv`` also commands. Any thread may log a line, so the progress display is paused for it. structlog is imported for
the first line only: most calls log nothing.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO, cast

from gradebox.graders.model.events import (
    CaseGraded,
    CasesSettled,
    CaseStarted,
    EngineRetried,
    Event,
    ImageBuilt,
    ImageProgress,
    JobsLimited,
    ReferenceTried,
    RunFinishing,
    RunStarted,
    StepStarted,
    VerdictReported,
)

if TYPE_CHECKING:
    import structlog

    from gradebox.graders.model.result import Result


class LogFormat(StrEnum):
    TEXT = "text"
    JSON = "json"


_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)
_WORDS = re.compile(r"[\w(][\w()./ +-]*", re.ASCII)
# Usual values, which lines for people leave out.
_USUAL = (("target", None), ("repeat", 1))


class _Lines:
    """The stream of the log, written in whole lines; `room` returns a context in which nothing else is shown."""

    def __init__(self) -> None:
        self.stream: TextIO = sys.stderr
        self.room: Callable[[], AbstractContextManager[None]] = nullcontext
        self.level = logging.WARNING
        self.form = LogFormat.TEXT

    def write(self, line: str) -> None:
        with self.room():
            self.stream.write(line)
            self.stream.flush()

    def flush(self) -> None:
        """Do nothing: every written line is already flushed."""


_LINES = _Lines()


def configure(*, verbose: int = 0, form: LogFormat = LogFormat.TEXT) -> None:
    """Set level and form of the log for the process; `verbose` is how often ``-v`` was given."""
    _LINES.stream = sys.stderr
    _LINES.level = _LEVELS[min(verbose, len(_LEVELS) - 1)]
    _LINES.form = form


@cache
def _logger(form: LogFormat) -> Any:
    import structlog

    last: tuple[structlog.typing.Processor, ...]
    if form is LogFormat.JSON:
        # ASCII, with every control character escaped: a name cannot forge a line.
        last = structlog.processors.TimeStamper(fmt="iso", utc=True), structlog.processors.JSONRenderer()
    else:
        last = structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False), _for_people
    return structlog.wrap_logger(
        structlog.WriteLogger(cast("TextIO", _LINES)),
        processors=[structlog.processors.add_log_level, structlog.processors.format_exc_info, *last],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG),
    )


def _for_people(_logger: object, _method: str, line: structlog.typing.EventDict) -> str:
    head = f"{line.pop('timestamp')} {line.pop('level'):<7} {_shown(line.pop('event'))}"
    rest = (f"{key}={_shown(value)}" for key, value in line.items() if (key, value) not in _USUAL)
    return "  ".join([head, *rest])


def _shown(value: object) -> str:
    # `repr` contains no character that acts on a terminal. Plain words need no quotes.
    text = str(value)
    return text if _WORDS.fullmatch(text) else repr(text)


@contextmanager
def room_for_lines(room: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    """Write every line of the log inside a context from `room`, in which nothing else is shown on stderr."""
    _LINES.room = room
    try:
        yield
    finally:
        _LINES.room = nullcontext


def log_event(event: Event) -> None:
    if isinstance(event, RunStarted | RunFinishing | VerdictReported | CasesSettled):
        # `RunOutput` shows these events.
        return
    level, sentence, fields = _described(event)
    if level >= _LINES.level:
        _logger(_LINES.form).log(level, sentence, **fields)


def _described(
    event: CaseStarted
    | StepStarted
    | CaseGraded
    | EngineRetried
    | JobsLimited
    | ReferenceTried
    | ImageProgress
    | ImageBuilt,
) -> tuple[int, str, dict[str, Any]]:
    match event:
        case EngineRetried():
            fields = {"reason": event.reason, "in_seconds": event.seconds}
            return logging.WARNING, "the engine gets the request again", fields
        case JobsLimited(reason, jobs):
            return logging.WARNING, "fewer gradings run at a time", {"reason": reason, "jobs": jobs}
        case ImageProgress(case, line):
            return logging.DEBUG if line else logging.INFO, line or "image being built", {"case": case}
        case ImageBuilt(case, image, seconds):
            return logging.INFO, "image built", {"case": case, "image": image, "seconds": round(seconds, 3)}
        case CaseStarted():
            return logging.INFO, "case started", _grading(event)
        case ReferenceTried(case):
            return logging.INFO, "reference judged, to find out how submissions are", {"case": case}
        case StepStarted():
            step = {"step": event.step, "number": event.number, "count": event.total}
            return logging.DEBUG, "command started", {**_grading(event), **step}
        case CaseGraded(graded, found_before):
            verdict = {
                "verdict": str(graded.verdict.status),
                "score": graded.verdict.score,
                "wall_seconds": round(graded.wall_seconds, 3),
            }
            sentence = "verdict taken from an earlier run" if found_before else "case graded"
            return logging.INFO, sentence, {**_grading(graded), **verdict}


def _grading(of: CaseStarted | StepStarted | Result) -> dict[str, Any]:
    return {"case": of.case, "submission": of.submission, "target": of.target, "repeat": of.repeat}
