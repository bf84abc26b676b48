"""The article about one verdict: reasons, checks, commands, changes of the submission, and how to grade it again.

Reads only as much of the verdict's evidence as the page shows.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.graders.reports import wording
from gradebox.graders.reports.html_report.outputs import (
    STREAM_MAX,
    CharacterBudget,
    Stream,
    changed_lines,
    diff_lines,
    shares,
    stream,
)
from gradebox.graders.reports.html_report.overview import Bar
from gradebox.graders.reports.html_report.rerun import CommandLines
from gradebox.graders.runs.saved_evidence import SavedStep, changes_of, memory_of, steps_of
from gradebox.graders.runs.saved_run import SavedRun, owner_of

# With fewer characters than this, a command that succeeded is one line.
BRIEF_BELOW = 4 * 1024
_DIFF_MAX = 24 * 1024
_ARGV_MAX = 1500
# The most commands of one grading that are listed; the others are counted.
_COMMANDS = 40


class ShownCommand(NamedTuple):
    """One command of a grading, as texts, which may be empty. If `brief`, the page shows it in one line."""

    brief: bool
    passed: bool
    name: str
    role: str
    ending: str
    seconds: float
    memory: str
    argv: str
    reason: str
    usage: str
    streams: list[Stream]


class Changes(NamedTuple):
    """The changes of the submission; `lines` is empty if there is no room."""

    added: int
    removed: int
    lines: Markup


class Timeline(NamedTuple):
    """The commands of a grading as consecutive bars."""

    width: int
    height: int
    pixels: int  # The height on the page.
    bars: list[Bar]


class ShownDifference(NamedTuple):
    """The place where two texts first differ, and an excerpt of each by name."""

    where: str
    sides: list[tuple[str, str]]


class Article(NamedTuple):
    """The variables of the article's template."""

    verdict: VerdictDocument
    commands: list[ShownCommand]
    commands_omitted: int
    # The highest memory use of the sandbox and its limit, in bytes; None if unknown.
    memory: tuple[int | None, int | None]
    changes: Changes | None
    # Command lines; None if the record of the run lacks the data.
    grade_again: str | None
    show: str
    evidence: str | None  # The place of the evidence; None in brief.
    # Only for a page that shows a single verdict.
    timeline: Timeline | None = None
    differences: Sequence[ShownDifference] = ()


def article(run: SavedRun, verdict: VerdictDocument, lines: CommandLines, characters: int) -> Article:
    """Return the article of a verdict, in which outputs and diff take at most `characters` of the page."""
    budget = CharacterBudget(characters)
    brief = characters < BRIEF_BELOW
    in_full = not (brief and verdict.verdict == "passed")
    # The diff gets at most a third of the characters; the rest is for outputs.
    diff_characters = budget.take(min(_DIFF_MAX, characters // 3)) if in_full else 0
    steps = steps_of(run, verdict, max_bytes=STREAM_MAX)
    listed = _listed(steps)
    memory = memory_of(run, verdict)
    limit = memory.get("memory_limit_bytes")
    changes = None
    if diff := changes_of(run, verdict):
        shown = diff_lines(diff, diff_characters) if diff_characters else Markup("")
        changes = Changes(*changed_lines(diff), shown)
    return Article(
        verdict=verdict,
        commands=_commands(listed, limit, budget, brief=brief),
        commands_omitted=len(steps) - len(listed),
        memory=(memory.get("memory_peak_bytes"), limit),
        changes=changes,
        grade_again=lines.grade_again(verdict),
        show=lines.show(verdict),
        evidence=run.evidence.place(owner_of(verdict)) if in_full else None,
    )


def _listed(steps: Sequence[SavedStep]) -> list[SavedStep]:
    """Return the steps to list, in their order. Failed steps are chosen before others."""
    chosen = sorted(range(len(steps)), key=lambda number: (steps[number].passed, number))[:_COMMANDS]
    return [steps[number] for number in sorted(chosen)]


def _commands(
    steps: Sequence[SavedStep], limit: int | None, budget: CharacterBudget, *, brief: bool
) -> list[ShownCommand]:
    room = iter(shares([step for step in steps if not (brief and step.passed)], budget))
    return [_command(step, limit, None if brief and step.passed else next(room)) for step in steps]


def _command(step: SavedStep, limit: int | None, room: tuple[int, int] | None) -> ShownCommand:
    ending = wording.ending(step)
    reason = step.reason or step.detail
    peak = step.usage.get("peak_rss_bytes")
    streams = (stream("stdout", step.stdout, room[0]), stream("stderr", step.stderr, room[1])) if room else ()
    return ShownCommand(
        brief=room is None,
        passed=step.passed,
        name=step.name,
        role="" if step.role in f"check {step.name}" else step.role,
        ending=ending,
        seconds=step.wall_seconds,
        memory=wording.of_limit(peak, limit) if isinstance(peak, int) and peak else "",
        argv=shlex.join(step.argv)[:_ARGV_MAX],
        reason="" if reason == ending else reason,
        usage=_usage(step.usage),
        streams=[one for one in streams if one],
    )


def _usage(usage: Mapping[str, Any]) -> str:
    if not usage:
        return ""
    # Version 0.1 recorded no sum.
    cpu = float(usage.get("cpu_seconds") or 0) or sum(
        float(usage.get(f"{of}_seconds") or 0) for of in ("user", "system")
    )
    parts = [f"CPU {wording.seconds(cpu)}"]
    for name, what in (
        ("oom_kills", "killed for lack of memory"),
        ("pids_refused", "refused by the limit"),
        ("killed_processes", "left over and killed"),
    ):
        if usage.get(name):
            parts.append(f"{wording.counted(int(usage[name]), 'process', 'processes')} {what}")
    return ", ".join(parts)
