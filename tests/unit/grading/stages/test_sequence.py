"""Which stages of a check run, and what is kept of their outputs."""

from __future__ import annotations

import pytest

from gradebox.graders.grading.stages.sequence import KEPT_BYTES, REPORT_BYTES, carried_out, shortened
from gradebox.graders.model.evidence import StepOutcome
from gradebox.graders.model.expectation import OutputComparison
from gradebox.graders.model.plan import ItemToken, Role, Stage, Step, User
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.types import Capture, Ending, Outcome


class Wants:
    """Accepts one output."""

    digest = "wants"

    def __init__(self, output: bytes) -> None:
        self._output = output

    def compare(self, output: bytes) -> OutputComparison:
        return OutputComparison(output == self._output)


def stage(name: str, **changes: object) -> Stage:
    step = Step(Role.TEST, name, (name,), "/workspace", 1.0)
    return Stage(name, 1, (), (step,), "io", **changes)  # type: ignore[arg-type]


def exited(output: bytes = b"", code: int = 0) -> Outcome:
    return Outcome(Ending.EXITED, code, stdout=Capture(output, total_bytes=len(output)))


class Sandbox:
    """Runs stages by a table of outcomes."""

    def __init__(self, **outcomes: Outcome) -> None:
        self._outcomes, self.ran, self.kept = outcomes, list[str](), 0

    def run(self, stage: Stage) -> list[StepOutcome]:
        self.ran.append(stage.name)
        return [StepOutcome(step, self._outcomes.get(step.name, exited())) for step in stage.steps]

    def keep(self) -> None:
        self.kept += 1


def test_tests_run_on_what_was_built() -> None:
    sandbox = Sandbox()
    done = carried_out([stage("b", builds=True), stage("1", built=True)], sandbox.run, sandbox.keep)
    assert (sandbox.ran, sandbox.kept) == (["b", "1"], 1)
    assert not any(one.skipped for one in done)


def test_nothing_runs_on_what_was_not_built() -> None:
    sandbox = Sandbox(b=exited(code=1))
    done = carried_out([stage("b", builds=True), stage("1", built=True)], sandbox.run, sandbox.keep)
    assert (sandbox.ran, sandbox.kept) == (["b"], 0)
    assert [one.skipped for one in done] == ["", "the build failed"]


def test_a_group_stops_at_its_first_failure_and_others_go_on() -> None:
    sandbox = Sandbox(**{"1": exited(b"wrong")})
    listed = [
        stage(name, stops_with=name_of, expected=Wants(b"")) for name, name_of in zip("1234", "aaba", strict=True)
    ]
    done = carried_out(listed, sandbox.run, sandbox.keep)
    assert sandbox.ran == ["1", "3"]
    assert [one.skipped for one in done] == ["", "1 failed", "", "1 failed"]


def test_outputs_are_compared_whole_and_kept_in_part() -> None:
    long = b"x" * MIB
    (done,) = carried_out([stage("1", expected=Wants(long))], Sandbox(**{"1": exited(long)}).run, lambda: None)
    assert done.comparison == OutputComparison(accepted=True)
    assert len(done.outcome.stdout.head + done.outcome.stdout.tail) == KEPT_BYTES
    assert done.outcome.stdout.total_bytes == MIB


def test_what_did_not_end_well_is_not_compared() -> None:
    (done,) = carried_out([stage("1", expected=Wants(b""))], Sandbox(**{"1": exited(code=1)}).run, lambda: None)
    assert done.comparison is None


def test_a_short_output_is_kept_as_it_is() -> None:
    capture = Capture(b"a", b"b", 2)
    assert shortened(capture) is capture


def test_a_checker_reads_the_output_of_the_test_before_it() -> None:
    seen: list[tuple[bytes, bytes | None]] = []

    def run(stage: Stage) -> list[StepOutcome]:
        if stage.output_path:
            seen.append((stage.steps[0].stdin, stage.delivered[-1].data))
        code = 1 if stage.name == "2" else 42 if stage.output_path else 0
        return [StepOutcome(step, exited(stage.name.encode(), code)) for step in stage.steps]

    listed = [stage(name, output_path="output" if name == "c" else "", accepts=42 * (name == "c")) for name in "1c2c"]
    done = carried_out(listed, run, lambda: None)
    assert seen == [(b"1", b"1")]
    assert [one.skipped for one in done] == ["", "", "", "there is no output to check"]
    assert done[1].step.stdin == b""


def test_a_further_pass_runs_where_the_one_before_it_asks_for_it() -> None:
    seen: list[tuple[str, list[bytes | None]]] = []

    def run(stage: Stage) -> list[StepOutcome]:
        seen.append((stage.name, [entry.data for entry in (*stage.delivered, *stage.left)]))
        asks = stage.name in "12"
        left = (file_entry("said/nextpass.in", b"next"), file_entry("said/state", stage.name.encode()))
        code = 1 if stage.name == "2" else 0
        return [StepOutcome(step, exited(b"", code), left=left if asks else (), further=asks) for step in stage.steps]

    passes = [stage(name, feedback="said", next_input="input" if name != "1" else "") for name in "123"]
    done = carried_out(passes, run, lambda: None)
    assert seen == [("1", []), ("2", [b"next", b"1"])]
    assert [one.skipped for one in done] == ["", "", "no pass before it asked for one"]
    assert not any(one.left for one in done)


@pytest.mark.parametrize(
    ("user", "count", "size", "kept"),
    [
        (User.SHARED, 1, REPORT_BYTES, REPORT_BYTES),
        (User.SHARED, 1, REPORT_BYTES + 1, 0),
        (User.SHARED, 2, REPORT_BYTES + 1, REPORT_BYTES + 1),
        (User.GRADER, 1, REPORT_BYTES + 1, REPORT_BYTES + 1),
    ],
)
def test_items_keep_little_of_what_a_candidate_can_write(user: User, count: int, size: int, kept: int) -> None:
    items = tuple(ItemToken(str(number), "t", 1.0) for number in range(count))
    step = Step(Role.ITEM, "1", ("1",), "/workspace", 1.0, items=items, user=user)
    long = Capture(b"x" * MIB, total_bytes=MIB)
    report = Capture(b"t" * size, total_bytes=size)
    outcome = Outcome(Ending.EXITED, 0, stdout=long, stderr=long, report=report)
    sandbox = Sandbox(**{"1": outcome})
    (done,) = carried_out([Stage("1", 1, (), (step,), "examples")], sandbox.run, sandbox.keep)
    assert [len(one.head + one.tail) for one in (done.outcome.stdout, done.outcome.stderr)] == [KEPT_BYTES] * 2
    assert len(done.outcome.report.head) == kept
