"""A verdict for people: a table of checks, and below it what went wrong, with the end of what was printed.

What candidates print is shown with control characters made visible, so that it can neither move the cursor nor
colour the verdict.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from graders.result import Graded
from graders.verdict import CheckResult, Status, StepRecord

_STYLES = {Status.PASSED: "green", Status.FAILED: "red", Status.ERROR: "magenta", Status.NOT_JUDGED: "yellow"}
_SHOWN_LINES = 12
_SHOWN_STEPS = 5
_LINE_MAX = 200


def print_verdict(console: Console, graded: Graded) -> None:
    """Print one verdict."""
    console.print(Group(*_parts(graded)))


def summary(results: list[Graded]) -> Text:
    """Return one line that counts verdicts."""
    text = Text()
    for status in (Status.PASSED, Status.FAILED, Status.ERROR):
        count = sum(graded.verdict.status is status for graded in results)
        if count or status is Status.PASSED:
            text.append(f"{count} {status}", _STYLES[status] if count else "dim").append("  ")
    text.append(f"in {sum(graded.wall_seconds for graded in results):.1f} s", "dim")
    return text


def _parts(graded: Graded) -> Iterator[RenderableType]:
    verdict = graded.verdict
    title = Text.assemble(
        (str(verdict.status).upper(), f"bold {_STYLES[verdict.status]}"),
        "  ",
        (visible(graded.case), "bold"),
        f"  {visible(graded.submission)}",
    )
    if graded.target:
        title.append(f"  {visible(graded.target)}")
    score = "no score" if verdict.score is None else f"score {verdict.score:.3f}"
    title.append(f"   {score} (threshold {verdict.threshold:g}), {graded.wall_seconds:.1f} s", "dim")
    yield title
    yield _table(verdict.checks)
    for reason in verdict.reasons:
        yield Text(f"  because: {visible(reason)}", _STYLES[verdict.status])
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
                yield Text(f"  ... and {len(wrong) - _SHOWN_STEPS} more of {visible(check.name)}", "dim")


def _table(checks: tuple[CheckResult, ...]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  check")
    table.add_column("score", justify="right")
    table.add_column("weight", justify="right")
    table.add_column("gate")
    table.add_column("verdict")
    table.add_column("why", overflow="fold")
    for check in checks:
        gate = f">= {check.wanted:g}" if check.required else ""
        table.add_row(
            Text(f"  {visible(check.name)}"),
            "-" if check.score is None else f"{check.score:.3f}",
            f"{check.weight:g}",
            gate,
            Text(str(check.status).replace("_", " "), _STYLES[check.status]),
            Text(visible(f"not ({check.reason})" if check.negate and check.reason else check.reason), "dim"),
        )
    return table


def _listed(title: str, paths: tuple[str, ...], count: int) -> Iterator[RenderableType]:
    if count:
        shown = ", ".join(visible(path) for path in paths[:8])
        more = f" and {count - 8} more" if count > 8 else ""
        yield Text(f"  {title}: {shown}{more}", "yellow")


def _step(check: str, step: StepRecord) -> Iterator[RenderableType]:
    name = visible(step.name if step.name.startswith(check) else f"{check} {step.name}")
    yield Text.assemble("  ", (name, "bold"), f": {visible(step.reason)}")
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
        yield Text(f"    | {visible(line)[:_LINE_MAX]}", "dim", no_wrap=True, overflow="ellipsis")


def visible(text: str) -> str:
    """Return text in which no character can act on a terminal: controls and formatting characters are escaped."""
    return "".join(c if c.isprintable() else "    " if c == "\t" else _escape(c) for c in text)


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        # A byte that is not UTF-8, as Python keeps it in a file name.
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
