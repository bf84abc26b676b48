"""Files of answers: each line paired with its case, each mistake with its line, and never the whole file in memory."""

from __future__ import annotations

import json
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import Tree, content
from gradebox.graders.submissions import transcript_json
from gradebox.graders.submissions.answer import extract_code
from gradebox.graders.submissions.answers_jsonl import Answers, read_answers
from gradebox.graders.submissions.overlay import lay
from gradebox.sandbox.archive import file_entry

CASES = [("fix", None), ("auth", "one"), ("auth", "two"), ("slug", None)]
OUTSIDE = "outside.diff"


def cases(*ids: str) -> list[Case]:
    chosen = [(name, target) for name, target in CASES if not ids or name in ids]
    return [
        Case(id=name, place=Place(Path("case.yaml")), directory=Path(), checks=(), language="python", target=target)
        for name, target in chosen
    ]


Look = Callable[..., Answers]


@pytest.fixture
def look(tmp_path: Path) -> Look:
    """Look through a file of these lines; what is not text is written as JSON."""

    def look_through(*lines: Any, ids: tuple[str, ...] = ()) -> Answers:
        text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
        file = tmp_path / "run" / "answers.jsonl"
        file.parent.mkdir(exist_ok=True)
        (file.parent / "answers.md").touch()
        file.write_text(text, "utf-8")
        return read_answers(file, cases(*ids))

    return look_through


def submissions(answers: Answers) -> list[tuple[str, str | None, Submission]]:
    return [(case.id, case.target, submission) for case, submission in answers.pairs()]


def diagnostics(answers: Answers) -> list[str]:
    return [f"{found.line}:{found.column} {found.path} {found.message}" for found in answers.findings if found.line]


def test_each_line_goes_to_its_case_in_the_order_of_the_lines(look: Look) -> None:
    answers = look(
        {"id": "slug", "output": "no code"},
        "",
        {"case": "fix", "answer": "```python\nx = 1\n```", "name": "model"},
        {"case": "auth", "answer": "x"},
    )
    assert (answers.count, answers.refused, list(answers.findings)) == (4, frozenset(), [])
    found = submissions(answers)
    assert [(case, target, one.name) for case, target, one in found] == [
        ("slug", None, "answers"),
        ("fix", None, "model"),
        ("auth", "one", "answers"),
        ("auth", "two", "answers"),
    ]
    model = found[1][2]
    assert model.output == "```python\nx = 1\n```"
    assert {path: content(entry) for path, entry in model.tree.entries.items()} == {
        "answer.md": b"```python\nx = 1\n```"
    }


def test_an_answer_may_be_for_one_target(look: Look) -> None:
    answers = look({"case": "auth", "answer": "1", "target": "two"}, {"case": "auth", "answer": "2", "target": "one"})
    assert [(target, one.output) for _, target, one in submissions(answers)] == [("two", "1"), ("one", "2")]


def test_work_that_lies_beside_the_file(look: Look, tmp_path: Path) -> None:
    work = tmp_path / "run" / "work"
    (work / "fix").mkdir(parents=True)
    (work / "fix" / "a.py").write_text("mine")
    (work / "slug.diff").write_text("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old\n+new\n")
    (work / "auth.md").write_text("```python app.py\nx\n```")
    (work / "auth.jsonl").write_text('{"role": "assistant", "content": "StepOutcome."}\n')
    answers = look(
        {"case": "fix", "path": "work/fix", "answer": "```python b.py\nnever placed\n```"},
        {"case": "slug", "path": "./work/slug.diff"},
        {"case": "auth", "path": "work/auth.md", "transcript": "work/auth.jsonl", "target": "one"},
    )
    assert list(answers.findings) == []
    (_, _, fix), (_, _, slug), (_, _, auth) = submissions(answers)
    assert (list(fix.tree.entries), fix.output) == (["a.py"], "```python b.py\nnever placed\n```")
    before = Tree({"a.py": file_entry("a.py", b"old\n")})
    assert content(lay(before, slug).tree.entries["a.py"]) == b"new\n"
    assert list(extract_code(cases("auth")[0], auth).tree.entries) == ["app.py"]
    assert auth.transcript is not None
    assert auth.transcript.output == "StepOutcome."


def test_messages_are_a_transcript_with_what_is_said_of_it(look: Look) -> None:
    messages = [
        {"role": "user", "content": None, "extra": 1.10},
        {"role": "assistant", "content": "Hi.", "tool_calls": [{"tool": "read", "input": {"a": 1}}]},
    ]
    line = {
        "case": "fix",
        "messages": messages,
        "token_usage": {"input": 3, "output": 4},
        "cost_usd": 1,
        "duration_ms": 5,
    }
    ((_, _, found),) = submissions(look(line))
    assert found.output is None
    assert found.transcript is not None
    assert (found.transcript.output, found.transcript.cost_usd, found.transcript.duration_ms) == ("Hi.", 1, 5)
    assert [call.name for call in found.transcript.tool_calls] == ["read"]
    assert (found.transcript.input_tokens, found.transcript.output_tokens) == (3, 4)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["{"], ["1:2  this is not JSON: expecting property name enclosed in double quotes"]),
        (["", "[]"], ["2:1 ['line 2'] an answer must be an object"]),
        (['"text"'], ["1:1 ['line 1'] an answer must be an object"]),
        ([{"answer": "x"}], ["1:1 ['line 1'].case `case` is missing"]),
        ([{"case": "fix"}], ["1:1 ['line 1'] this line has no answer"]),
        ([{"case": "fxi", "answer": ""}], ["1:10 ['line 1'].case no case has the id `fxi`"]),
        ([{"id": "../fix", "answer": ""}], ["1:8 ['line 1'].id `id` cannot be `../fix`"]),
        (
            [{"case": "fix", "id": "fix", "answer": ""}],
            ["1:17 ['line 1'].id `id` and `case` (line 1, column 2) are two names"],
        ),
        ([{"case": "fix", "anwser": ""}], ["1:17 ['line 1'].anwser unknown key `anwser`"]),
        ([{"case": "fix", "answer": 1}], ["1:27 ['line 1'].answer `answer` must be text, not the number 1"]),
        (
            [{"case": "fix", "answer": "", "output": ""}],
            ["1:31 ['line 1'].output `output` and `answer` (line 1, column 17) are two names"],
        ),
        (['{"case": "fix", "answer": "", "answer": ""}'], ["1:31  the key `answer` is written twice, first in line 1"]),
        (
            [{"case": "auth", "answer": "", "target": "three"}],
            ["1:42 ['line 1'].target the case `auth` has no target `three`"],
        ),
        ([{"case": "fix", "messages": []}], ["1:29 ['line 1'].messages The transcript has no messages"]),
        ([{"case": "fix", "messages": [{"role": "x"}]}], ["1:29 ['line 1'].messages Message 1 has the role 'x'"]),
        ([{"case": "fix", "answer": "", "cost_usd": 1}], ["1:43 ['line 1'].cost_usd `cost_usd` belongs to `messages`"]),
        (
            [{"case": "fix", "answer": "", "path": "answers.md"}],
            ["1:39 ['line 1'].path `path` is an answer, and this line"],
        ),
        (['{"case": "fix", "answer": "", "name": "\\ud800"}'], ["1:39  this string holds half of a surrogate pair"]),
        (['{"case": "fix", "answer": NaN}'], ["1:27  `NaN` is not JSON"]),
        (
            [
                {"case": "fix", "answer": "1", "name": "a"},
                {"case": "slug", "answer": "2", "name": "a"},
                {"case": "fix", "answer": "3", "name": "a"},
            ],
            ["3:1 ['line 3'] the case `fix` already has an answer by `a` in line 1"],
        ),
        (
            [{"case": "auth", "answer": "1", "target": "one", "name": "a"}, {"id": "auth", "answer": "2", "name": "a"}],
            ["2:1 ['line 2'] the case `auth` already has an answer by `a` in line 1"],
        ),
        (
            [{"case": "fix", "answer": "1", "name": "gpt"}, {"case": "fix", "answer": "2", "model": "gpt"}],
            ["2:1 ['line 2'] the case `fix` already has an answer by `gpt` in line 1"],
        ),
    ],
)
def test_what_is_wrong_with_a_line_is_said_with_its_place(look: Look, lines: list[Any], said: list[str]) -> None:
    answers = look(*lines)
    found = diagnostics(answers)
    assert [full[: len(start)] for full, start in zip(found, said, strict=True)] == said
    wrong = {int(one.partition(":")[0]) for one in said}
    assert answers.refused == wrong
    assert len(submissions(answers)) == answers.count


def test_several_answers_of_one_model_are_samples(look: Look) -> None:
    lines = [{"case": "fix", "answer": str(number), "model": model} for number, model in enumerate("aabab")]
    answers = look(*lines, {"case": "slug", "answer": "x", "model": "a"}, {"case": "slug", "answer": "x", "name": "b"})
    assert not [found for found in answers.findings if found.line]
    found = [(case, one.name, one.origin.get("sample")) for case, _, one in submissions(answers)]
    assert found == [
        ("fix", "a", 1), ("fix", "a sample 2", 2), ("fix", "b", 1), ("fix", "a sample 3", 3), ("fix", "b sample 2", 2),
        ("slug", "a", 1), ("slug", "b", None),
    ]  # fmt: skip


def test_samples_are_counted_by_target_and_a_refused_line_is_none(look: Look) -> None:
    answers = look(
        {"case": "auth", "answer": "1", "target": "one"},
        {"case": "auth", "answer": 2, "target": "one"},
        {"case": "auth", "answer": "3"},
        {"case": "auth", "answer": "4", "target": "two"},
    )
    found = [(target, one.name, one.output) for _, target, one in submissions(answers)]
    assert found == [
        ("one", "answers", "1"), ("one", "answers sample 2", "3"), ("two", "answers sample 2", "3"),
        ("two", "answers sample 3", "4"),
    ]  # fmt: skip


def test_a_target_is_a_label_where_the_case_has_none(look: Look) -> None:
    lines = [{"case": "fix", "answer": "1", "name": "1", "target": target} for target in ("old", "new")]
    answers = look(*lines)
    assert not [found for found in answers.findings if found.line]
    assert [(target, one.name, one.target) for _, target, one in submissions(answers)] == [
        (None, "1", "old"), (None, "1", "new"),
    ]  # fmt: skip


def test_a_misspelt_id_gets_a_suggestion(look: Look) -> None:
    answers = look({"case": "atuh", "answer": ""}, ids=("auth",))
    assert [found.hint for found in answers.findings if found.line] == ["Did you mean `auth`?"]


def test_broken_lines_do_not_keep_the_others_from_being_graded(look: Look) -> None:
    answers = look(
        "{", {"case": "fix", "answer": "1"}, {"case": "none", "answer": "2"}, {"case": "slug", "answer": "3"}
    )
    assert (answers.refused, answers.count) == ({1, 3}, 2)
    assert [one.output for _, _, one in submissions(answers)] == ["1", "3"]


def test_the_same_case_may_be_answered_under_several_names(look: Look) -> None:
    answers = look(
        {"case": "fix", "answer": "1", "name": "a"}, {"case": "fix", "answer": "2", "name": "b"}, ids=("fix",)
    )
    assert (list(answers.findings), answers.count) == ([], 2)


def test_a_line_may_say_which_model_answered_to_which_prompt(look: Look) -> None:
    line = {"case": "slug", "answer": "x", "model": "org/x:7b", "parameters": {"top_p": 0.9}}
    found = look(*({**line, "prompt_label": label, "prompt_strategy": "1SHOT"} for label in ("AsIs", "InJulia")))
    read = [submission for _, submission in found.pairs()]
    assert [one.name for one in read] == ["org/x:7b AsIs 1SHOT", "org/x:7b InJulia 1SHOT"]
    assert read[0].origin == {
        "model": "org/x:7b",
        "prompt_label": "AsIs",
        "prompt_strategy": "1SHOT",
        "parameters": {"top_p": 0.9},
        "sample": 1,
    }


def test_cases_without_an_answer_are_named(look: Look) -> None:
    (warning,) = look({"case": "fix", "answer": "1"}).findings
    assert warning.message == "2 of 3 cases have no answer here and are not graded: auth, slug"


def test_lines_for_cases_that_are_left_out_are_passed_over(tmp_path: Path) -> None:
    lines = [{"case": "fix", "answer": "1"}, {"case": "other", "answer": "2"}, {"case": "nobody", "answer": "3"}]
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    answers = read_answers(file, cases("fix"), {"other"})
    assert [found.message for found in answers.findings] == ["no case has the id `nobody`"]
    assert answers.count == 1
    assert [name for name, *_ in submissions(answers)] == ["fix"]


def test_an_empty_file_is_an_error(look: Look) -> None:
    (found,) = look("").findings
    assert found.message == "this file has no answers"


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    (found,) = read_answers(tmp_path / "none.jsonl", cases()).findings
    assert "cannot be read" in found.message


# Hostile lines


@pytest.mark.parametrize("key", ["path", "transcript"])
@pytest.mark.parametrize(
    "path",
    [
        f"../{OUTSIDE}",
        f"work/../../{OUTSIDE}",
        "/etc/passwd",
        "link",
        "linked/x",
        "",
        ".",
        "a\0b",
        "..\\x",
        "\ud800"[:0],
    ],
)
def test_no_path_leads_out_of_the_directory_of_the_file(look: Look, tmp_path: Path, key: str, path: str) -> None:
    (tmp_path / OUTSIDE).write_text("secret")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "x").write_text("secret")
    (tmp_path / "run" / "work").mkdir(parents=True)
    (tmp_path / "run" / "link").symlink_to(tmp_path / OUTSIDE)
    (tmp_path / "run" / "linked").symlink_to(tmp_path / "elsewhere")
    answers = look({"case": "fix", key: path})
    (found,) = [found for found in answers.findings if found.line]
    assert found.message.startswith(
        (f"`{key}` must lie below the file", "`link", "`work") if path else f"`{key}` must lie below the file"
    )
    assert submissions(answers) == []


def test_a_pipe_is_not_waited_for(look: Look, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    os.mkfifo(tmp_path / "run" / "pipe.md")
    ((_, _, found),) = submissions(look({"case": "fix", "path": "pipe.md"}))
    assert "neither a directory nor a file" in found.unreadable


def test_what_vanished_meanwhile_is_a_fault_and_no_zero(look: Look, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "a.md").write_text("x")
    answers = look({"case": "fix", "path": "a.md"})
    (tmp_path / "run" / "a.md").unlink()
    ((_, _, found),) = submissions(answers)
    assert "no longer exists" in found.fault


def test_a_file_that_changes_between_its_two_readings_is_refused(look: Look, tmp_path: Path) -> None:
    answers = look({"case": "fix", "answer": "1"})
    (tmp_path / "run" / "answers.jsonl").write_text("{}\n")
    with pytest.raises(SubmissionRefused, match="was changed"):
        submissions(answers)


def test_nothing_of_the_environment_gets_into_an_answer(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "the key")
    answers = look(
        {"case": "fix", "answer": "${{ SECRET }}", "name": "${{ SECRET }}"},
        {"case": "${{ SECRET }}", "answer": "x"},
        {"case": "slug", "messages": [{"role": "assistant", "content": "${{ SECRET }}"}]},
    )
    assert next((one.name, one.output) for _, _, one in submissions(answers)) == ("${{ SECRET }}", "${{ SECRET }}")
    assert "the key" not in repr(submissions(answers)) + repr(list(answers.findings))
    assert answers.refused == {2}


@settings(max_examples=60)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["case", "id", "answer", "output", "path", "transcript", "messages", "name", "x"]),
            st.recursive(
                st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=5)
                | st.sampled_from(["fix", "auth", ".", "answers.jsonl"]),
                lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
                max_leaves=4,
            ),
            max_size=5,
        ),
        max_size=4,
    )
)  # fmt: skip
def test_whatever_the_lines_hold_nothing_is_raised(tmp_path_factory: pytest.TempPathFactory, lines: list[Any]) -> None:
    file = tmp_path_factory.mktemp("run") / "answers.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    answers = read_answers(file, cases())
    assert len(list(answers.pairs())) == answers.count
    assert len(answers.refused) <= len(lines)


def test_thousands_of_answers_take_no_more_memory_than_a_few(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    answer = "```python\n" + "x = 'a line of forty characters in all'\n" * 130 + "```"
    with file.open("w", encoding="utf-8") as stream:
        for number in range(2_000):
            stream.write(json.dumps({"case": "fix", "name": f"model-{number}", "answer": answer}) + "\n")
    assert file.stat().st_size > 10_000_000
    tracemalloc.start()
    answers = read_answers(file, cases("fix"))
    count = sum(extract_code(case, submission).form is Form.DIRECTORY for case, submission in answers.pairs())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (count, answers.count) == (2_000, 2_000)
    assert peak < 4_000_000


def test_what_a_candidate_wrote_keeps_no_line_from_being_graded(
    look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_json, "MAX_MESSAGES", 2)
    said = {"role": "assistant", "content": "x"}
    long = tmp_path / "run" / "long.jsonl"
    long.parent.mkdir()
    long.write_text(f"{json.dumps(said)}\n" * 3)
    answers = look(
        '{"case": "fix", "answer": "\\ud800"}',
        {"case": "fix", "messages": [{**said, "tool_calls": [{"tool": ""}]}]},
        {"case": "fix", "messages": [said] * 3},
        '{"case": "fix", "messages": [{"role": "assistant", "content": ' + "[" * 200 + "]" * 200 + "}]}",
        {"case": "fix", "transcript": "long.jsonl"},
    )
    assert (answers.count, diagnostics(answers)) == (5, [])
    first, second, third, fourth, fifth = (submission for _, _, submission in submissions(answers))
    assert fifth.unreadable == third.unreadable
    assert first.output == "\ufffd"
    assert second.transcript is not None
    assert third.unreadable == "The transcript has more than 2 messages."
    assert "nested deeper" in fourth.unreadable
