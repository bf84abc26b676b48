"""Repeats in the grader's process the warnings and log records of the submission's process."""

from __future__ import annotations

import sys
from typing import Any

from gradebox.graders.languages.python.inside.apart.describing import HERE
from gradebox.graders.languages.python.inside.apart.wire import Malformed


def note(files: Any, is_exact: bool, kind: Any, *parts: Any) -> None:
    """Repeat a warning or a log record here; with `is_exact`, nothing shows where and how the submission made it."""
    if kind == "warning" and [*map(type, parts[1:])] == [str, int] and isinstance(parts[0], Warning):
        import linecache
        import warnings

        path, line = parts[1:]
        if path == HERE:
            # The warning names its caller, which is the test.
            frame: Any = sys._getframe(1)
            while frame is not None and frame.f_code.co_filename == HERE:
                frame = frame.f_back
            path, line = (frame.f_code.co_filename, frame.f_lineno) if frame is not None else (path, line)
        else:
            is_shown = not is_exact and files is not None and files.is_inside(path) and path not in files
            path, line = path if is_shown else "<submission>", 0 if is_exact else line
            # The warning is shown without its line, so that no file is opened by a name from the submission.
            linecache.cache.setdefault(path, (0, None, [], path))
        warnings.warn_explicit(parts[0], None, path, line)
    elif kind == "log" and [*map(type, parts[:6])] == [str, int, str, str, int, str]:
        import logging

        name, level, words, path, line, function, error, trace, extra = parts
        if is_exact:
            # Answers have the error itself.
            path, line, function, trace = "<submission>", 0, "", None
        logger = logging.getLogger(name)
        if logger.isEnabledFor(level):
            told = (type(error), error, None) if isinstance(error, BaseException) else None
            record = logger.makeRecord(logger.name, level, path, line, words, (), told, function, extra)
            record.exc_text = trace if type(trace) is str else None
            logger.handle(record)
    else:
        raise Malformed("it notes nothing")
