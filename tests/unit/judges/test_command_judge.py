"""A program as a judge: what it reads, and whatever it does other than reply."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from evidence_bench import SLOW, exited

from gradebox.graders.errors import GraderError
from gradebox.graders.judges.command_judge import CommandJudge
from gradebox.graders.judges.judge_file import read_judge_file
from gradebox.graders.judges.provider import JudgeFailed
from gradebox.graders.model.judgment import MAX_REPLY_CHARACTERS, Criterion, Part, Question
from gradebox.sandbox.errors import SandboxLost
from gradebox.sandbox.limits import Network
from gradebox.sandbox.types import Capture, Outcome

QUESTION = Question((Part("Is it kind?"),), (Criterion("a", "A"),))
MESSAGES = ({"role": "user", "content": "Is it kind?"},)


def judge_of(root: Path, text: str, files: Mapping[str, str] | None = None) -> CommandJudge:
    for name, content in (files or {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    (root / "judge.yaml").write_text(f"provider: command\n{text}\n")
    (judge,) = read_judge_file(root / "judge.yaml", {"KEY": "sk-0123456789"}).judges
    assert isinstance(judge, CommandJudge)
    return judge


def test_it_reads_the_question_and_prints_the_reply(tmp_path: Path) -> None:
    files = {"tools/judge.py": "print(1)", "other.py": ""}
    judge = judge_of(tmp_path, "command: [python3, tools/judge.py]\nnetwork: bridge\nenv: {A: b}", files)
    ran: list[tuple[Any, ...]] = []

    def run(*arguments: Any) -> Outcome:
        ran.append(arguments)
        return exited(stdout="the reply")

    host: Any = SimpleNamespace(run=run)
    assert judge.reply(QUESTION, MESSAGES, host).text == "the reply"
    ((image, network, entries, argv, env, stdin, seconds),) = ran
    assert (image, network, argv, env, seconds) == (
        "gradebox/python", Network.BRIDGE, ("python3", "tools/judge.py"), {"A": "b"}, 120.0,
    )  # fmt: skip
    assert [entry.path for entry in entries] == ["tools", "tools/judge.py"]
    assert json.loads(stdin) == {
        "key": QUESTION.key, "messages": list(MESSAGES), "criteria": [{"id": "a", "text": "A", "ranges": {}}],
    }  # fmt: skip


def test_another_program_makes_it_another_judge(tmp_path: Path) -> None:
    one = judge_of(tmp_path, "command: python3 judge.py", {"judge.py": "1"})
    other = judge_of(tmp_path, "command: python3 judge.py", {"judge.py": "2"})
    assert one.identity() != other.identity()
    assert list(one.files) == ["judge.py"]


LONG = Capture(b"x" * MAX_REPLY_CHARACTERS, b"", MAX_REPLY_CHARACTERS + 1)


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (replace(exited(2), stderr=Capture(b"no sk-0123456789 here", b"", 21)), r"exit status 2: no \[\.\.\.\] here"),
        (SLOW, "timed_out"),
        (replace(exited(), stdout=LONG), "printed more than"),
        (GraderError("There is no image."), "could not run: There is no image"),
        (SandboxLost("The container is gone."), "could not run: The container is gone"),
    ],
)
def test_whatever_else_it_does_is_its_failure(tmp_path: Path, outcome: Any, words: str) -> None:
    def run(*_: Any) -> Outcome:
        if isinstance(outcome, Exception):
            raise outcome
        found: Outcome = outcome
        return found

    host: Any = SimpleNamespace(run=run)
    with pytest.raises(JudgeFailed, match=words):
        judge_of(tmp_path, "command: [judge]\nenv: {KEY: '${{ KEY }}'}").reply(QUESTION, MESSAGES, host)
