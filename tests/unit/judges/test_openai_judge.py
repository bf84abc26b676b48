"""The real client against a server that plays replies and faults: each fault is overcome or an error, never a score."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from threading import Timer
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest
from evidence_bench import case, judge, make
from judge_server import JudgeServer, Play, judge_server, said, score

from gradebox.graders.checks.llm_grader import LlmGrader
from gradebox.graders.judges.asking import ask
from gradebox.graders.judges.openai_judge import OpenaiJudge
from gradebox.graders.judges.reply_cache import ReplyCache
from gradebox.graders.judges.spending import Spending
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.judgment import Judgment, Panel
from gradebox.graders.model.verdict import CheckResult, Status

KEY = "sk-very-secret-1234567890"
CHECK = make(LlmGrader, prompt="Be kind.", rubrics=(), target=None, model=None, temperature=None)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def asked(
    server: JudgeServer, environ: Mapping[str, str] | None = None, spending: Spending | None = None, **settings: Any
) -> tuple[CheckResult, Judgment]:
    """Ask the server about an answer, and return what the check and the evidence come to."""
    fields = {"name": "model", "base_url": server.url, "model": "m", "timeout_seconds": 5.0, "retries": 2} | settings
    panel = Panel((OpenaiJudge(**fields),))
    evidence = Evidence(output="I am kind.")
    (question,) = CHECK.questions(case(CHECK), evidence)
    host: Any = SimpleNamespace(environ=environ or {}, stopped=False)
    judgment = ask(panel, question, host, ReplyCache(), spending or Spending())
    known = Evidence(output="I am kind.", judgments={question.key: judgment})
    return judge(CHECK, known, judge=panel), judgment


def test_a_reply_becomes_the_score_of_the_check() -> None:
    with judge_server(score(0.9, "It is kind.")) as server:
        found, judgment = asked(server, seed=7, max_tokens=50, extra={"top_p": 0.5})
    assert (found.status, found.score, found.reason) == (Status.PASSED, 0.9, "It is kind.")
    assert found.details["judges"] == [
        {"judge": "model", "model": "m-0613", "requests": 1, "input_tokens": 100, "output_tokens": 10, "cost_usd": None,
         "scores": {"score": 0.9}}
    ]  # fmt: skip
    (request,) = server.requests
    assert {name: request[name] for name in ("model", "temperature", "seed", "max_tokens", "top_p")} == {
        "model": "m", "temperature": 0.0, "seed": 7, "max_tokens": 50, "top_p": 0.5,
    }  # fmt: skip
    assert [dict(message) for message in judgment.messages] == request["messages"]


COMPLETION = {"choices": [{"message": {"role": "assistant", "content": '{"reasoning": "", "score": 1}'}}]}
OVERCOME = {
    "too many requests": Play(status=429),
    "internal error": Play(status=500),
    "bad gateway without JSON": Play(status=502, body=b"<html>"),
    "a cut connection": said({"reasoning": "", "score": 1.0}, cut=True),
    "not JSON": said("I think it is fine: 1.0"),
    "another shape": said({"verdict": "pass"}),
    "a score that is too large": score(7),
    "a score that is text": score("1.0"),
    "a score that is true": score(True),
    "no number": said('{"reasoning": "", "score": NaN}'),
    "a key twice": said('{"reasoning": "", "score": 0, "score": 1}'),
    "a list": said([{"reasoning": "", "score": 1}]),
    "nothing": said(""),
    "no content": Play(None),
}


@pytest.mark.parametrize("fault", OVERCOME.values(), ids=OVERCOME)
def test_a_fault_that_passes_is_overcome(fault: Play) -> None:
    with judge_server(fault, score(0.5)) as server:
        found, judgment = asked(server)
    assert (found.score, server.asked) == (0.5, 2)
    assert judgment.answered


@pytest.mark.parametrize("fault", OVERCOME.values(), ids=OVERCOME)
def test_a_fault_that_stays_is_an_error_and_never_a_score(fault: Play) -> None:
    with judge_server(fault) as server:
        found, judgment = asked(server)
    assert (found.status, found.score) == (Status.ERROR, None)
    assert server.asked == 3
    assert "the judge model failed: " in found.reason
    assert not judgment.answered


LASTING = {
    "a wrong key": (Play("no such key", status=401), "no such key"),
    "no such model": (Play("unknown model", status=404), "unknown model"),
    "a page": (Play(body=b"<html>hello</html>"), "no chat completion"),
    "JSON of something else": (Play(body=b'{"object": "list"}'), "no chat completion"),
    "a list": (Play(body=b"[]"), "no chat completion"),
    "no choice": (Play(body=b'{"choices": []}'), "no chat completion"),
    "content that is not text": (Play(extra={"choices": [{"message": {"content": 1}}]}), "not text"),
    "an empty body": (Play(body=b""), "no chat completion"),
    "deeply nested": (Play(body=b"[" * 100_000), "no chat completion"),
    "a refusal": (
        Play(extra={"choices": [{"message": {"content": None, "refusal": "I won't."}}]}),
        "refused: I won't.",
    ),
    "too much": (Play(body=b" " * (2 << 20)), "more than"),
    "cut off": (Play(extra={"choices": [COMPLETION["choices"][0] | {"finish_reason": "length"}]}), "max_tokens"),
}


@pytest.mark.parametrize(("fault", "words"), LASTING.values(), ids=LASTING)
def test_a_fault_that_would_not_pass_is_an_error_at_once(fault: Play, words: str) -> None:
    with judge_server(fault) as server:
        found, _ = asked(server)
    assert (found.status, found.score, server.asked) == (Status.ERROR, None, 1)
    assert words in found.reason


def test_a_server_that_is_slow_or_gone_is_an_error() -> None:
    with judge_server(score(1.0, "late")) as server:
        slow = JudgeServer(server.url, server.play)
        server.play = lambda _: Play('{"reasoning": "", "score": 1}', wait_seconds=3)
        found, _ = asked(slow, timeout_seconds=0.2, retries=0)
    assert (found.status, found.score) == (Status.ERROR, None)
    assert "timed out" in found.reason.lower()
    gone, _ = asked(slow, retries=0)
    assert gone.status is Status.ERROR
    assert "Connection error" in gone.reason


def test_nobody_waits_for_a_slow_server_when_the_run_is_stopped() -> None:
    (question,) = CHECK.questions(case(CHECK), Evidence())
    host: Any = SimpleNamespace(environ={}, stopped=False)
    with judge_server(Play("{}", wait_seconds=60)) as server:
        panel = Panel((OpenaiJudge(name="m", base_url=server.url, model="m"),))
        Timer(0.3, lambda: setattr(host, "stopped", True)).start()
        begun = monotonic()
        (reply,) = ask(panel, question, host, ReplyCache(), Spending()).replies
    assert (reply.problem, monotonic() - begun < 10) == ("the run was stopped", True)


def test_the_reason_why_a_reply_was_refused_is_sent_with_the_next_request() -> None:
    with judge_server(said("hm"), score(2), score(1)) as server:
        found, judgment = asked(server)
    assert found.score == 1
    roles = [[message["role"] for message in request["messages"]] for request in server.requests]
    assert roles == [["system", "user"] + ["assistant", "user"] * again for again in range(3)]
    last = server.requests[2]["messages"]
    assert last[2]["content"] == "hm"
    assert "not one JSON object" in last[3]["content"]
    assert "score" in last[5]["content"]
    assert (judgment.replies[0].requests, judgment.replies[0].input_tokens) == (3, 300)


@pytest.fixture
def key_in(monkeypatch: pytest.MonkeyPatch) -> Mapping[str, str]:
    # What the client would take by itself.
    monkeypatch.setenv("OPENAI_API_KEY", "sk-somebody-elses")
    return {"JUDGE_KEY": KEY}


def test_a_key_is_sent_to_the_server_and_kept_nowhere(key_in: Mapping[str, str]) -> None:
    echo = said({"reasoning": f"Your key is {KEY}.", "score": 1.0}, extra={"model": KEY})
    with judge_server(echo) as server:
        found, judgment = asked(server, key_in, api_key_env="JUDGE_KEY")
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert found.score == 1
    assert found.reason == "Your key is [key]."
    assert KEY not in repr((found, judgment))
    with judge_server(Play(f"invalid key {KEY}", status=401)) as server:
        found, judgment = asked(server, key_in, api_key_env="JUDGE_KEY")
    assert "invalid key [key]" in found.reason
    assert KEY not in repr((found, judgment))


def test_no_key_of_the_environment_is_sent_that_was_not_named(key_in: Mapping[str, str]) -> None:
    with judge_server(score(1)) as server:
        asked(server, key_in)
    assert "sk-" not in json.dumps(server.headers)


def test_a_key_that_is_not_set_is_an_error_that_names_the_variable() -> None:
    with judge_server(score(1)) as server:
        found, _ = asked(server, {}, api_key_env="JUDGE_KEY")
    assert (found.status, server.asked) == (Status.ERROR, 0)
    assert "JUDGE_KEY" in found.reason


def test_a_budget_ends_the_asking_and_is_an_error() -> None:
    with judge_server(said("hm")) as server:
        spending = Spending(most_tokens=150)
        found, judgment = asked(server, spending=spending)
        assert (found.status, server.asked, spending.tokens) == (Status.ERROR, 2, 220)
        assert "--judge-budget" in found.reason
        assert judgment.replies[0].requests == 2
        prices = {"input_usd_per_million": 1000.0, "output_usd_per_million": 10_000.0}
        spending = Spending(most_usd=0.3)
        found, judgment = asked(server, spending=spending, **prices)
        assert judgment.replies[0].cost_usd == pytest.approx(0.4)
        assert spending.usd == pytest.approx(0.4)
        before = server.asked
        found, _ = asked(server, spending=Spending(most_usd=0.3))
        assert (found.status, server.asked) == (Status.ERROR, before)
        assert "its prices are not known" in found.reason


def test_two_judges_that_differ_in_what_their_reply_depends_on_share_none() -> None:
    one = OpenaiJudge(name="a", model="m", timeout_seconds=3.0, place=make_place("x"))
    assert one.identity() == one.but(name="b", timeout_seconds=9.0, place=make_place("y")).identity()
    for other in ({"model": "n"}, {"base_url": "http://other"}, {"temperature": 1.0}, {"extra": {"a": 1}}):
        assert one.identity() != one.but(**other).identity()


def make_place(name: str) -> Any:
    return SimpleNamespace(file=Path(name))
