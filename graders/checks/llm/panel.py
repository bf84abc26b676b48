"""Reads the judges' replies about a check, and combines the opinions of a panel. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from gradebox.graders.checks.base import Check
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.judgment import Judgment, Opinion, Question, Reduce, Reply
from gradebox.sandbox.records import dataclass

_REASON_CHARACTERS = 1000


@dataclass(frozen=True, slots=True)
class Hearing:
    """The judges' answer to a check's question."""

    opinions: Mapping[str, Opinion] = field(default_factory=dict)  # By the ids of criteria, or under `WHOLE`.
    silent: str = ""  # Why no judge was asked; empty if one was.
    fault: str = ""  # Why a judge's reply is unusable; empty if all are usable.
    # For the verdict: the judges, their cost, and the scores.
    details: Mapping[str, Any] = field(default_factory=dict)

    def of(self, criterion: str) -> Opinion:
        """Return the opinion on a criterion. Without a score, its reason says why."""
        if self.silent or self.fault:
            return Opinion(None, self.silent or self.fault)
        score, reason, _ = self.opinions[criterion]
        return Opinion(score, reason if score is not None else f"the judge does not know: {reason}")


def hear(check: Check, case: Case, evidence: Evidence) -> Hearing:
    """Return the judges' answer to the question of a check. Raises OSError if the question cannot be made."""
    if case.judge is None and not evidence.judgments:
        return Hearing(silent="no judge is configured")
    asked = next(iter(check.questions(case, evidence)), None)
    judgment = evidence.judgments.get(asked.key) if asked else None
    if asked is None or judgment is None or not judgment.replies:
        if case.judge is None or asked is None or not case.judge.asked(asked):
            return Hearing(silent="no judge is configured")
        return Hearing(fault="no judge was asked about this; grade it again")
    return _heard(asked, judgment, case.judge.reduce if case.judge else Reduce.MAJORITY)


def _heard(question: Question, judgment: Judgment, reduce: Reduce) -> Hearing:
    from gradebox.graders.checks.llm.replies import ReplyInvalid, parse  # noqa: PLC0415 - only where a judge was asked

    faults, heard = [], []
    for reply in judgment.replies:
        if reply.problem:
            faults.append(f"the judge {reply.judge} failed: {reply.problem}")
            continue
        try:
            heard.append(parse(question, reply.text))
        except ReplyInvalid as invalid:
            faults.append(f"the reply of the judge {reply.judge} cannot be used: {invalid}")
    if faults:
        return Hearing(fault="; ".join(faults))
    opinions = {id_: reduced([one[id_] for one in heard], reduce) for id_ in heard[0]}
    details: dict[str, Any] = {"judges": [_said(*one) for one in zip(judgment.replies, heard, strict=True)]}
    stated = [dict(assertion) for one in heard for opinion in one.values() for assertion in opinion.assertions]
    return Hearing(opinions, details=details | ({"assertions": stated} if stated else {}))


def reduced(opinions: Sequence[Opinion], reduce: Reduce) -> Opinion:
    """Return the opinion of a panel. It has no score if half of the judges give none; with `all`, if one gives none."""
    known = sorted((opinion.score for opinion in opinions if opinion.score is not None), reverse=True)
    reason = " | ".join(opinion.reason.strip()[: _REASON_CHARACTERS // len(opinions)] for opinion in opinions)
    unknown = len(opinions) - len(known)
    if 2 * unknown >= len(opinions) or (unknown and reduce is Reduce.ALL):
        return Opinion(None, reason)
    match reduce:
        case Reduce.MAJORITY:
            return Opinion(known[len(known) // 2], reason)
        case Reduce.MEAN:
            return Opinion(sum(known) / len(known), reason)
        case Reduce.ALL:
            return Opinion(known[-1], reason)


def _said(reply: Reply, heard: Mapping[str, Opinion]) -> dict[str, Any]:
    names = ("judge", "model", "requests", "input_tokens", "output_tokens", "cost_usd")
    scores = {id_ or "score": opinion.score for id_, opinion in heard.items()}
    return {**{name: getattr(reply, name) for name in names}, "scores": scores}
