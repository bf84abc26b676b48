"""What ``grade`` logs on stderr, for whoever looks for what went on: structlog, for people or as JSON lines.

Without ``-v`` only warnings are logged: an engine that was asked again, a sandbox that was lost. Once tells cases,
twice tells every command.
"""

from __future__ import annotations

import logging
import sys
from enum import StrEnum

import structlog

from graders.events import CaseGraded, CaseStarted, Event, StepStarted


class LogFormat(StrEnum):
    """How a line of the log is written."""

    TEXT = "text"
    JSON = "json"


_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)


def configure(*, verbose: int = 0, form: LogFormat = LogFormat.TEXT) -> None:
    """Say once for the process what is logged, and how.

    Args:
        verbose: How often ``-v`` was given.
        form: For people, or for programs.
    """
    last: structlog.typing.Processor
    if form is LogFormat.JSON:
        # ASCII, with every control character escaped: a name cannot forge a line.
        last = structlog.processors.JSONRenderer()
    else:
        last = structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"])
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[min(verbose, len(_LEVELS) - 1)]),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


_log = structlog.get_logger("grade")


def log_event(event: Event) -> None:
    """Log what a run tells."""
    match event:
        case CaseStarted():
            _log.info("case started", case=event.case, submission=event.submission, target=event.target)
        case StepStarted():
            _log.debug("command started", case=event.case, submission=event.submission, step=event.step)
        case CaseGraded(graded):
            _log.info(
                "case graded",
                case=graded.case,
                submission=graded.submission,
                target=graded.target,
                verdict=str(graded.verdict.status),
                score=graded.verdict.score,
                wall_seconds=round(graded.wall_seconds, 3),
            )
