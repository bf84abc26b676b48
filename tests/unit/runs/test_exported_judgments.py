"""Words judged by somebody else: open questions are exported, filled in, and score the run again without asking."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fake_engine import FakeEnd
from judge_server import Play, judge_server, said, score
from unpacked import unpacked
from world import World

from gradebox.graders.cli.main import run

KEY = "sk-very-secret-1234567890"
CASE = """\
image: image
criteria: Be kind.
assertions:
  - It rhymes.
  - {type: rubrics, rubrics: [{id: kind, outcome: It is kind., required: true}, It is short.]}
  - {type: code-grader, command: [check]}
"""
CHECKLIST = {"checks": [{"id": name, "reasoning": "r", "satisfied": True} for name in ("kind", "rubric-1")]}


@pytest.fixture
def worded(world: World) -> World:
    world.act = lambda _: FakeEnd()
    world.write("a/case.yaml", CASE)
    world.write("answer.md", "I am kind.\n")
    return world


def graded(*arguments: str) -> tuple[int, Path, dict[str, Any]]:
    """Grade, and return the exit status with the run directory and its verdict."""
    before = {path.name for path in Path("runs").glob("2*")}
    code = run([*(arguments or ("-c", "a", "-s", "answer.md")), "-q"])
    (directory,) = (path for path in Path("runs").glob("2*") if path.name not in before)
    return code, directory, json.loads((directory / "results.jsonl").read_text())


def scores(verdict: dict[str, Any]) -> list[tuple[str, float | None]]:
    return [(check["verdict"], check["score"]) for check in verdict["checks"]]


def exported(directory: Path, *arguments: str) -> list[dict[str, Any]]:
    assert run(["export-judgments", str(directory), "-o", "open.jsonl", *arguments]) == 0
    return [json.loads(line) for line in Path("open.jsonl").read_text().splitlines()]


def filled_in(lines: list[dict[str, Any]], *replies: Any) -> str:
    written = ({**line, "reply": reply} for line, reply in zip(lines, replies, strict=True))
    Path("filled.jsonl").write_text("".join(json.dumps(line) + "\n" for line in written))
    return "filled.jsonl"


def test_replies_of_a_person_score_a_run_that_had_no_judge(worded: World) -> None:
    code, directory, verdict = graded()
    assert code == 4
    assert scores(verdict) == [("not_judged", None), ("error", None), ("passed", 1.0)]
    lines = exported(directory)
    assert [(line["case"], line["submission"], line["check"], line["reply"]) for line in lines] == [
        ("a", "answer", "llm-grader", None), ("a", "answer", "rubrics", None),
    ]  # fmt: skip
    assert [criterion["id"] for criterion in lines[1]["criteria"]] == ["kind", "rubric-1"]
    assert "I am kind." in lines[0]["messages"][1]["content"]
    worded.graded = 0
    replies = filled_in(lines, {"reasoning": "It does.", "score": 0.5}, CHECKLIST)
    code, again, verdict = graded("regrade", str(directory), "--judgments", replies)
    assert (code, worded.graded) == (0, 0)
    assert scores(verdict) == [("failed", 0.5), ("passed", 1.0), ("passed", 1.0)]
    assert exported(again) == []
    assert [line["judge"] for line in exported(again, "--answered")] == ["filled.jsonl"] * 2
    # Kept as evidence, so that it can be scored again without the file.
    assert scores(graded("regrade", str(again))[2]) == scores(verdict)


def test_what_is_not_filled_in_stays_open_and_what_is_strange_is_an_error(worded: World) -> None:
    _, directory, _ = graded()
    replies = filled_in(exported(directory), {"reasoning": "", "score": 5}, None)
    _, again, verdict = graded("regrade", str(directory), "--judgments", replies)
    assert scores(verdict) == [("error", None), ("error", None), ("passed", 1.0)]
    assert "the reply of the judge filled.jsonl cannot be used: `score`" in verdict["checks"][0]["reason"]
    assert [line["check"] for line in exported(again)] == ["rubrics"]


def test_the_same_file_is_a_recorded_judge(worded: World) -> None:
    lines = exported(graded()[1])
    replies = filled_in(lines, {"reasoning": "", "score": 1}, CHECKLIST)
    worded.write("judge.yaml", f"provider: recorded\nfile: {replies}\n")
    code, directory, verdict = graded("-c", "a", "-s", "answer.md", "--judge", "judge.yaml")
    assert (code, scores(verdict)) == (0, [("passed", 1.0)] * 3)
    assert exported(directory) == []
    worded.write("answer.md", "I am another.\n")
    code, directory, verdict = graded("-c", "a", "-s", "answer.md", "--judge", "judge.yaml")
    assert code == 4
    assert "has no reply to the question" in verdict["checks"][0]["reason"]
    assert len(exported(directory)) == 2


def play(request: Any) -> Play:
    return said(CHECKLIST) if "kind, rubric-1" in request["messages"][0]["content"] else score(1.0, f"Hello {KEY}")


def test_the_same_run_twice_asks_nobody_the_second_time_and_no_key_is_kept(
    worded: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JUDGE_KEY", KEY)
    with judge_server(play) as server:
        judge = f"judge: {{provider: openai, base_url: {server.url}, model: m, api_key_env: JUDGE_KEY}}\n"
        worded.write("a/case.yaml", judge + CASE)
        code, directory, verdict = graded()
        assert (code, server.asked) == (0, 2)
        assert verdict["judging"] == {"requests": 2, "input_tokens": 200, "output_tokens": 20}
        for arguments in (
            ("-c", "a", "-s", "answer.md"),
            ("-c", "a", "-s", "answer.md", "--reuse"),
            ("regrade", str(directory)),
        ):
            code, _, again = graded(*arguments)
            assert (code, scores(again), again["judging"]) == (0, scores(verdict), verdict["judging"])
        assert server.asked == 2
        # Another model is another judge.
        worded.write("a/case.yaml", judge.replace("model: m", "model: n") + CASE)
        graded()
        assert server.asked == 4
    unpacked(directory)
    kept = [path for path in Path("runs").rglob("*") if path.is_file()]
    assert not any(KEY.encode() in path.read_bytes() for path in kept)
    assert KEY not in capsys.readouterr().err
    (line, _) = map(json.loads, (next(directory.rglob("judgments.jsonl"))).read_text().splitlines())
    assert line["replies"][0]["text"] == '{"reasoning": "Hello [key]", "score": 1.0}'


def test_a_key_that_is_not_set_and_a_budget_that_is_none_end_the_run_before_it_begins(
    worded: World, capsys: pytest.CaptureFixture[str]
) -> None:
    worded.write("judge.yaml", "{provider: openai, model: m, api_key_env: NO_SUCH_KEY}\n")
    assert run(["-c", "a", "-s", "answer.md", "--judge", "judge.yaml"]) == 2
    assert "the judge openai cannot be asked. It takes its key from NO_SUCH_KEY" in capsys.readouterr().err
    assert run(["-c", "a", "-s", "answer.md", "--judge-budget", "lots"]) == 2
    assert "Write 2.50usd or 200000tokens." in capsys.readouterr().err
    assert run(["-c", "a", "-s", "answer.md", "--judge", "none.yaml"]) == 2
    assert not Path("runs").exists()
