"""What ``grade`` logs on stderr, for whoever looks for what went on: structlog, for people or as JSON lines.

Without ``-v`` only warnings are logged: an engine that has to be asked again. Once tells cases, twice tells every
command. A line may come from any thread, so whatever else is shown on stderr is told to make room.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from enum import StrEnum
from typing import TextIO, cast

import structlog

from graders.model.events import (
    CaseGraded,
    CaseStarted,
    EngineRetried,
    Event,
    StepStarted,
)


class LogFormat(StrEnum):
    """How a line of the log is written."""

    TEXT = "text"
    JSON = "json"


_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)
_WORDS = re.compile(r"[\w(][\w()./ +-]*", re.ASCII)
_UNSAID = (("target", None), ("repeat", 1))


class _Lines:
    """What the log is written to, a whole line at a time.

    Attributes:
        stream: Where lines go.
        room: Makes a context in which nothing else is shown there.
    """

    def __init__(self) -> None:
        self.stream: TextIO = sys.stderr
        self.room: Callable[[], AbstractContextManager[None]] = nullcontext

    def write(self, line: str) -> None:
        with self.room():
            self.stream.write(line)
            self.stream.flush()

    def flush(self) -> None:
        """Do nothing: a line that is written is flushed."""


_LINES = _Lines()


def configure(*, verbose: int = 0, form: LogFormat = LogFormat.TEXT) -> None:
    """Say once for the process what is logged, and how.

    Args:
        verbose: How often ``-v`` was given.
        form: For people, or for programs.
    """
    _LINES.stream = sys.stderr
    last: tuple[structlog.typing.Processor, ...]
    if form is LogFormat.JSON:
        # ASCII, with every control character escaped: a name cannot forge a line.
        last = structlog.processors.TimeStamper(fmt="iso", utc=True), structlog.processors.JSONRenderer()
    else:
        last = structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False), _for_people
    structlog.configure(
        processors=[structlog.processors.add_log_level, structlog.processors.format_exc_info, *last],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[min(verbose, len(_LEVELS) - 1)]),
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", _LINES)),
        cache_logger_on_first_use=False,
    )


def _for_people(_logger: object, _method: str, line: structlog.typing.EventDict) -> str:
    """Return a line; what is not known or goes without saying is left out."""
    head = f"{line.pop('timestamp')} {line.pop('level'):<7} {_shown(line.pop('event'))}"
    told = (f"{key}={_shown(value)}" for key, value in line.items() if (key, value) not in _UNSAID)
    return "  ".join([head, *told])


def _shown(value: object) -> str:
    # As Python writes it, in which no character acts on a terminal; without quotes where it needs none.
    text = str(value)
    return text if _WORDS.fullmatch(text) else repr(text)


@contextmanager
def room_for_lines(room: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    """Write every line of the log inside of such a context.

    Args:
        room: Makes one in which nothing else is shown on stderr.
    """
    _LINES.room = room
    try:
        yield
    finally:
        _LINES.room = nullcontext


_log = structlog.get_logger("grade")


def log_event(event: Event) -> None:
    """Log what a run tells."""
    match event:
        case EngineRetried():
            _log.warning("the engine is asked again", reason=event.reason, in_seconds=event.seconds)
        case CaseStarted():
            _log.info(
                "case started",
                case=event.case,
                submission=event.submission,
                target=event.target,
                repeat=event.repeat,
            )
        case StepStarted():
            _log.debug(
                "command started",
                case=event.case,
                submission=event.submission,
                target=event.target,
                repeat=event.repeat,
                step=event.step,
                number=event.number,
                count=event.count,
            )
        case CaseGraded(graded, found_before):
            _log.info(
                "verdict found before" if found_before else "case graded",
                case=graded.case,
                submission=graded.submission,
                target=graded.target,
                repeat=graded.repeat,
                verdict=str(graded.verdict.status),
                score=graded.verdict.score,
                wall_seconds=round(graded.wall_seconds, 3),
            )
