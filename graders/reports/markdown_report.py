"""A run as Markdown, for the summary of a CI job or a comment: counts, a table, and failures with their output.

The document consists of independent blocks, as many as fit: GitHub accepts 1 MiB as the summary of a step and drops a
larger one entirely.

Text of candidates never becomes markup, a link, an image, a mention or the end of a block. It never begins a line
either, since programs read comments too: GitLab executes `/merge` at the beginning of a line, even in a block with a
shorter fence inside, and GitHub bots have similar commands. The rules are those of CommonMark 0.31 (2.5: a character
reference is never structure; 4.5: a closing fence has at least as many backticks as the opening one; 6.1) and of
GitHub's tables, mentions and references.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from gradebox.graders.model.verdict_document import CheckDocument, VerdictDocument, result_of
from gradebox.graders.reports import wording
from gradebox.graders.reports.escaping import inert, plain, plain_line
from gradebox.graders.reports.verdict_names import VerdictNames
from gradebox.graders.runs.saved_evidence import SavedStep, steps_of
from gradebox.graders.runs.saved_run import SavedRun
from gradebox.graders.runs.statistics import Totals, busy_seconds

MAX_BYTES = 1_000_000
_WORDS = {"passed": "passed", "failed": "failed", "error": "could not be graded", "not_judged": "not judged"}
_MARKS = {"passed": "✅", "failed": "❌", "error": "⚠️", "not_judged": "⏭️"}
_ROWS_MAX = 1000
_REASONS_MAX = 10
_STEPS_MAX = 5
_OUTPUT_BYTES = 4096
_OUTPUT_LINES = 40
# Bytes for the sentence about omitted blocks.
_RESERVE = 300
_BACKTICKS = re.compile("`+")
# GitHub resolves character references before it looks for mentions, addresses and references.
_JOINED = {"@": "&#64;&#8288;", "#": "&#35;&#8288;"}


def report(run: SavedRun) -> Iterator[str]:
    yield from sized(run, MAX_BYTES)


def sized(run: SavedRun, max_bytes: int) -> Iterator[str]:
    """Yield as many blocks of the document as fit; if any are omitted, a sentence says so."""
    omitted = "The rest is omitted for its size. `grade report` and `grade show` have all of it."
    return fitted(_blocks(run), max_bytes, omitted)


def fitted(blocks: Iterable[str], max_bytes: int, omitted: str) -> Iterator[str]:
    """Yield as many blocks as fit, and the sentence `omitted` if some do not."""
    left = max_bytes - _RESERVE
    for block in blocks:
        size = len(block.encode())
        if size > left:
            yield f"\n{omitted}\n"
            return
        left -= size
        yield block


def counted(counts: Mapping[str, int]) -> str:
    """Return the numbers of verdicts of each status, in words."""
    found = (f"{counts[status]} {word}" for status, word in _WORDS.items() if counts.get(status))
    return ", ".join(found) or "no verdicts"


def _blocks(run: SavedRun) -> Iterator[str]:
    names = VerdictNames(run.verdicts)
    own: list[tuple[datetime, float]] = []
    totals = Totals()
    # The table is limited; verdicts that did not pass come first.
    wrong: list[str] = []
    passed: list[str] = []
    for verdict in run.verdicts.values():
        totals.add(result_of(verdict))
        if not verdict.reused:
            # The time of a reused verdict was spent in another run.
            own.append((verdict.started, verdict.wall_seconds))
        rows = passed if verdict.verdict == "passed" else wrong
        if len(rows) < _ROWS_MAX:
            rows.append(_row(verdict, names.name(verdict)))
    busy = busy_seconds(own)
    time = f"{busy:.1f} s, {totals.wall_seconds:.1f} s of grading"
    counts = {str(status): count for status, count in totals.statuses.items()}
    yield f"## gradebox: {counted(counts)}\n\nRun {code(run.id)}: {time}.\n\n"
    if totals.count:
        yield "".join(("| | case | score | reason |\n|---|---|---:|---|\n", *[*wrong, *passed][:_ROWS_MAX]))
    if totals.count > _ROWS_MAX:
        yield f"\nAnd {totals.count - _ROWS_MAX} more.\n"
    yield "".join(f"\n{escaped(sentence)}\n" for sentence in (*totals.tries.sentences(), *totals.gaps()))
    for verdict in run.verdicts.values():
        if verdict.verdict in {"failed", "error"}:
            yield _section(run, verdict, names.name(verdict))


def _row(verdict: VerdictDocument, name: str) -> str:
    reason = verdict.reasons[0] if verdict.reasons else ""
    score = wording.score(verdict.score)
    return f"| {_MARKS[verdict.verdict]} | {code(name)} | {score} | {escaped(reason, 160)} |\n"


def _section(run: SavedRun, verdict: VerdictDocument, name: str) -> str:
    lines = [f"\n### {_MARKS[verdict.verdict]} {code(name)}: {_WORDS[verdict.verdict]}\n\n"]
    lines += [f"- {escaped(reason, 600)}\n" for reason in verdict.reasons[:_REASONS_MAX]]
    if len(verdict.reasons) > _REASONS_MAX:
        lines.append(f"- and {len(verdict.reasons) - _REASONS_MAX} more reasons\n")
    wrong = [check for check in verdict.checks if check.verdict != "passed"]
    if wrong:
        lines.append("\n| check | verdict | score | reason |\n|---|---|---:|---|\n")
        lines += map(_check, wrong[:_ROWS_MAX])
    failed = [step for step in steps_of(run, verdict, max_bytes=2 * _OUTPUT_BYTES) if not step.passed]
    lines += map(_output, failed[:_STEPS_MAX])
    if len(failed) > _STEPS_MAX:
        lines.append(f"\nAnd {len(failed) - _STEPS_MAX} more commands that failed.\n")
    return "".join(lines)


def _check(check: CheckDocument) -> str:
    score = wording.score(check.score)
    return f"| {code(check.name)} | {_WORDS[check.verdict]} | {score} | {escaped(check.reason)} |\n"


def _output(step: SavedStep) -> str:
    lines = [f"\n{code(step.name)} {wording.ended(step)}: {code(shlex.join(step.argv))}\n"]
    for name, stream in (("stdout", step.stdout), ("stderr", step.stderr)):
        if stream.total_bytes:
            lines.append(f"\n{name}, {stream.total_bytes} bytes:\n\n{fenced(_end(stream.tail or stream.head))}")
    return "".join(lines)


def _end(output: bytes) -> str:
    text = output[-_OUTPUT_BYTES:].decode("utf-8", "replace").rstrip()
    lines = text.split("\n")
    return "\n".join(lines if len(lines) <= _OUTPUT_LINES else ["[...]", *lines[-_OUTPUT_LINES:]])


def escaped(text: str, max_characters: int = 300) -> str:
    """Return text as one line without markup, for a paragraph, a heading or a table cell."""
    return "".join(map(_escape, plain_line(text, max_characters)))


def code(text: str, max_characters: int = 300) -> str:
    """Return text as one line of code, in an HTML element: backticks cannot hold every name."""
    return f"<code>{escaped(text, max_characters)}</code>"


def fenced(text: str) -> str:
    """Return text as a fenced block, in which each line begins with a blank."""
    shown = "\n".join(f" {line}" for line in inert(plain(text).rstrip("\n")).split("\n"))
    fence = "`" * max(3, *(len(run) + 1 for run in _BACKTICKS.findall(shown)), 0)
    return f"{fence}text\n{shown}\n{fence}\n"


def _escape(character: str) -> str:
    if character.isalnum() or character == " ":
        return character
    return _JOINED.get(character) or f"&#{ord(character)};"
