"""Asks a panel of judges one question: decides which judges, which messages, how often, and which replies are kept.

No failure of a judge raises an exception here. For a judge without a usable reply, there is a `Reply` with a problem.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from gradebox.graders.checks.llm.replies import ReplyInvalid, parse
from gradebox.graders.judges import judge_prompt
from gradebox.graders.judges.provider import Host, Judge, JudgeFailed, RawReply
from gradebox.graders.judges.reply_cache import ReplyCache
from gradebox.graders.judges.spending import PRICES, Spending
from gradebox.graders.model.judgment import MAX_REPLY_CHARACTERS, Judgment, Panel, Question, Reply

_CHARACTERS_OF_A_TOKEN = 4


def ask(panel: Panel, question: Question, host: Host, cache: ReplyCache, spending: Spending) -> Judgment:
    """Return the replies of all judges to a question. Replies in the cache are reused."""
    sent = judge_prompt.messages(question)
    replies = []
    for judge in panel.asked(question):
        assert isinstance(judge, Judge)
        key = sha256(f"{question.key} {judge.identity()}".encode()).hexdigest()
        with cache.asking(key):
            known = cache.get(key)
            reply = _asked(judge, question, sent, host, spending) if known is None else replace(known, judge=judge.name)
            if known is None and not reply.problem:
                cache.put(key, reply)
        replies.append(reply)
    return Judgment(tuple(replies), tuple(sent))


def _asked(judge: Judge, question: Question, first: list[dict[str, str]], host: Host, spending: Spending) -> Reply:
    messages = list(first)
    reply = Reply(judge.name, requests=0)
    problem = ""
    for _ in range(judge.attempts):
        try:
            if host.stopped:
                raise JudgeFailed("the run was stopped")
            _refuse_spending(judge, spending)
            raw = judge.reply(question, messages, host)
        except JudgeFailed as failed:
            return replace(reply, problem=str(failed))
        text = raw.text[: MAX_REPLY_CHARACTERS + 1]
        reply = _counted(reply, raw, messages, spending)
        try:
            parse(question, text)
        except ReplyInvalid as invalid:
            problem = str(invalid)
            messages += judge_prompt.asked_again(text[:MAX_REPLY_CHARACTERS], problem)
            reply = replace(reply, text=text)
        else:
            return replace(reply, text=text)
    times = "its reply" if judge.attempts == 1 else f"its {judge.attempts} replies"
    return replace(reply, problem=f"{times} cannot be used: {problem}")


def _refuse_spending(judge: Judge, spending: Spending) -> None:
    if spending.most_usd is not None and not judge.priced():
        raise JudgeFailed(f"the budget is in dollars, and its prices are not known. {PRICES}")
    if spending.used_up:
        raise JudgeFailed("it was not asked, since the budget of --judge-budget is used up")


def _counted(reply: Reply, raw: RawReply, messages: list[dict[str, str]], spending: Spending) -> Reply:
    """Return a reply with the cost of one more request, estimated if the server does not count tokens."""
    written = sum(len(message["content"]) for message in messages)
    given = raw.input_tokens if raw.input_tokens is not None else written // _CHARACTERS_OF_A_TOKEN
    made = raw.output_tokens if raw.output_tokens is not None else len(raw.text) // _CHARACTERS_OF_A_TOKEN
    spending.add(given + made, raw.cost_usd)
    cost = reply.cost_usd if raw.cost_usd is None else (reply.cost_usd or 0.0) + raw.cost_usd
    return replace(
        reply,
        model=raw.model,
        requests=reply.requests + 1,
        input_tokens=reply.input_tokens + given,
        output_tokens=reply.output_tokens + made,
        cost_usd=cost,
    )
