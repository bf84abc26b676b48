"""A unified diff with its lines coloured by what they do. Pure."""

from __future__ import annotations

from itertools import groupby

from graders.reports import wording as amounts
from graders.reports.html_report.markup import (
    Html,
    block,
    lines,
    span,
)

_LINE_MAX = 400
_CLASSES = {"+": "add", "-": "del", "@": "hunk", "\\": "meta"}
_NAMES = ("+++ ", "--- ", "diff ", "index ", "new file", "deleted file", "old mode", "new mode", "rename ", "Binary ")


def changed_lines(diff: str) -> tuple[int, int]:
    """Return how many lines a diff adds and removes."""
    added = removed = 0
    for line in diff.split("\n"):
        added += line.startswith("+") and not line.startswith("+++ ")
        removed += line.startswith("-") and not line.startswith("--- ")
    return added, removed


def diff_block(diff: str, most: int) -> Html:
    """Return a diff as a block.

    Args:
        diff: The whole of it.
        most: How many characters of the page it may take.
    """
    shown, left = [], most
    every = diff.removesuffix("\n").split("\n")
    for line in every:
        short = line if len(line) <= _LINE_MAX else f"{line[:_LINE_MAX]} […]"
        left -= len(lines(short, mark=True)) + 1
        if left < 0:
            break
        shown.append(short)
    parts = [_run(kind, "\n".join(run)) for kind, run in groupby(shown, _kind)]
    if len(shown) < len(every):
        parts.append(span("cut", f"… {amounts.counted(len(every) - len(shown), 'line')} not shown …"))
    return block("diff", "diff", *parts)


def _kind(line: str) -> str:
    return "name" if line.startswith(_NAMES) else _CLASSES.get(line[:1], "")


def _run(kind: str, source: str) -> Html:
    # The end of the line is within the element, so that its colour reaches over the whole line.
    content = lines(f"{source}\n", mark=True)
    return span(kind, content) if kind else content
