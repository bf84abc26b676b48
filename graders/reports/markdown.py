"""A run as Markdown, for the summary of a CI job or a comment: counts, a table, and what went wrong with its output.

Made of blocks that are whole by themselves, and of as many of them as there is room for. GitHub takes 1 MiB for the
summary of a step and drops all of a larger one.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime

from graders.model.result import CheckDocument, VerdictDocument
from graders.reports.markdown_text import code, escaped, fenced
from graders.reports.naming import Naming, ending
from graders.runs.reading import SavedRun
from graders.runs.saved_evidence import SavedStep, steps_of
from graders.runs.statistics import busy_seconds

MAX_BYTES = 1_000_000
_WORDS = {"passed": "passed", "failed": "failed", "error": "could not be graded", "not_judged": "not judged"}
_MARKS = {"passed": "✅", "failed": "❌", "error": "⚠️", "not_judged": "⏭️"}
_ROWS_MAX = 1000
_REASONS_MAX = 10
_STEPS_MAX = 5
_OUTPUT_BYTES = 4096
_OUTPUT_LINES = 40
# For the sentence about what is left out.
_RESERVE = 300


def report(run: SavedRun) -> Iterator[str]:
    """Yield the document, block by block."""
    yield from sized(run, MAX_BYTES)


def sized(run: SavedRun, max_bytes: int) -> Iterator[str]:
    """Yield as many blocks of the document as fit; if any are left out, a sentence says so."""
    left = max_bytes - _RESERVE
    for block in _blocks(run):
        size = len(block.encode())
        if size > left:
            yield "\nThere is no room for the rest. `grade report` and `grade show` have all of it.\n"
            return
        left -= size
        yield block


def counted(counts: Mapping[str, int]) -> str:
    """Return how many verdicts there are of each kind, in words."""
    found = (f"{counts[status]} {word}" for status, word in _WORDS.items() if counts.get(status))
    return ", ".join(found) or "no verdicts"


def _blocks(run: SavedRun) -> Iterator[str]:
    naming = Naming(run.verdicts)
    counts: Counter[str] = Counter()
    seconds = 0.0
    own: list[tuple[datetime, float]] = []
    # A thousand rows say enough; those that did not pass come first.
    wrong: list[str] = []
    passed: list[str] = []
    for verdict in run.verdicts.values():
        counts[verdict.verdict] += 1
        seconds += verdict.wall_seconds
        if not verdict.reused:
            # What was taken from another run took its time there.
            own.append((verdict.started, verdict.wall_seconds))
        rows = passed if verdict.verdict == "passed" else wrong
        if len(rows) < _ROWS_MAX:
            rows.append(_row(verdict, naming.name(verdict)))
    busy = busy_seconds(own)
    yield f"## gradebox: {counted(counts)}\n\nRun {code(run.id)}: {busy:.1f} s, {seconds:.1f} s of grading.\n\n"
    if counts:
        yield "".join(("| | case | score | reason |\n|---|---|---:|---|\n", *[*wrong, *passed][:_ROWS_MAX]))
    if counts.total() > _ROWS_MAX:
        yield f"\nAnd {counts.total() - _ROWS_MAX} more.\n"
    for verdict in run.verdicts.values():
        if verdict.verdict in {"failed", "error"}:
            yield _section(run, verdict, naming.name(verdict))


def _row(verdict: VerdictDocument, name: str) -> str:
    reason = verdict.reasons[0] if verdict.reasons else ""
    score = "" if verdict.score is None else f"{verdict.score:.3f}"
    return f"| {_MARKS[verdict.verdict]} | {code(name)} | {score} | {escaped(reason, 160)} |\n"


def _section(run: SavedRun, verdict: VerdictDocument, name: str) -> str:
    lines = [f"\n### {_MARKS[verdict.verdict]} {code(name)}: {_WORDS[verdict.verdict]}\n\n"]
    lines += [f"- {escaped(reason, 600)}\n" for reason in verdict.reasons[:_REASONS_MAX]]
    if len(verdict.reasons) > _REASONS_MAX:
        lines.append(f"- and {len(verdict.reasons) - _REASONS_MAX} more reasons\n")
    wrong = [check for check in verdict.checks if check.verdict != "passed"]
    if wrong:
        lines.append("\n| check | verdict | score | reason |\n|---|---|---:|---|\n")
        lines += [_check(check) for check in wrong[:_ROWS_MAX]]
    failed = [step for step in steps_of(run, verdict, max_bytes=2 * _OUTPUT_BYTES) if not step.passed]
    lines += [_output(step) for step in failed[:_STEPS_MAX]]
    if len(failed) > _STEPS_MAX:
        lines.append(f"\nAnd {len(failed) - _STEPS_MAX} more commands that did not do what was wanted.\n")
    return "".join(lines)


def _check(check: CheckDocument) -> str:
    score = "" if check.score is None else f"{check.score:.3f}"
    return f"| {code(check.name)} | {_WORDS[check.verdict]} | {score} | {escaped(check.reason)} |\n"


def _output(step: SavedStep) -> str:
    """Return a command with the end of what it printed."""
    how = ending(step.ending, step.exit_code, step.signal, step.wall_seconds)
    lines = [f"\n{code(step.name)} {how}: {code(shlex.join(step.argv))}\n"]
    for name, stream in (("stdout", step.stdout), ("stderr", step.stderr)):
        if stream.total_bytes:
            lines.append(f"\n{name}, {stream.total_bytes} bytes:\n\n{fenced(_end(stream.tail or stream.head))}")
    return "".join(lines)


def _end(output: bytes) -> str:
    text = output[-_OUTPUT_BYTES:].decode("utf-8", "replace").rstrip()
    lines = text.split("\n")
    return "\n".join(lines if len(lines) <= _OUTPUT_LINES else ["[...]", *lines[-_OUTPUT_LINES:]])
