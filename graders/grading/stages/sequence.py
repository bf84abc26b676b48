"""Runs the stages of one check in order: the results of earlier stages decide which later ones run.

Stages with `built` start from the state that a building stage has saved. An output is compared as soon as its command
has ended. Then only its start and its end are kept, since all outputs of a thousand tests or items do not fit into
memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from gradebox.graders.grading.stages.feedback import continued
from gradebox.graders.model.evidence import StepOutcome
from gradebox.graders.model.plan import Role, Stage
from gradebox.sandbox.archive import ArchiveEntry, file_entry
from gradebox.sandbox.limits import KIB
from gradebox.sandbox.types import Capture, Ending, Outcome

KEPT_BYTES = 8 * KIB
"""How many bytes of an output remain after its comparison, or after an item."""
REPORT_BYTES = 64 * KIB
"""How long the report of an item may be that runs in the candidate's process. Our runners write a few lines."""
_SKIPPED = Outcome(Ending.NOT_STARTED)


def carried_out(
    stages: Iterable[Stage], run: Callable[[Stage], list[StepOutcome]], keep: Callable[[], object]
) -> list[StepOutcome]:
    """Run stages in order and return all outcomes. Steps that an earlier failure makes pointless are `skipped`.

    `keep` saves the state that a stage has built. Raises OSError if an expected output cannot be read.
    """
    done: list[StepOutcome] = []
    why: dict[str, str] = {}
    unbuilt, output = "", None
    asked: tuple[ArchiveEntry, ...] | None = None
    for stage in stages:
        reason = unbuilt if stage.built and unbuilt else why.get(stage.stops_with, "")
        if stage.output_path and output is None:
            reason = reason or "there is no output to check"
        if stage.next_input and not asked:
            reason = reason or "no pass before it asked for one"
        if reason:
            done += [StepOutcome(step, _SKIPPED, skipped=reason) for step in stage.steps]
            asked = None
            continue
        ready = continued(stage, asked) if stage.next_input and asked else stage
        ran = run(ready) if output is None else _with_output(ready, output, run)
        output = _output(ran[-1])
        asked = ran[-1].left if ran and ran[-1].further and _is_met(ran[-1], stage) else None
        ran = [_kept(replace(one, left=()), stage) for one in ran]
        done += ran
        failed = next((one for one in ran if not _is_met(one, stage)), None)
        if stage.builds:
            unbuilt = "the build failed" if failed else ""
            if not failed:
                keep()
        if failed and stage.stops_with:
            why[stage.stops_with] = f"{failed.step.name} failed"
    return done


def _output(ran: StepOutcome) -> bytes | None:
    """Return the complete output of a test that exited with 0; None for others."""
    is_whole = ran.step.role is Role.TEST and ran.outcome.exit_code == 0 and ran.outcome.stdout.complete
    return ran.outcome.stdout.content() if is_whole else None


def _with_output(stage: Stage, output: bytes, run: Callable[[Stage], list[StepOutcome]]) -> list[StepOutcome]:
    """Run a stage, with the output if its step reads one; the output is not kept with the outcome."""
    if not stage.output_path:
        return run(stage)
    steps = tuple(replace(step, stdin=output) for step in stage.steps)
    delivered = (*stage.delivered, file_entry(stage.output_path, output))
    ran = run(replace(stage, delivered=delivered, steps=steps))
    return [replace(one, step=step) for one, step in zip(ran, stage.steps, strict=False)]


def _is_met(ran: StepOutcome, stage: Stage) -> bool:
    return ran.outcome.exit_code == stage.accepts and (ran.comparison is None or ran.comparison.accepted)


def _kept(ran: StepOutcome, stage: Stage) -> StepOutcome:
    """Return the outcome of a test or an item with the kept part of its output, and of a test with its comparison."""
    if ran.step.role not in (Role.TEST, Role.ITEM):
        return ran
    output = _output(ran)
    found = stage.expected.compare(output) if stage.expected and output is not None else None
    whole = ran.outcome
    is_flooded = len(ran.step.items) == 1 and not stage.apart and whole.report.total_bytes > REPORT_BYTES
    # Only the candidate writes that much. A part of a report might lack the line that says so.
    report = Capture() if is_flooded else whole.report
    outcome = replace(whole, stdout=shortened(whole.stdout), stderr=shortened(whole.stderr), report=report)
    return replace(ran, outcome=outcome, comparison=found)


def shortened(capture: Capture) -> Capture:
    """Return a capture shortened to KEPT_BYTES."""
    kept, half = capture.head + capture.tail, KEPT_BYTES // 2
    if len(kept) <= KEPT_BYTES:
        return capture
    return replace(capture, head=kept[:half], tail=kept[-half:])
