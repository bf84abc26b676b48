"""From a verdict to the leaderboard's evaluation, and its score."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.checks.evaluation import judge, judge_all, stages
from gradebox.graders.grading.planner import Planner
from gradebox.graders.model import scoring, verdict
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.evidence import Evidence, StepOutcome
from gradebox.graders.model.plan import Files
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import Form
from gradebox.graders.model.tree import Tree, content
from gradebox.graders.model.verdict import Status
from gradebox.graders.submissions.answer import extract_code, read_answer
from gradebox.graders.submissions.overlay import lay
from gradebox.graders.submissions.source import read_reference, read_submission
from gradebox.plugins.julia_leaderboard.definition import ENV, Executed, ExecutedExamples, Parsed, PassedUnitTests
from gradebox.plugins.julia_leaderboard.evaluations import (
    Leaderboard,
    conversation_of,
    evaluation_of,
    recorded_tasks,
    recording_of,
    score,
    write_evaluation,
)
from gradebox.plugins.julia_leaderboard.recorded import Recording
from gradebox.sandbox.types import Capture, Ending, Outcome

KEYS = """
name parsed executed unit_tests_count examples_count unit_tests_passed examples_executed tokens elapsed_seconds cost
model timestamp prompt_strategy prompt_label device version_prompt schema version_pt parameters experiment
"""
HERE = Place(Path("definition.toml"), 2, 1)


def a_case(examples: int = 4, tests: int = 5) -> Case:
    first = Parsed(
        name="parsed",
        place=HERE,
        function="add_one",
        examples=("example",) * examples,
        unit_tests=("test",) * tests,
        imports=("Dates",),
    )
    checks = (
        first,
        Executed(name="executed", place=HERE, of="parsed"),
        PassedUnitTests(name="passed_unit_tests", place=HERE, of="parsed"),
        ExecutedExamples(name="executed_examples", place=HERE, of="parsed"),
    )
    return Case(
        "add_one",
        HERE,
        Path(),
        checks,
        reference_text="add_one(x) = x + 1",
        whole_answer=True,
        metadata={"name": "add_one", "version": "1.1"},
    )


def graded(case: Case, report: str, ending: Ending = Ending.EXITED, code: int | None = 0) -> Result:
    """Grade what a runner told: lines without their token."""
    planner = Planner(case, Files(Tree(), Tree()))
    (stage,) = stages(case.checks[0], case, planner)
    (step,) = stage.steps
    told = "".join(f"{step.token} {line}\n" for line in report.splitlines())
    outcome = Outcome(ending, code, report=Capture(told.encode()))
    evidence = Evidence(done=(StepOutcome(step, outcome),))
    results = judge_all(
        case.checks,
        lambda spec, so_far: judge(
            spec, case, Evidence(done=evidence.done if spec.name == "parsed" else (), results=so_far)
        ),
    )
    return Result(
        "0123456789abcdef",
        "add_one",
        "mine",
        verdict.decide(results, threshold=0.8),
        datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC),
    )


def scores(case: Case, report: str) -> list[float | None]:
    return [check.score for check in graded(case, report).verdict.checks]


ALL = (
    "parsed\nexecuted\n"
    + "".join(f"passed example {n}\n" for n in range(1, 5))
    + "".join(f"passed test {n}\n" for n in range(1, 6))
)


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (ALL + "end", [1, 1, 1, 1]),
        ("parsed\nexecuted\npassed example 1\nfailed example 2 no\npassed test 3\nend", [1, 1, 0.2, 0.25]),
        ("unparsed no code was found\nend", [0, 0, 0, 0]),
        ("parsed\nstopped it was late\nend", [1, 0, 0, 0]),
        # The second try's result replaces the first's, whichever way round.
        ("parsed\nstopped x\nunparsed y\nend", [0, 0, 0, 0]),
        ("unparsed x\nparsed\nexecuted\nend", [1, 1, 0, 0]),
        ("end", [0, 0, 0, 0]),
        ("parsed\nexecuted\npassed example 9\npassed nonsense 1\nend", [1, 1, 0, 0]),
    ],
)
def test_what_the_runner_told_is_the_score(report: str, expected: list[float]) -> None:
    assert scores(a_case(), report) == pytest.approx(expected)


def test_without_items_there_is_nothing_to_gain() -> None:
    assert scores(a_case(0, 0), "parsed\nexecuted\nend") == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("report", "ending", "code", "says"),
    [
        ("missing Dates", Ending.EXITED, 90, "the image lacks Dates"),
        ("broken gone x", Ending.EXITED, 90, "could not be started"),
        ("parsed", Ending.EXITED, 1, "the runner ended early"),
        ("parsed", Ending.EXITED, 0, "the runner ended early"),
        ("", Ending.SANDBOX_LOST, None, "sandbox lost"),
    ],
)
def test_what_is_not_the_answers_doing_is_an_error_of_all_four(
    report: str, ending: Ending, code: int | None, says: str
) -> None:
    found = graded(a_case(), report, ending, code)
    assert {check.status for check in found.verdict.checks} == {Status.ERROR}
    assert all(says in check.reason for check in found.verdict.checks)
    assert evaluation_of(a_case(), found, RECORDING, conversation_of(a_case(), "")) is None


@pytest.mark.parametrize("ending", [Ending.TIMED_OUT, Ending.OUT_OF_MEMORY, Ending.OUTPUT_LIMIT, Ending.SIGNALLED])
def test_what_ran_before_a_limit_counts(ending: Ending) -> None:
    found = graded(a_case(), "parsed\nexecuted\npassed example 1\npassed example 2", ending, None)
    assert [check.score for check in found.verdict.checks] == [1, 1, 0, 0.5]


def test_a_line_without_the_token_means_nothing() -> None:
    case = a_case()
    assert scores(case, "parsed\nend\nx passed") == [1, 0, 0, 0]


def test_the_runner_gets_the_threads_that_the_case_wants() -> None:
    case = a_case()
    planner = Planner(case, Files(Tree(), Tree()))
    assert stages(case.checks[0], case, planner)[0].steps[0].env["JULIA_NUM_THREADS"] == ENV["JULIA_NUM_THREADS"] == "6"
    assert [stages(check, case, planner) for check in case.checks[1:]] == [(), (), ()]


RECORDING = Recording("add_one", "yi:34b", "InJulia", "1SHOT", "20240102_030405__678")


def test_the_keys_are_the_leaderboards_in_its_order() -> None:
    case = a_case()
    before = {"cost": 0.5, "device": "a desk", "tokens": [1, 2], "parsed": False, "parameters": {"top_p": 0.9}}
    evaluation = evaluation_of(case, graded(case, ALL + "end"), RECORDING, conversation_of(case, "x"), before)
    assert evaluation is not None
    assert list(evaluation) == KEYS.split()
    assert (evaluation["parsed"], evaluation["unit_tests_passed"], evaluation["examples_executed"]) == (True, 5, 4)
    assert (evaluation["cost"], evaluation["device"], evaluation["tokens"]) == (0.5, "a desk", [1, 2])
    assert (evaluation["model"], evaluation["timestamp"]) == ("yi:34b", "20240102_030405__678")
    assert (evaluation["version_prompt"], evaluation["parameters"]) == ("1.1", {"top_p": 0.9})


def test_what_the_model_used_is_in_the_last_message(tmp_path: Path) -> None:
    directory = tmp_path / "in/add_one/yi:34b"
    directory.mkdir(parents=True)
    messages = [{"content": "ask", "_type": "usermessage"}, {"content": "say", "tokens": [7, 8], "elapsed": 1.5}]
    (directory / "conversation__P__S__20240102_030405__678.json").write_text(json.dumps(messages))
    case = a_case()
    (task,) = recorded_tasks(tmp_path / "in", [case])
    assert (task.submission.output, task.submission.form) == ("say", Form.ANSWER)
    written = write_evaluation(tmp_path / "out", case, task.submission, graded(case, "parsed\nend"), task.recorded)
    assert written == tmp_path / "out/add_one/yi:34b/evaluation__P__S__20240102_030405__678.json"
    evaluation = json.loads(written.read_text())
    assert (evaluation["tokens"], evaluation["elapsed_seconds"]) == ([7, 8], 1.5)
    conversation = written.with_name("conversation__P__S__20240102_030405__678.json")
    assert json.loads(conversation.read_text()) == messages


def test_an_answer_that_was_not_recorded_has_names_too(tmp_path: Path) -> None:
    case = a_case()
    found = graded(case, ALL + "end")
    mine = read_answer("mine", "text")
    assert recording_of(case, mine, found) == Recording("add_one", "mine", "AsIs", "1SHOT", "20240102_030405__743")
    written = write_evaluation(tmp_path, case, read_answer("mine", "text"), found)
    assert written is not None
    assert (
        json.loads(written.with_name(written.name.replace("evaluation", "conversation")).read_text())[-1]["content"]
        == "text"
    )


def test_an_answer_that_says_who_gave_it_lies_under_that_name(tmp_path: Path) -> None:
    case = replace(a_case(), category="basics")
    origin = {"model": "org/x:7b", "prompt_label": "InJulia", "prompt_strategy": "2SHOT", "parameters": {"top_p": 1}}
    submission = replace(read_answer("first", "text"), origin=origin)
    written = write_evaluation(tmp_path, case, submission, graded(case, ALL + "end"))
    assert written == tmp_path / "basics/add_one/org/x:7b/evaluation__InJulia__2SHOT__20240102_030405__743.json"
    evaluation = json.loads(written.read_text())
    assert (evaluation["model"], evaluation["parameters"]) == ("org/x:7b", {"top_p": 1})


@pytest.mark.parametrize("model", ["..", "a//b", "/etc", "x\0y", "a" * 300, "\ud800", ""])
def test_a_model_whose_name_is_no_path_is_quoted_and_stays_below_the_tree(model: str, tmp_path: Path) -> None:
    case = replace(a_case(), category="basics")
    submission = replace(read_answer("first", "text"), origin={"model": model, "prompt_label": "../x" * 99})
    board = Leaderboard(tmp_path / "out", None, [case])
    board.add(case, submission, graded(case, ALL + "end"))
    (found,) = (tmp_path / "out/basics/add_one").rglob("evaluation__*")
    assert json.loads(found.read_text())["model"] == model
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


def test_a_conversation_that_is_submitted_by_itself_keeps_its_names(tmp_path: Path) -> None:
    file = tmp_path / "x:7b/conversation__InJulia__1SHOT__20240102_030405__678.json"
    file.parent.mkdir()
    file.write_text('[{"content": "f(x) = x", "tokens": [7, 8]}]')
    case = replace(a_case(), category="basics")
    for model in ("x:7b", "org/x:7b"):
        board = Leaderboard(tmp_path / model, None, [case], [str(file)])
        found = replace(graded(case, ALL + "end"), submission=file.stem)
        board.add(case, read_submission(file), found)
        written = tmp_path / model / "basics/add_one" / model / file.name.replace("conversation", "evaluation")
        assert json.loads(written.read_text())["tokens"] == [7, 8]
        file.with_name(file.name.replace("conversation", "evaluation")).write_text('{"model": "org/x:7b"}')


def test_one_unreadable_conversation_is_reported_by_name_and_the_others_are_read(tmp_path: Path) -> None:
    directory = tmp_path / "add_one/model"
    directory.mkdir(parents=True)
    (directory / "conversation__P__S__20240102_030405__1.json").write_text("[{")
    (directory / "conversation__P__S__20240102_030405__2.json").write_text('[{"content": "f(x) = x"}]')
    broken, sound = (task.submission for task in recorded_tasks(tmp_path, [a_case()]))
    assert (broken.name, sound.fault) == ("add_one/model/conversation__P__S__20240102_030405__1", "")
    assert "conversation__P__S__20240102_030405__1.json: The conversation cannot be read" in broken.fault
    assert sound.output == "f(x) = x"
    assert sound.origin["model"] == "model"
    assert (sound.origin["prompt_label"], sound.origin["prompt_strategy"]) == ("P", "S")


@given(
    st.booleans(), st.booleans(), st.integers(0, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.integers(0, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
)  # fmt: skip
def test_the_score_is_a_hundred_times_the_mean_of_the_checks(
    parsed: bool, executed: bool, tests: tuple[int, int], examples: tuple[int, int]
) -> None:
    case = a_case(examples[1], tests[1])
    report = [*["parsed"] * parsed, *["executed"] * executed]
    report += [f"passed example {n}" for n in range(1, examples[0] + 1)]
    report += [f"passed test {n}" for n in range(1, tests[0] + 1)]
    found = graded(case, "\n".join([*report, "end"]))
    evaluation = evaluation_of(case, found, RECORDING, conversation_of(case, ""))
    assert evaluation is not None
    mean = scoring.mean(scoring.Weighed(check.score or 0.0, check.weight) for check in found.verdict.checks)
    assert mean is not None
    assert score(evaluation) == pytest.approx(100 * mean, abs=1e-9)
    assert found.verdict.score == pytest.approx(mean)


def test_an_answer_is_laid_down_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbf```julia\r\ntwo\r\n```")
    read = read_submission(tmp_path / "a.md")
    laid = lay(Tree(), read).tree
    text = "```julia\ntwo\n```"
    assert (read.form, read.output, content(laid.entries["answer.md"])) == (Form.ANSWER, text, text.encode())


def test_only_a_file_of_code_is_code_from_end_to_end(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("f(x) = x")
    (tmp_path / "a.jl").write_text("# ```julia\nf(x) = x")
    recorded = tmp_path / "conversation__P__S__20240102_030405__678.json"
    recorded.write_text('[{"content": "f(x) = x"}]')
    assert list(read_submission(tmp_path / "a.md").tree.entries) == ["answer.md"]
    assert list(extract_code(a_case(), read_submission(tmp_path / "a.jl")).tree.entries) == ["answer.jl"]
    assert list(read_submission(recorded).tree.entries) == ["answer.md"]


def test_the_reference_is_code() -> None:
    reference = read_reference(a_case())
    assert reference is not None
    assert list(reference.tree.entries) == ["answer.jl"]
