"""A verdict for people: a table of checks, and below it what went wrong, with the end of what was printed.

What candidates print is shown with control characters made visible, so that it can neither move the cursor nor
colour the verdict. On a terminal, lines are folded or cut to its width; in a pipe only the table has a width, and no
line ends in blanks.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from graders.documents.printable import visible
from graders.model.plan import Role
from graders.model.result import Result, VerdictDocument
from graders.model.verdict import CheckResult, Status, StepRecord
from graders.reports.table import Cell, Column, table
from graders.runs.reading import SavedRun, graded_of
from graders.runs.saved_evidence import SavedStep, steps_of
from graders.runs.statistics import Totals

STYLES = {Status.PASSED: "green", Status.FAILED: "red", Status.ERROR: "magenta", Status.NOT_JUDGED: "yellow"}
_SHOWN_LINES = 12
_SHOWN_STEPS = 5
_LINE_MAX = 200
_REASON_MAX = 600
_NAME_COLUMNS = 40
_NAME_LEAST = 14
PIPE_COLUMNS = 120
_NOT_RUN = "not run: "
# Where there is less than this, weights give way to reasons; where there is less than that, there is no table.
_NARROW_COLUMNS = 72
_TABLE_COLUMNS = 48
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_END = re.compile(rf"(?: |{_COLOUR.pattern})*$")


def output() -> Console:
    """Return stdout: as wide as the terminal, as COLUMNS says, or wide enough for a log."""
    console = Console(highlight=False)
    if not _on_terminal(console) and "COLUMNS" not in os.environ:
        console.width = PIPE_COLUMNS
    return console


def print_trimmed(console: Console, renderable: RenderableType) -> None:
    """Print something; where there is no terminal, unfolded and without blanks at the ends of lines."""
    if _on_terminal(console):
        console.print(renderable)
        return
    with console.capture() as captured:
        console.print(renderable, soft_wrap=True)
    lines = captured.get().split("\n")[:-1]
    console.out("\n".join(_END.sub(_colours, line) for line in lines), highlight=False)


def _print(console: Console, parts: Iterator[_Line | Text]) -> None:
    if _on_terminal(console) or console.color_system is not None:
        print_trimmed(console, Group(*parts))
    else:
        # The same as above in a tenth of the time: a run may have ten thousand verdicts.
        lines = (part.unfolded() if isinstance(part, _Line) else part for part in parts)
        console.out("\n".join(line.plain.rstrip(" ") for line in lines), highlight=False)


def _colours(end: re.Match[str]) -> str:
    return "".join(_COLOUR.findall(end[0]))


def _on_terminal(console: Console) -> bool:
    # Colours may be forced upon a pipe (FORCE_COLOR), which has no edge for all that.
    return console.file.isatty()


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that stays one line in a pipe; on a terminal its continuations are indented as it is.

    Attributes:
        cut: Whether it ends at the edge of the terminal instead.
    """

    text: Text
    indent: int = 2
    cut: bool = False

    def __rich_console__(self, console: Console, _options: ConsoleOptions) -> Iterator[RenderableType]:
        line = self.unfolded()
        if not _on_terminal(console):
            yield line
        elif self.cut:
            line.no_wrap, line.overflow = True, "ellipsis"
            yield line
        else:
            yield Padding(self.text, (0, 0, 0, self.indent), expand=False)

    def unfolded(self) -> Text:
        return Text(" " * self.indent).append(self.text)


def print_verdict(console: Console, graded: Result, *, brief: bool = False) -> None:
    """Print one verdict; in brief, one that passed is a line."""
    if brief and graded.verdict.status is Status.PASSED:
        _print(console, iter([_title(graded)]))
    else:
        _print(console, _parts(graded, console))


def print_saved(console: Console, run: SavedRun, verdict: VerdictDocument) -> None:
    """Print a verdict of a saved run with all that is kept of it: every command, and what it printed."""
    _print(console, _parts(graded_of(verdict), console))
    for step in steps_of(run, verdict):
        where = f"{step.check} " if step.check and not step.name.startswith(step.check) else ""
        how = "" if step.passed or not step.reason else f": {_brief(step.reason)}"
        title = Text.assemble("\n", (f"{visible(where + step.name)}", "bold"), f" ({step.role}){how}")
        # The command of an item is the source of its runner, which says nothing about the item.
        lines = [title] if step.role == Role.ITEM else [title, Text(f"  $ {visible(shlex.join(step.argv))}", "dim")]
        lines.append(Text(f"  {step.ending.replace('_', ' ')} {_status(step)}after {step.wall_seconds:.2f} s", "dim"))
        for name, stream in (("stdout", step.stdout), ("stderr", step.stderr)):
            if stream.total_bytes:
                lines.append(Text(f"  {name}, {stream.total_bytes} bytes:", "dim"))
                lines += [Text(f"  | {visible(line)}") for line in stream.text().splitlines()]
        _print(console, iter(lines))
    console.print(Text(f"evidence: {run.evidence(verdict)}", "dim"), soft_wrap=True)


def _status(step: SavedStep) -> str:
    return f"with signal {step.signal} " if step.signal else "" if step.exit_code is None else f"{step.exit_code} "


def summary(totals: Totals, told: str) -> Text:
    """Return one line that counts verdicts.

    Args:
        totals: What is counted.
        told: What is said beside it, such as how long it took.
    """
    text = Text()
    for status, style in STYLES.items():
        count = totals.statuses[status]
        if count or status is Status.PASSED:
            text.append(f"{count} {str(status).replace('_', ' ')}", style if count else "dim").append("  ")
    text.append(told, "dim")
    return text


def _parts(graded: Result, console: Console) -> Iterator[_Line | Text]:
    verdict = graded.verdict
    yield _title(graded)
    if console.width < _TABLE_COLUMNS:
        yield from _lines(verdict.checks, verdict.reasons)
    else:
        yield from _table(verdict.checks, verdict.reasons, console)
    for reason in verdict.reasons:
        yield _Line(Text(f"because: {_brief(reason)}", STYLES[verdict.status]))
    yield from _listed("put back as the case has them", graded.restored, len(graded.restored))
    yield from _listed("removed, since they steer a test runner", graded.removed, graded.removed_count)
    yield from _listed("special files left out", graded.left_out, len(graded.left_out))
    for step in graded.own_steps:
        if not step.passed:
            yield from _step("setup", step)
    for check in verdict.checks:
        if check.status is not Status.PASSED:
            wrong = [step for step in check.steps if not step.passed]
            if wrong:
                yield Text()
            for step in wrong[:_SHOWN_STEPS]:
                yield from _step(check.name, step)
            if len(wrong) > _SHOWN_STEPS:
                yield _Line(Text(f"... and {len(wrong) - _SHOWN_STEPS} more of {visible(check.name)}", "dim"))


def _title(graded: Result) -> Text:
    verdict = graded.verdict
    title = Text.assemble(
        (str(verdict.status).replace("_", " ").upper(), f"bold {STYLES[verdict.status]}"),
        "  ",
        (visible(graded.case), "bold"),
        f"  {visible(graded.submission)}",
    )
    if graded.target:
        title.append(f"  {visible(graded.target)}")
    if graded.repeat > 1:
        title.append(f"  repeat {graded.repeat}")
    score = "no score" if verdict.score is None else f"score {verdict.score:.3f}"
    title.append(f"   {score} (threshold {verdict.threshold:g}), {graded.wall_seconds:.1f} s", "dim")
    return title


def _lines(checks: tuple[CheckResult, ...], reasons: tuple[str, ...]) -> Iterator[_Line]:
    for check in checks:
        line = Text(f"{visible(check.name)}  ").append(str(check.status).replace("_", " "), STYLES[check.status])
        line.append("" if check.score is None else f"  {check.score:.3f}").append(f"  {_why(check, reasons)}", "dim")
        line.rstrip()
        yield _Line(line)


def _table(checks: tuple[CheckResult, ...], reasons: tuple[str, ...], console: Console) -> Iterator[Text]:
    columns = {
        "check": Column("  check", most=_NAME_COLUMNS, least=_NAME_LEAST),
        "score": Column("score", right=True),
        "weight": Column("weight", right=True),
        "gate": Column("gate"),
        "verdict": Column("verdict"),
        "why": Column("why"),
    }
    if console.width < _NARROW_COLUMNS:
        del columns["weight"]
    rows = (
        {
            "check": Cell(f"  {visible(check.name)}"),
            "score": Cell("-" if check.score is None else f"{check.score:.3f}"),
            "weight": Cell(f"{check.weight:g}"),
            "gate": Cell(f">= {check.wanted:g}" if check.required else ""),
            "verdict": Cell(str(check.status).replace("_", " "), STYLES[check.status]),
            "why": Cell(_why(check, reasons), "dim"),
        }
        for check in checks
    )
    return table(list(columns.values()), [[row[name] for name in columns] for row in rows], console)


def _why(check: CheckResult, reasons: tuple[str, ...]) -> str:
    if check.reason.startswith(_NOT_RUN) and {check.reason, check.reason.removeprefix(_NOT_RUN)} & {*reasons}:
        # What kept all checks from running is said once, below them.
        return "not run"
    if check.negate and check.reason:
        return f"not ({_brief(check.reason)})"
    return _brief(check.reason or ("tampering" if check.tampering else ""))


def _listed(title: str, paths: tuple[str, ...], count: int) -> Iterator[_Line]:
    if count:
        shown = ", ".join(visible(path)[:_LINE_MAX] for path in paths[:8])
        more = f" and {count - 8} more" if count > 8 else ""
        yield _Line(Text(f"{title}: {shown}{more}", "yellow"))


def _step(check: str, step: StepRecord) -> Iterator[_Line]:
    name = visible(step.name if step.name.startswith(check) else f"{check} {step.name}")
    yield _Line(Text.assemble((name, "bold"), f": {_brief(step.reason)}"))
    text = "\n".join(
        part for part in (step.outcome.stdout.text().rstrip(), step.outcome.stderr.text().rstrip()) if part
    )
    lines = text.splitlines()
    if len(lines) > _SHOWN_LINES:
        lines = [
            f"[... {len(lines) - _SHOWN_LINES} lines before, all in the run directory ...]",
            *lines[-_SHOWN_LINES:],
        ]
    for line in lines:
        yield _Line(Text(f"| {visible(line)[:_LINE_MAX]}", "dim"), indent=4, cut=True)


def _brief(reason: str) -> str:
    """Return a reason on one screen: a judge may repeat what a candidate wrote."""
    text = visible(reason)
    return text if len(text) <= _REASON_MAX else f"{text[:_REASON_MAX]} [...]"
