"""The stages of one check, one after the other: which of them run, by what those before them came to.

A stage that builds is the beginning of those that say `built`. An output is compared as soon as its command has ended,
and only its beginning and its end are kept: the outputs of a thousand tests do not fit into memory together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from gradebox.graders.model.evidence import StepOutcome
from gradebox.graders.model.plan import Role, Stage
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.limits import KIB
from gradebox.sandbox.types import Capture, Ending, Outcome

KEPT_BYTES = 8 * KIB
"""How much of an output is kept that has been compared."""
_SKIPPED = Outcome(Ending.NOT_STARTED)


def carried_out(
    stages: Iterable[Stage], run: Callable[[Stage], list[StepOutcome]], keep: Callable[[], object]
) -> list[StepOutcome]:
    """Run stages in their order, and return what happened; steps that a failure before them makes pointless are there.

    `keep` saves the state that a stage has built. Raises OSError if what a stage expects cannot be read.
    """
    done: list[StepOutcome] = []
    why: dict[str, str] = {}
    unbuilt, output = "", None
    for stage in stages:
        reason = unbuilt if stage.built and unbuilt else why.get(stage.stops_with, "")
        if stage.output_path and output is None:
            reason = reason or "there is no output to check"
        if reason:
            done += [StepOutcome(step, _SKIPPED, skipped=reason) for step in stage.steps]
            continue
        ran = run(stage) if output is None else _with_output(stage, output, run)
        output = _output(ran[-1])
        ran = [_compared(one, stage) for one in ran]
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
    """Return the whole output of a test that ended well; None for others."""
    is_whole = ran.step.role is Role.TEST and ran.outcome.exit_code == 0 and ran.outcome.stdout.complete
    return ran.outcome.stdout.content() if is_whole else None


def _with_output(stage: Stage, output: bytes, run: Callable[[Stage], list[StepOutcome]]) -> list[StepOutcome]:
    """Run a stage whose step reads an output, if it does; the output is not kept with it."""
    if not stage.output_path:
        return run(stage)
    steps = tuple(replace(step, stdin=output) for step in stage.steps)
    delivered = (*stage.delivered, file_entry(stage.output_path, output))
    ran = run(replace(stage, delivered=delivered, steps=steps))
    return [replace(one, step=step) for one, step in zip(ran, stage.steps, strict=False)]


def _is_met(ran: StepOutcome, stage: Stage) -> bool:
    return ran.outcome.exit_code == stage.accepts and (ran.comparison is None or ran.comparison.accepted)


def _compared(ran: StepOutcome, stage: Stage) -> StepOutcome:
    """Return what happened to a test with the result of its comparison, and with what is kept of its output."""
    if ran.step.role is not Role.TEST:
        return ran
    output = _output(ran)
    found = stage.expected.compare(output) if stage.expected and output is not None else None
    outcome = replace(ran.outcome, stdout=shortened(ran.outcome.stdout), stderr=shortened(ran.outcome.stderr))
    return replace(ran, outcome=outcome, comparison=found)


def shortened(capture: Capture) -> Capture:
    """Return a capture of which at most KEPT_BYTES are kept."""
    kept, half = capture.head + capture.tail, KEPT_BYTES // 2
    if len(kept) <= KEPT_BYTES:
        return capture
    return replace(capture, head=kept[:half], tail=kept[-half:])
