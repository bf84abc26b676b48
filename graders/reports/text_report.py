"""Verdicts for people: a table of checks, and below it the failures with the end of their output.

Control characters in candidates' output are made visible, so that it can neither move the cursor nor colour the
verdict.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from io import StringIO

from rich.console import Console
from rich.text import Text

from gradebox.graders.model.plan import Role
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import CheckResult, Status, StepRecord
from gradebox.graders.model.verdict_document import VerdictDocument, result_of
from gradebox.graders.reports import wording
from gradebox.graders.reports.escaping import visible
from gradebox.graders.reports.terminal import PIPE_COLUMNS, Cell, Column, ConsoleLine, print_lines, table
from gradebox.graders.runs.saved_evidence import SavedStep, steps_of, why_not_kept
from gradebox.graders.runs.saved_run import SavedRun, owner_of
from gradebox.graders.runs.statistics import Totals, busy_seconds

STYLES = {Status.PASSED: "green", Status.FAILED: "red", Status.ERROR: "magenta", Status.NOT_JUDGED: "yellow"}
_OUTPUT_LINES = 12
_SOURCE_LINES = 8
_STEPS = 5
_PATHS = 8
_LINE_MAX = 200
_REASON_MAX = 600
_NAME_COLUMNS = 40
_NAME_LEAST = 14
_NOT_RUN = "not run: "
# Below the first width the table has no weights, and below the second there is no table.
_NARROW_COLUMNS = 72
_TABLE_COLUMNS = 48


def report(run: SavedRun) -> Iterator[str]:
    """Yield each verdict as text without colours, and a line of counts at the end."""
    # The width must not depend on this process's terminal, since the text may go to a file.
    console = Console(file=StringIO(), width=PIPE_COLUMNS, highlight=False, color_system=None, force_terminal=False)
    totals = Totals()
    for verdict in run.verdicts.values():
        graded = result_of(verdict)
        totals.add(graded)
        with console.capture() as captured:
            print_verdict(console, graded)
        yield captured.get()
    yield from (f"{visible(sentence)}\n" for sentence in (*totals.tries.sentences(), *totals.gaps()))
    # The time of a reused verdict was spent in another run.
    own = ((verdict.started, verdict.wall_seconds) for verdict in run.verdicts.values() if not verdict.reused)
    time = f"in {busy_seconds(own):.1f} s, {totals.wall_seconds:.1f} s of grading"
    yield f"{summary(totals, time).plain}\n"


def print_verdict(console: Console, graded: Result, *, brief: bool = False) -> None:
    """Print one verdict. If `brief`, a verdict that passed gets one line."""
    if brief and graded.verdict.status is Status.PASSED:
        print_lines(console, iter([_title(graded)]))
    else:
        print_lines(console, _parts(graded, console))


def print_saved(console: Console, run: SavedRun, verdict: VerdictDocument) -> None:
    """Print a verdict of a saved run with all evidence: every command and its output."""
    print_lines(console, _parts(result_of(verdict), console))
    gaps = (f"not enforced: {visible(sentence)}" for sentence in verdict.not_enforced)
    print_lines(console, (ConsoleLine(Text(gap, "yellow")) for gap in gaps))
    machine = {**verdict.machine, **({"image": f"{verdict.image} {verdict.image_id}"} if verdict.image_id else {})}
    for name, text in machine.items():
        console.print(Text(f"{visible(name)}: {visible(text)}", "dim"), soft_wrap=True)
    for step in steps_of(run, verdict):
        print_lines(console, iter(_saved_step(step)))
    if why := why_not_kept(run, verdict):
        console.print(Text(f"submission: not kept: {visible(why)}", "dim"), soft_wrap=True)
    console.print(Text(f"evidence: {run.evidence.place(owner_of(verdict))}", "dim"), soft_wrap=True)


def _saved_step(step: SavedStep) -> list[Text]:
    check = f"{step.check} " if step.check and not step.name.startswith(step.check) else ""
    reason = "" if step.passed or not step.reason else f": {_brief(step.reason)}"
    lines = [Text.assemble("\n", (visible(check + step.name), "bold"), f" ({step.role}){reason}")]
    lines.append(Text(f"  $ {visible(shlex.join(step.argv))}", "dim"))
    peak = step.usage.get("peak_rss_bytes")
    memory = f", {wording.size(peak)}" if peak and step.role == Role.TEST else ""
    lines.append(Text(f"  {wording.ended(step)}{memory}", "dim"))
    for name, stream in (("stdout", step.stdout), ("stderr", step.stderr)):
        if stream.total_bytes:
            lines.append(Text(f"  {name}, {stream.total_bytes} bytes:", "dim"))
            lines += [Text(f"  | {visible(line)}") for line in stream.text().splitlines()]
    return lines


def summary(totals: Totals, remark: str) -> Text:
    """Return one line with the counts of verdicts, and a remark such as the time they took."""
    text = Text()
    for status, style in STYLES.items():
        count = totals.statuses[status]
        if count or status is Status.PASSED:
            text.append(f"{count} {wording.status(status)}", style if count else "dim").append("  ")
    return text.append(remark, "dim")


def _parts(graded: Result, console: Console) -> Iterator[ConsoleLine | Text]:
    verdict = graded.verdict
    yield _title(graded)
    if console.width < _TABLE_COLUMNS:
        yield from _lines(verdict.checks, verdict.reasons)
    else:
        yield from _table(verdict.checks, verdict.reasons, console)
    for reason in verdict.reasons:
        yield ConsoleLine(Text(f"because: {_brief(reason)}", STYLES[verdict.status]))
    for note in (note for note in graded.notes if note not in verdict.reasons):
        yield ConsoleLine(Text(f"note: {visible(note)}"))
    yield from _listed("restored", graded.restored, len(graded.restored))
    yield from _listed("removed (test runner configuration)", graded.removed, graded.removed_count)
    yield from _listed("left out", graded.left_out, len(graded.left_out))
    for step in graded.own_steps:
        if not step.passed:
            yield from _step("setup", step)
    for check in verdict.checks:
        failed = [step for step in check.steps if not step.passed]
        if check.status is Status.PASSED or not failed:
            continue
        yield Text()
        for step in failed[:_STEPS]:
            yield from _step(check.name, step)
        if len(failed) > _STEPS:
            yield ConsoleLine(Text(f"... and {len(failed) - _STEPS} more of {visible(check.name)}", "dim"))


def _title(graded: Result) -> Text:
    verdict = graded.verdict
    title = Text(wording.status(verdict.status).upper(), f"bold {STYLES[verdict.status]}")
    title = Text.assemble(title, "  ", (visible(graded.case), "bold"), f"  {visible(graded.submission)}")
    if graded.target:
        title.append(f"  {visible(graded.target)}")
    if graded.repeat > 1:
        title.append(f"  repeat {graded.repeat}")
    score = "no score" if verdict.score is None else f"score {wording.score(verdict.score)}"
    title.append(f"   {score} (threshold {verdict.threshold:g}), {graded.wall_seconds:.1f} s", "dim")
    return title


def _lines(checks: tuple[CheckResult, ...], reasons: tuple[str, ...]) -> Iterator[ConsoleLine]:
    for check in checks:
        line = Text(f"{visible(check.name)}  ").append(wording.status(check.status), STYLES[check.status])
        score = "" if check.score is None else f"  {wording.score(check.score)}"
        line.append(score).append(f"  {_why(check, reasons)}", "dim")
        line.rstrip()
        yield ConsoleLine(line)


def _table(checks: tuple[CheckResult, ...], reasons: tuple[str, ...], console: Console) -> Iterator[Text]:
    narrow = console.width < _NARROW_COLUMNS
    name = Column("  check", most=_NAME_COLUMNS, least=_NAME_LEAST)
    weight = () if narrow else (Column("weight", right=True),)
    columns = (name, Column("score", right=True), *weight, Column("required"), Column("verdict"), Column("why"))
    rows = [
        (
            Cell(f"  {visible(check.name)}"),
            Cell(wording.score(check.score)),
            *(() if narrow else (Cell(f"{check.weight:g}"),)),
            Cell(f">= {check.wanted:g}" if check.required else ""),
            Cell(wording.status(check.status), STYLES[check.status]),
            Cell(_why(check, reasons), "dim"),
        )
        for check in checks
    ]
    return table(columns, rows, console)


def _why(check: CheckResult, reasons: tuple[str, ...]) -> str:
    if check.reason.startswith(_NOT_RUN) and {check.reason, check.reason.removeprefix(_NOT_RUN)} & {*reasons}:
        # A reason that applies to all checks is shown once, below them.
        return "not run"
    if check.negate and check.reason:
        return f"not ({_brief(check.reason)})"
    return _brief(check.reason or ("tampering" if check.tampering else ""))


def _listed(title: str, paths: tuple[str, ...], count: int) -> Iterator[ConsoleLine]:
    if count:
        shown = ", ".join(visible(path)[:_LINE_MAX] for path in paths[:_PATHS])
        more = f" and {count - _PATHS} more" if count > _PATHS else ""
        yield ConsoleLine(Text(f"{title}: {shown}{more}", "yellow"))


def _step(check: str, step: StepRecord) -> Iterator[ConsoleLine]:
    name = visible(step.name if step.name.startswith(check) else f"{check} {step.name}")
    used = f" ({wording.used(step.outcome.usage)})" if step.role == Role.TEST else ""
    yield ConsoleLine(Text.assemble((name, "bold"), f"{used}: {_brief(step.reason)}"))
    streams = (stream.text().rstrip() for stream in (step.outcome.stdout, step.outcome.stderr))
    lines = "\n".join(filter(None, streams)).splitlines()
    if step.role == Role.ITEM and len(step.argv) == 3 and not _is_quoted(step.argv[2], lines):
        for line in step.argv[2].splitlines()[:_SOURCE_LINES]:
            yield ConsoleLine(Text(f"> {visible(line)[:_LINE_MAX]}", "dim"), indent=4, cut=True)
    omitted = len(lines) - _OUTPUT_LINES
    if omitted > 0:
        lines = [f"[... {omitted} lines omitted, all in the run directory ...]", *lines[-_OUTPUT_LINES:]]
    for line in lines:
        yield ConsoleLine(Text(f"| {visible(line)[:_LINE_MAX]}", "dim"), indent=4, cut=True)


def _is_quoted(source: str, lines: Sequence[str]) -> bool:
    """Return whether an output quotes a line of a source, as a Python traceback does."""
    own = {line.strip() for line in source.splitlines()}
    return any(line.strip() in own for line in lines)


def _brief(reason: str) -> str:
    """Return a reason that fits on one screen: a grader may repeat what a candidate wrote."""
    text = visible(reason)
    return text if len(text) <= _REASON_MAX else f"{text[:_REASON_MAX]} [...]"
