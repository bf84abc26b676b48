"""The commands of one grading: how each ended, how long it took, what memory it used, and what it printed. Pure."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Mapping, Sequence
from typing import Any

from graders.reports import wording as amounts
from graders.reports.html_report.markup import (
    NOTHING,
    Html,
    block,
    element,
    joined,
    lines,
    span,
)
from graders.reports.html_report.outputs import Room, shares, stream
from graders.reports.html_report.vocabulary import dot
from graders.runs.saved_evidence import SavedStep

_BAR = 60
# Of one grading. What comes after these is named by its number and can be had from the run.
_LISTED = 40
_ARGV_MAX = 1500


def command_list(steps: Sequence[SavedStep], limit_bytes: int | None, room: Room, *, brief: bool = False) -> Html:
    """Return the commands.

    Args:
        steps: In their order.
        limit_bytes: What the sandbox might use, None where that is not known.
        room: For what they printed.
        brief: Whether those that went well are a line each.
    """
    chosen = _chosen(steps)
    told = shares([step for step in chosen if not (brief and step.passed)], room)
    most = iter(told)
    parts = [
        _line(step, limit_bytes) if brief and step.passed else _command(step, limit_bytes, next(most))
        for step in chosen
    ]
    left_out = len(steps) - len(chosen)
    if left_out:
        parts.append(element("p", f"… and {amounts.counted(left_out, 'command')} more.", class_="note"))
    return element("div", *parts, class_="commands")


def _chosen(steps: Sequence[SavedStep]) -> list[SavedStep]:
    """Return as many as are listed: those that went wrong first, then in their order."""
    wanted = sorted(range(len(steps)), key=lambda number: (steps[number].passed, number))[:_LISTED]
    return [steps[number] for number in sorted(wanted)]


def _line(step: SavedStep, limit_bytes: int | None) -> Html:
    parts = (f"{_name(step)}: {ending(step)}", amounts.seconds(step.wall_seconds), _memory(step.usage, limit_bytes))
    return element("p", ", ".join(filter(None, parts)), class_="went")


def _name(step: SavedStep) -> str:
    return step.name if step.role in f"check {step.name}" else f"{step.name} {step.role}"


def _command(step: SavedStep, limit_bytes: int | None, most: tuple[int, int]) -> Html:
    title = element(
        "summary",
        dot(passed=step.passed),
        span("name", joined(step.name, "" if step.role in f"check {step.name}" else element("small", f" {step.role}"))),
        span("end", ending(step)),
        span("time", amounts.seconds(step.wall_seconds)),
        span("mem", memory) if (memory := _memory(step.usage, limit_bytes)) else NOTHING,
    )
    argv = shlex.join(step.argv)
    said = step.reason or step.detail
    body = (
        block("argv", "command line", lines(argv[:_ARGV_MAX], mark=True)),
        element("p", lines(said), class_="why") if said and said != ending(step) else NOTHING,
        element("p", _used(step.usage), class_="note") if step.usage else NOTHING,
        stream("stdout", step.stdout, most[0]),
        stream("stderr", step.stderr, most[1]),
    )
    return element("details", title, *body, open=not step.passed, class_="command")


def ending(step: SavedStep) -> str:
    """Return how a command ended, in words."""
    match step.ending:
        case "exited":
            return f"exit status {step.exit_code}"
        case "signalled":
            return f"signal {_signal(step.signal)}"
        case other:
            return other.replace("_", " ")


def _signal(number: int | None) -> str:
    try:
        return f"{number} ({signal.Signals(number or 0).name})"
    except ValueError:
        return str(number)


def _memory(usage: Mapping[str, Any], limit_bytes: int | None) -> str:
    peak = usage.get("peak_rss_bytes")
    if not isinstance(peak, int) or not peak:
        return ""
    return f"{amounts.size(peak)} of {amounts.size(limit_bytes)}" if limit_bytes else amounts.size(peak)


def memory_bar(used: int, limit_bytes: int | None) -> Html:
    """Return an amount of memory, with a bar where there is a limit to hold it against."""
    if not limit_bytes:
        return joined(amounts.size(used))
    share = min(1.0, used / limit_bytes)
    return joined(
        element(
            "svg",
            element("rect", width=_BAR, height=6, class_="track"),
            element("rect", width=round(max(_BAR * share, 2)), height=6, class_="full" if share > 0.9 else "fill"),
            class_="bar",
            width=_BAR,
            height=6,
            aria_hidden="true",
        ),
        f" {amounts.size(used)} of {amounts.size(limit_bytes)}",
    )


def _used(usage: Mapping[str, Any]) -> str:
    parts = [
        f"processor {amounts.seconds(float(usage.get('user_seconds') or 0) + float(usage.get('system_seconds') or 0))}"
    ]
    for name, one, many in (
        ("oom_kills", "process killed for lack of memory", "processes killed for lack of memory"),
        ("pids_refused", "process refused by the limit", "processes refused by the limit"),
        ("killed_processes", "process left over and killed", "processes left over and killed"),
    ):
        if usage.get(name):
            parts.append(amounts.counted(int(usage[name]), one, many))
    return ", ".join(parts)
