"""Prints on stderr: warnings, notes and diagnostics, a line each. stdout is for verdicts.

Control characters in texts of candidates and files are made visible. Colours are written without rich, which takes
longer to import than most commands take to run.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TextIO

import typer

from gradebox.graders.reports.escaping import visible

if TYPE_CHECKING:
    from gradebox.graders.cases import Diagnostic
    from gradebox.graders.model.verdict import Status


STATUS_COLOURS = {"passed": "green", "failed": "red", "error": "magenta", "not_judged": "yellow"}


def coloured(stream: TextIO) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or on_terminal(stream)


def on_terminal(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that understands colours and can move its cursor."""
    return stream.isatty() and os.environ.get("TERM", "") not in {"dumb", "unknown"}


def styled(text: str, stream: TextIO, colour: str | None = None, *, dim: bool = False) -> str:
    """Return text with the codes of a colour, if the stream shows colours."""
    return typer.style(text, fg=colour, dim=dim or None) if coloured(stream) else text


def error(sentence: str, remedy: str = "") -> None:
    """Print the error that ended the command, and the remedy."""
    _print(f"grade: {sentence}", "red")
    if remedy:
        _print(f"  {remedy}")


def warn(*sentences: str) -> None:
    """Print warnings about possible mistakes that do not stop the command."""
    for sentence in sentences:
        _print(sentence, "yellow")


def note(*sentences: str) -> None:
    for sentence in sentences:
        _print(sentence, dim=True)


def say(sentence: str) -> None:
    _print(sentence)


class _Findings:
    hidden = False


def hide_findings(*, hidden: bool) -> None:
    """Set for the process whether to only count findings about cases, which quote text that candidates must not see."""
    _Findings.hidden = hidden


def print_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    found = [str(diagnostic) for diagnostic in diagnostics]
    if found and _Findings.hidden:
        found = [f"{counted(len(found), 'finding')} about the cases: `grade validate` prints them"]
    for line in found:
        _print(line)


def json_line(value: object) -> str:
    """Return a value as JSON for any reader: bytes of names that are not UTF-8 become replacement characters."""
    text = json.dumps(value, ensure_ascii=False)
    return json.dumps(json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")))


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 case``, ``2 cases``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def print_counts(statuses: Mapping[Status, int], remark: str) -> None:
    """Print one line with the counts of verdicts, and a remark such as the time they took."""
    counts = {str(status): number for status, number in statuses.items()}
    words = []
    for status, colour in STATUS_COLOURS.items():
        number = counts.get(status, 0)
        if number or status == "passed":
            words.append(styled(f"{number} {status.replace('_', ' ')}", sys.stderr, colour, dim=not number))
    words.append(styled(remark, sys.stderr, dim=True))
    print("  ".join(words), file=sys.stderr, flush=True)


def _print(line: str, colour: str | None = None, *, dim: bool = False) -> None:
    stream = sys.stderr
    stream.write(styled(visible(line), stream, colour, dim=dim) + "\n")
    stream.flush()
