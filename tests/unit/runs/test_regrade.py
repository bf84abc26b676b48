"""Runs that are scored again without any container, and what keeps them from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fake_engine import FakeEnd, FakeRun
from unpacked import unpacked
from world import CHECK, World, the_run, verdicts

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.graders.runs import outcomes
from gradebox.graders.runs.evidence_log import LOG
from gradebox.graders.runs.kept.evidence_files import OUTCOMES
from gradebox.graders.runs.saved_run import read_run
from gradebox.sandbox.protocol.frames import Cause

CASE = """
image: image
execution: {{threshold: {threshold}}}
assertions:
  - {{name: first, type: code-grader, command: ["check", "first"], weight: {weight}, required: {required}}}
  - {{name: second, type: code-grader, command: ["check", "second"]}}
  - {{name: file, type: file-exists, path: answer}}
"""


def case(threshold: float = 0.8, weight: float = 1, *, required: bool = False) -> str:
    return CASE.format(threshold=threshold, weight=weight, required=str(required).lower())


@pytest.fixture
def regraded(world: World) -> Callable[..., list[tuple[str, float | None]]]:
    """Grade, change the case, score again; return verdict and score, first of the run and then of the new one."""

    def call(**changes: object) -> list[tuple[str, float | None]]:
        world.act = second_fails
        world.write("a/case.yaml", case())
        run(["-c", "a", "-s", "work/one", "-q"])
        first = the_run()
        world.graded = 0
        world.write("a/case.yaml", case(**changes))
        run(["regrade", str(first), "-q"])
        assert world.graded == 0
        (second,) = {*Path("runs").iterdir()} - {first}
        return [(verdict, score) for one in (first, second) for *_, verdict, score in verdicts(one)]

    return call


def second_fails(ran: FakeRun) -> FakeEnd:
    return FakeEnd(exit_code=int(ran.argv[1] == "second"))


@pytest.mark.parametrize(
    ("changes", "verdict", "score"),
    [
        ({}, "failed", 2 / 3),
        ({"threshold": 0.5}, "passed", 2 / 3),
        ({"weight": 4}, "passed", 5 / 6),
        ({"weight": 0}, "failed", 1 / 2),
        ({"threshold": 0.5, "required": True}, "passed", 2 / 3),
    ],
)
def test_weights_gates_and_thresholds_count_as_they_are_now(
    regraded: Callable[..., list[tuple[str, float | None]]], changes: dict[str, object], verdict: str, score: float
) -> None:
    before, after = regraded(**changes)
    assert before == ("failed", pytest.approx(2 / 3))
    assert after == (verdict, pytest.approx(score))


def test_weights_of_items_count_as_they_are_now(world: World) -> None:
    items = 'image: image\nlanguage: bash\nunit_tests: [{{code: "true", weight: {}}}, {{code: "false"}}]\n'

    def act(ran: FakeRun) -> FakeEnd:
        token = ran.stdin.split(b"\n")[1]
        passes = b"true" in ran.stdin
        return FakeEnd(exit_code=int(not passes), report=token + b"\n" if passes else b"")

    world.act = act
    world.write("a/case.yaml", items.format(1))
    run(["-c", "a", "-s", "work/one", "-q"])
    first = the_run()
    world.write("a/case.yaml", items.format(9))
    run(["regrade", str(first), "-q"])
    (second,) = {*Path("runs").iterdir()} - {first}
    assert [score for one in (first, second) for *_, score in verdicts(one)] == [0.5, 0.9]


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        (
            "a/case.yaml",
            case().replace('"second"', '"another"'),
            "second could not be judged: it cannot be scored again: its commands",
        ),
        ("a/case.yaml", case().replace("name: second", "name: other"), "its commands have never been run"),
        ("work/one/answer", "other", "the submission has changed"),
        ("work/one/more", "", "the submission has changed"),
    ],
)
def test_what_was_not_run_is_an_error_and_no_guess(
    world: World, capsys: pytest.CaptureFixture[str], path: str, text: str, why: str
) -> None:
    world.act = second_fails
    world.write("a/case.yaml", case())
    run(["-c", "a", "-s", "work/one", "-q"])
    world.write(path, text)
    assert run(["regrade", str(the_run())]) == ExitCode.NOT_GRADED
    out = capsys.readouterr().out
    assert "it cannot be scored again: " in out
    assert why in out


ITEMS = 'image: image\nlanguage: bash\nunit_tests: [{code: "true"}]\n'
SET_UP = 'image: image\nsetup: [["prepare"]]\nassertions: [{type: code-grader, command: ["check"]}]\n'
NAMES_A_FILE = 'image: image\nassertions: [{type: code-grader, command: ["check", "grading/test"]}]\n'


@pytest.mark.parametrize(
    ("before", "path", "after", "why"),
    [
        (NAMES_A_FILE, "a/grading/test", "other", "code-grader could not be judged: it cannot be scored again: a file"),
        (NAMES_A_FILE, "a/workspace/file", "other", "the workspace"),
        (NAMES_A_FILE, "a/case.yaml", NAMES_A_FILE.replace("image: image", "image: other"), "the case names other now"),
        (ITEMS, "a/case.yaml", ITEMS.replace("true", "false"), "a file that it names, or an item of it, has changed"),
        (
            SET_UP,
            "a/case.yaml",
            SET_UP.replace("prepare", "other"),
            "what the case's own commands are and name has changed",
        ),
        (SET_UP, "a/case.yaml", SET_UP + "limits: {memory: 64m}\n", "the workspace, the limits"),
    ],
)
def test_what_a_command_reads_besides_its_words_counts_too(
    world: World, capsys: pytest.CaptureFixture[str], before: str, path: str, after: str, why: str
) -> None:
    world.write("a/grading/test", "one")
    world.write("a/workspace/file", "one")
    world.write("a/case.yaml", before)
    run(["-c", "a", "-s", "work/one", "-q"])
    first = the_run()
    assert run(["regrade", str(first), "-q"]) != ExitCode.NOT_GRADED
    capsys.readouterr()
    world.write(path, after)
    assert run(["regrade", str(first)]) == ExitCode.NOT_GRADED
    assert why in " ".join(capsys.readouterr().out.split())


def test_a_file_that_no_command_names_may_change(world: World) -> None:
    world.write("a/case.yaml", NAMES_A_FILE)
    world.write("a/grading/test", "one")
    run(["-c", "a", "-s", "work/one", "-q"])
    world.write("a/README.md", "words")
    assert run(["regrade", str(the_run()), "-q"]) == ExitCode.PASSED


def test_what_is_known_of_the_sandbox_is_kept(world: World) -> None:
    run(["-c", "a", "-s", "work/one", "-q"])
    first = the_run()
    run(["regrade", str(first), "-q"])
    (second,) = {*Path("runs").iterdir()} - {first}
    (before,), (after,) = (read_run(one).verdicts.values() for one in (first, second))
    assert before.profile == "default"
    kept = {"profile", "runtime", "not_enforced", "content"}
    assert after.model_dump(include=kept) == before.model_dump(include=kept)


def test_verdicts_of_what_is_gone_are_not_dropped_in_silence(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run(["-c", "a", "-c", "b", "-s", "work/one", "-q"])
    world.write("b/case.yaml", f"id: other\n{CHECK}")
    assert run(["regrade", str(the_run()), "-q"]) == ExitCode.NOT_GRADED
    assert "1 of 2 verdicts were not scored" in capsys.readouterr().err


TOLD = """
image: image
criteria: {criteria}
expected_output: {expected}
metadata: {metadata}
assertions:
  - {{name: reads, type: code-grader, command: ["check"], weight: {weight}, config: {config}}}
  - {{name: file, type: file-exists, path: answer, weight: {weight}}}
  - name: mean
    type: composite
    aggregator: {{type: code-grader, command: ["check"]}}
    assertions: [{{name: member, type: file-exists, path: answer, weight: {member}}}]
"""
FIRST = {"criteria": "one", "expected": "one", "metadata": "{}", "weight": 1, "config": "{}", "member": 1}


@pytest.mark.parametrize(
    ("change", "stale"),
    [
        ({"weight": 3}, {}),
        ({"criteria": "two"}, {"reads": "criteria", "mean": "criteria"}),
        ({"expected": "two"}, {"reads": "expected_output", "mean": "expected_output"}),
        ({"metadata": "{a: 1}"}, {"reads": "metadata", "mean": "metadata"}),
        ({"config": "{a: 1}"}, {"reads": "config"}),
        ({"member": 3}, {"mean": "results"}),
    ],
)
def test_a_check_whose_command_would_read_something_else_is_an_error_and_the_others_are_scored(
    world: World, change: dict[str, object], stale: dict[str, str]
) -> None:
    world.act = lambda ran: FakeEnd(stdout=b'{"score": 1}')
    world.write("a/case.yaml", TOLD.format(**FIRST))
    run(["-c", "a", "-s", "work/one", "-q"])
    first = the_run()
    world.write("a/case.yaml", TOLD.format(**FIRST | change))
    wanted = ExitCode.NOT_GRADED if stale else ExitCode.PASSED
    assert run(["regrade", str(first), "-q"]) == wanted
    (second,) = {*Path("runs").iterdir()} - {first}
    (verdict,) = read_run(second).verdicts.values()
    found = {check.name: check.reason for check in verdict.checks if check.verdict == "error"}
    assert found == {
        name: f"it cannot be scored again: its command reads {part} on stdin, which has changed since; grade it again"
        for name, part in stale.items()
    }
    assert [check.verdict for check in verdict.checks if check.name not in stale] == ["passed"] * (3 - len(stale))


def test_what_takes_the_result_of_a_check_that_cannot_be_scored_cannot_either(world: World) -> None:
    text = """
image: image
assertions:
  - {{name: ran, type: code-grader, command: ["{word}"]}}
  - {{name: both, type: composite, assertions: [{{name: first, type: check, check: ran}}]}}
"""
    world.write("a/case.yaml", text.format(word="check"))
    run(["-c", "a", "-s", "work/one", "-q"])
    first = the_run()
    world.write("a/case.yaml", text.format(word="other"))
    assert run(["regrade", str(first), "-q"]) == ExitCode.NOT_GRADED
    (second,) = {*Path("runs").iterdir()} - {first}
    (verdict,) = read_run(second).verdicts.values()
    assert "takes the result of ran" in verdict.checks[1].reason


def test_a_timeout_counts_where_it_was_reached(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    text = 'image: image\nassertions: [{{type: code-grader, command: ["check"], timeout_seconds: {}}}]\n'
    world.act = lambda ran: FakeEnd(cause=Cause.DEADLINE) if ran.files["answer"] == b"wrong" else FakeEnd()
    world.write("a/case.yaml", text.format(5))
    run(["-c", "a", "-s", "work/one", "-s", "work/two", "-q"])
    first = the_run()
    world.write("a/case.yaml", text.format(9))
    assert run(["regrade", str(first)]) == ExitCode.NOT_GRADED
    assert "its timeout was 5 s, and is 9 s now" in capsys.readouterr().out
    (second,) = {*Path("runs").iterdir()} - {first}
    assert [verdict for *_, verdict, _ in verdicts(second)] == ["passed", "error"]


def test_where_nothing_can_be_scored_no_run_directory_is_made(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run(["-c", "a", "-s", "work/one", "-q"])
    world.write("a/case.yaml", f"id: other\n{CHECK}")
    assert run(["regrade", str(the_run())]) == ExitCode.USAGE
    assert "has no verdict for its current cases and submissions" in capsys.readouterr().err
    assert len([*Path("runs").iterdir()]) == 1


def test_outcomes_that_cannot_be_read_concern_one_verdict(world: World) -> None:
    run(["-c", "a", "-c", "b", "-s", "work/one", "-q"])
    first = the_run()
    (unpacked(first) / "b" / "one" / OUTCOMES).write_bytes(b"half")
    assert run(["regrade", str(first), "-q"]) == ExitCode.NOT_GRADED
    (second,) = {*Path("runs").iterdir()} - {first}
    assert [verdict for *_, verdict, _ in verdicts(second)] == ["passed", "error"]


def test_outcomes_that_somebody_removed_are_missed(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run(["-c", "a", "-s", "work/one", "-q"])
    (the_run() / LOG).unlink()
    assert run(["regrade", str(the_run())]) == ExitCode.NOT_GRADED
    assert "no outcomes were kept" in capsys.readouterr().out


def test_a_verdict_scored_again_can_be_scored_again(world: World) -> None:
    run([*world.arguments, "-q"])
    first = the_run()
    run(["regrade", str(first), "-q"])
    (second,) = {*Path("runs").iterdir()} - {first}
    run(["regrade", str(second), "-q"])
    (third,) = {*Path("runs").iterdir()} - {first, second}
    assert verdicts(first) == verdicts(second) == verdicts(third)


def test_saved_outcomes_are_what_was_saved(world: World) -> None:
    world.act = lambda _: FakeEnd(stdout=b"\xff\x00out", stderr=b"e" * 100_000, report=b"\x80")
    run(["-c", "a", "-s", "work/one", "-q"])
    saved = read_run(the_run())
    (verdict,) = saved.verdicts.values()
    found = saved.outcomes(verdict)
    assert found is not None
    (done,) = found.done["code-grader"]
    assert done.outcome.stdout.head == b"\xff\x00out"
    assert done.outcome.stderr.total_bytes == 100_000
    assert outcomes.decode(outcomes.encode(found)) == found


def test_what_depends_on_another_case_is_decided_by_what_that_one_comes_to_now(world: World) -> None:
    world.act = second_fails
    world.write("suite/EVAL.yaml", "tests: ./cases/\n")
    world.write("suite/cases/a/case.yaml", case())
    world.write("suite/cases/b/case.yaml", f"depends_on: a\n{case(threshold=0.5)}")
    world.write("suite/cases/c/case.yaml", f"depends_on: b\n{case(threshold=0.5)}")
    run(["-c", "suite", "-s", "work/one", "-q"])
    first = the_run()
    assert [verdict for *_, verdict, _ in verdicts(first)] == ["failed", "not_judged", "not_judged"]

    def again() -> list[str]:
        before = {*Path("runs").iterdir()}
        run(["regrade", str(first), "-q"])
        (second,) = {*Path("runs").iterdir()} - before
        return [verdict for *_, verdict, _ in verdicts(second)]

    assert again() == ["failed", "not_judged", "not_judged"]
    world.write("suite/cases/a/case.yaml", case(threshold=0.5))
    # There is nothing of it that could be scored, and then it did not pass.
    assert again() == ["passed", "error", "not_judged"]
