"""Replies in a file: by key, for one judge or any, and what is wrong with a file of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.documents.diagnostics import Findings
from gradebox.graders.errors import UsageRefused
from gradebox.graders.judges.judge_file import read_judge_file
from gradebox.graders.judges.provider import JudgeFailed
from gradebox.graders.judges.recorded_judge import RecordedJudge, read_judgments, read_replies
from gradebox.graders.model.judgment import Part, Question

QUESTION = Question((Part("Is it kind?"),))
REPLY = {"reasoning": "", "score": 1}


def written(root: Path, *lines: object) -> Path:
    file = root / "replies.jsonl"
    file.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return file


def judge_of(root: Path, *lines: object) -> RecordedJudge:
    written(root, *lines)
    (root / "judge.yaml").write_text("provider: recorded\nfile: replies.jsonl\nname: bob\n")
    (judge,) = read_judge_file(root / "judge.yaml", {}).judges
    assert isinstance(judge, RecordedJudge)
    return judge


def test_the_reply_to_a_question_is_found_by_its_key(tmp_path: Path) -> None:
    key, host = QUESTION.key, Any
    assert json.loads(judge_of(tmp_path, {"key": key, "reply": REPLY}).reply(QUESTION, (), host).text) == REPLY
    text = judge_of(tmp_path, {"key": key, "reply": "as text", "case": "c", "messages": []})
    assert text.reply(QUESTION, (), host).text == "as text"
    named = judge_of(tmp_path, {"key": key, "reply": "any"}, {"key": key, "judge": "bob", "reply": "bob's"})
    assert named.reply(QUESTION, (), host).text == "bob's"
    for lines in ([], [{"key": key, "reply": None}], [{"key": key, "judge": "eve", "reply": "x"}], [{"key": key}]):
        with pytest.raises(JudgeFailed, match=f"replies.jsonl has no reply to the question {key}"):
            judge_of(tmp_path, *lines).reply(QUESTION, (), host)


def test_a_json_file_has_replies_by_their_keys(tmp_path: Path) -> None:
    (tmp_path / "replies.json").write_text(json.dumps({QUESTION.key: REPLY, "open": None}))
    (tmp_path / "judge.yaml").write_text("provider: recorded\npath: replies.json\n")
    (judge,) = read_judge_file(tmp_path / "judge.yaml", {}).judges
    assert isinstance(judge, RecordedJudge)
    host: Any = None
    assert json.loads(judge.reply(QUESTION, (), host).text) == REPLY
    findings = Findings()
    (tmp_path / "replies.json").write_text("[]")
    assert not read_replies(tmp_path / "replies.json", findings)
    assert findings.errors


def test_other_replies_make_it_another_judge_which_shows_none_of_them(tmp_path: Path) -> None:
    one = judge_of(tmp_path, {"key": "k", "reply": "secret"})
    other = judge_of(tmp_path, {"key": "k", "reply": "another"})
    assert one.identity() != other.identity()
    assert "secret" not in repr(one)
    assert one.attempts == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "this is not JSON"),
        ("[]", "it has no `key`"),
        ('{"reply": {}}', "it has no `key`"),
        ('{"key": 1, "reply": {}}', "it has no `key`"),
        ('{"key": "k", "judge": 1, "reply": {}}', "it has no `key`"),
    ],
)
def test_a_line_that_is_no_reply_is_named(tmp_path: Path, line: str, words: str) -> None:
    findings = Findings()
    read_replies(written(tmp_path, {"key": "k", "reply": "x"}, "", line), findings)
    (found,) = findings
    assert (found.line, words in found.message) == (3, True)


def test_judgments_of_a_file_are_those_of_all_who_replied(tmp_path: Path) -> None:
    file = written(tmp_path, {"key": "k", "judge": "a", "reply": "1"}, {"key": "k", "reply": "2"}, {"key": "l"})
    found = read_judgments(file)
    assert {key: [(one.judge, one.text) for one in judgment.replies] for key, judgment in found.items()} == {
        "k": [("a", "1"), ("replies.jsonl", "2")]
    }
    with pytest.raises(UsageRefused, match="cannot be read"):
        read_judgments(tmp_path / "none")


def test_two_replies_to_one_question_are_refused(tmp_path: Path) -> None:
    one, other = {"key": "k", "reply": "a"}, {"key": "k", "reply": "b"}
    assert read_judgments(written(tmp_path, one, {**other, "judge": "bob"}, {"key": "k", "reply": None}))
    with pytest.raises(UsageRefused, match=r"replies\.jsonl:2:1: error: the question `k` has a reply in line 1"):
        read_judgments(written(tmp_path, one, other))
