"""Gradings from cases and submissions, at hand or named by a path."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from grading_bench import write

from gradebox.graders.errors import CaseRefused, SubmissionRefused, UsageRefused
from gradebox.graders.grading.task import Task, load_case, load_cases
from gradebox.graders.model.submission import UNTOUCHED, Form, Submission

CASE = 'image: image\nassertions: [{name: it, type: code-grader, command: ["check"]}]\n'


def test_paths_are_read(tmp_path: Path) -> None:
    write(tmp_path, {"case/case.yaml": CASE, "work/a": "1"})
    task = Task(tmp_path / "case", str(tmp_path / "work"))
    assert (task.case.id, task.submission.name, task.repeat, task.number) == ("case", "work", 1, 0)


def test_what_is_at_hand_is_taken_as_it_is(tmp_path: Path) -> None:
    write(tmp_path, {"case/case.yaml": CASE})
    case = load_case(tmp_path / "case")
    assert Task(case, None) == (case, UNTOUCHED, 1, 0)


def test_mistakes_of_a_case_are_named_with_their_place(tmp_path: Path) -> None:
    write(tmp_path, {"case/case.yaml": CASE.replace("image:", "imege:")})
    with pytest.raises(CaseRefused, match=r"case\.yaml:1:1: .*`imege`"):
        load_case(tmp_path / "case")


def test_several_cases_are_refused(tmp_path: Path) -> None:
    write(tmp_path, {"cases/a/case.yaml": CASE, "cases/b/case.yaml": CASE})
    with pytest.raises(CaseRefused, match="holds 2 cases"):
        load_case(tmp_path / "cases")


def test_a_submission_that_is_not_there_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"case/case.yaml": CASE})
    with pytest.raises(SubmissionRefused):
        Task(tmp_path / "case", tmp_path / "nowhere")


def test_the_text_of_an_answer_is_never_taken_for_a_path(tmp_path: Path) -> None:
    write(tmp_path, {"case/case.yaml": CASE, "work/a": "1"})
    case, text = load_case(tmp_path / "case"), "```python\nx = 1\n```"
    task = Task(case, answer=text)
    assert isinstance(task.submission, Submission)
    assert (task.submission.name, task.submission.form, task.submission.output) == ("answer", Form.ANSWER, text)
    short = Task(case, answer=str(tmp_path / "work")).submission
    assert isinstance(short, Submission)
    assert short.form is Form.ANSWER
    with pytest.raises(UsageRefused, match="a submission and an answer"):
        Task(case, tmp_path / "work", answer=text)


def test_the_text_of_an_answer_is_refused_as_a_path(tmp_path: Path) -> None:
    write(tmp_path, {"case/case.yaml": CASE})
    # Otherwise, replies of several lines would work, until one names the directory of the reference.
    for text, says in (("```python\nx = 1\n```", "line break"), ("", "empty")):
        with pytest.raises(UsageRefused, match=says) as refused:
            Task(tmp_path / "case", text)
        assert "answer=" in str(refused.value)


@pytest.mark.parametrize("reply", [b"x = 1", 3, ["x = 1"], {"content": "x = 1"}])
def test_an_answer_that_is_no_text_is_refused_in_plain_words(tmp_path: Path, reply: Any) -> None:
    write(tmp_path, {"case/case.yaml": CASE})
    with pytest.raises(UsageRefused, match=f"An answer is a text, not {type(reply).__name__}"):
        Task(tmp_path / "case", answer=reply)
    with pytest.raises(UsageRefused, match=f"A submission is a path, not {type(reply).__name__}"):
        Task(tmp_path / "case", reply)


def test_it_can_be_copied_and_sent_to_another_process(tmp_path: Path) -> None:
    write(tmp_path, {"case/case.yaml": CASE})
    task = Task(tmp_path / "case", None, 2, number=3, answer="a\nb")
    assert pickle.loads(pickle.dumps(task))[1:] == task[1:]
    assert task._replace(repeat=1)[2:] == (1, 3)


def test_what_is_no_submission_is_a_grading_like_any_other(tmp_path: Path) -> None:
    write(tmp_path, {"case/case.yaml": CASE, "work.zip": "PK\3\4"})
    task = Task(tmp_path / "case", tmp_path / "work.zip")
    assert isinstance(task.submission, Submission)
    assert "The archive is broken" in task.submission.unreadable


def test_all_cases_of_a_path_are_loaded_in_their_order(tmp_path: Path) -> None:
    write(tmp_path, {"cases/b/case.yaml": CASE, "cases/a/case.yaml": CASE})
    assert [case.id for case in load_cases(tmp_path / "cases")] == ["a", "b"]


def test_one_mistake_refuses_all_cases(tmp_path: Path) -> None:
    write(tmp_path, {"cases/a/case.yaml": CASE, "cases/b/case.yaml": CASE.replace("image:", "imege:")})
    with pytest.raises(CaseRefused, match=r"b/case\.yaml:1:1: .*`imege`"):
        load_cases(tmp_path / "cases")
