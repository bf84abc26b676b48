"""The questions to a judge, and its replies. Data only.

A question contains no random text and no settings of a judge, so its key is the same at all times and for all judges.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, field
from enum import StrEnum
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from gradebox.sandbox.records import dataclass

# Limit of one text of the candidate in a question; a longer text keeps half of this from each end.
MAX_CANDIDATE_CHARACTERS = 64 * 1024
# Limit of one reply; the rest is not read.
MAX_REPLY_CHARACTERS = 256 * 1024
# The id of the only score that a question without criteria requests.
WHOLE = ""


class Reduce(StrEnum):
    """How the scores of a panel become one."""

    # The highest score that more than half of the judges give or exceed.
    MAJORITY = "majority"
    MEAN = "mean"
    # The lowest score.
    ALL = "all"


class Part(NamedTuple):
    """A piece of a question. If the candidate wrote it, `of_candidate` names its kind; otherwise that is empty."""

    text: str
    of_candidate: str = ""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One criterion in a question, satisfied or not; with `ranges`, scored from 0 to 10."""

    id: str
    text: str
    ranges: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a judge."""

    parts: tuple[Part, ...]
    criteria: tuple[Criterion, ...] = ()  # Each gets its own answer; if empty, the question asks for one score.
    audit: bool = False  # Whether it asks for signs of cheating instead of a score.
    judge: str = ""  # The name of the judge that the check requests; empty for the case's judges.
    model: str = ""  # The model that the check requests; empty for the judge's own.
    temperature: float | None = None  # Likewise; None for the judge's own.

    @property
    def scored(self) -> bool:
        """Whether the criteria are scored from 0 to 10."""
        return any(criterion.ranges for criterion in self.criteria)

    @property
    def key(self) -> str:
        """A hash of the whole question."""
        return sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:40]


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of one judge."""

    judge: str  # The judge's name.
    text: str = ""  # The unchanged reply.
    problem: str = ""  # Why there is no usable reply, a clause; empty if there is one.
    model: str = ""
    requests: int = 1  # The number of requests until the judge replied in the required form.
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None  # None if not known.


@dataclass(frozen=True, slots=True)
class Judgment:
    """The replies of all judges to one question, and the messages of the first request to them."""

    replies: tuple[Reply, ...]
    messages: tuple[Mapping[str, str], ...] = ()

    @property
    def answered(self) -> bool:
        """Whether every judge gave a usable reply."""
        return bool(self.replies) and not any(reply.problem for reply in self.replies)


class CaseJudge(Protocol):
    """One judge of a case, from any provider."""

    @property
    def name(self) -> str: ...
    @property
    def role(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Panel:
    """The judges of a case, at least one. Judges with the role ``audit`` give no score."""

    judges: tuple[CaseJudge, ...]
    reduce: Reduce = Reduce.MAJORITY

    def asked(self, question: Question) -> tuple[CaseJudge, ...]:
        """Return the judges for a question: the one that it names, otherwise all judges with the fitting role."""
        fitting = tuple(judge for judge in self.judges if (judge.role == "audit") is question.audit)
        return tuple(judge for judge in fitting if judge.name == question.judge) or fitting


def usage(judgments: Iterable[Judgment]) -> dict[str, float]:
    """Return the cost of judging, counting reused replies as if they were new; empty if no judge was asked."""
    replies = [reply for judgment in judgments for reply in judgment.replies]
    if not replies:
        return {}
    found: dict[str, float] = {
        name: sum(getattr(reply, name) for reply in replies) for name in ("requests", "input_tokens", "output_tokens")
    }
    costs = [reply.cost_usd for reply in replies if reply.cost_usd is not None]
    return found | ({"cost_usd": round(sum(costs), 6)} if costs else {})


class Opinion(NamedTuple):
    """The opinion of a judge or a panel about one criterion: a score in [0, 1], None if undecided."""

    score: float | None
    reason: str
    # Further statements of the judge, each with `text`, `passed` and `evidence`.
    assertions: tuple[Mapping[str, Any], ...] = ()
