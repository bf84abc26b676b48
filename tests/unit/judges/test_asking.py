"""A panel is asked: from the cache where it is known, each judge by itself, and never more than it may cost."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gradebox.graders.judges.asking import ask
from gradebox.graders.judges.provider import Judge, JudgeFailed, RawReply
from gradebox.graders.judges.reply_cache import ReplyCache
from gradebox.graders.judges.spending import Spending
from gradebox.graders.model.judgment import Judgment, Panel, Part, Question

QUESTION = Question((Part("Is it kind?"), Part("Yes.", "output")))
GOOD = '{"reasoning": "", "score": 1}'


class Saying(Judge):
    """A judge that replies with these texts, one after the other, and fails after the last."""

    texts: tuple[str, ...] = (GOOD,)
    asked: Any = None

    def identity(self) -> str:
        return repr(self.texts)

    def reply(self, _question: Question, messages: Any, _host: Any) -> RawReply:
        self.asked.append(len(messages))
        if len(self.asked) > len(self.texts):
            raise JudgeFailed("it has nothing more to say")
        return RawReply(self.texts[len(self.asked) - 1])


def saying(*texts: str, name: str = "a", **fields: Any) -> Saying:
    return Saying.model_construct(name=name, texts=texts, asked=[], **fields)


def asked(*judges: Saying, cache: ReplyCache | None = None, spending: Spending | None = None) -> Judgment:
    host: Any = SimpleNamespace(environ={}, stopped=False)
    return ask(Panel(judges), QUESTION, host, cache or ReplyCache(), spending or Spending())


def test_nobody_is_asked_what_he_has_answered_and_everybody_what_he_has_not() -> None:
    cache = ReplyCache()
    one, other = saying(GOOD), saying(GOOD, "", name="b")
    assert asked(one, other, cache=cache).answered
    assert asked(one, other, cache=cache).answered
    assert (one.asked, other.asked) == ([2], [2])
    broken = saying("no", "no", "no", name="c")
    assert not asked(broken, cache=cache).answered
    assert not asked(broken, cache=cache).answered
    assert len(broken.asked) == 4


def test_equal_judges_share_a_reply_under_their_own_names() -> None:
    one, other = saying(GOOD, name="a"), saying(GOOD, name="b")
    assert [reply.judge for reply in asked(one, other).replies] == ["a", "b"]
    assert (one.asked, other.asked) == ([2], [])


def test_a_reply_that_cannot_be_used_is_asked_for_again_twice() -> None:
    judge = saying("no", "no", GOOD)
    (reply,) = asked(judge).replies
    assert (reply.text, reply.problem, reply.requests, judge.asked) == (GOOD, "", 3, [2, 4, 6])
    stubborn = saying(*["no"] * 9)
    (reply,) = asked(stubborn).replies
    assert (reply.requests, stubborn.asked) == (3, [2, 4, 6])
    assert reply.problem.startswith("its 3 replies cannot be used: it is not one JSON object")


def test_tokens_that_a_judge_does_not_count_are_estimated() -> None:
    spending = Spending()
    (reply,) = asked(saying(GOOD), spending=spending).replies
    assert reply.output_tokens == len(GOOD) // 4
    assert spending.tokens == reply.input_tokens + reply.output_tokens > 100
    assert (reply.cost_usd, spending.requests) == (None, 1)


def test_nothing_is_asked_beyond_the_budget() -> None:
    judge = saying(GOOD)
    (reply,) = asked(judge, spending=Spending(most_tokens=0)).replies
    assert (judge.asked, reply.requests) == ([], 0)
    assert "the budget of --judge-budget is used up" in reply.problem


def test_the_messages_are_kept() -> None:
    found = asked(saying(GOOD))
    assert [message["role"] for message in found.messages] == ["system", "user"]
    assert "Is it kind?" in found.messages[1]["content"]
