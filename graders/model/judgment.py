"""What a judge is asked, and what it replies. Data only.

A question holds no random text and no setting of a judge, so that its key is the same whenever and whoever is asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, field
from enum import StrEnum
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from gradebox.sandbox.records import dataclass

# Of one text of the candidate in a question, in characters: half of it from its begin, half from its end.
MAX_CANDIDATE_CHARACTERS = 64 * 1024
# Of one reply; what a judge replies beyond is not read.
MAX_REPLY_CHARACTERS = 256 * 1024
# The id of the one score that a question without criteria asks for.
WHOLE = ""


class Reduce(StrEnum):
    """How the scores of a panel become one."""

    # The highest score that more than half of the judges give at least.
    MAJORITY = "majority"
    MEAN = "mean"
    # The lowest score.
    ALL = "all"


class Part(NamedTuple):
    """A piece of a question; `of_candidate` names what it is if the candidate wrote it, and is empty otherwise."""

    text: str
    of_candidate: str = ""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One criterion that a judge is asked about; with `ranges` it is scored from 0 to 10."""

    id: str
    text: str
    ranges: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Question:
    """What a judge is asked."""

    parts: tuple[Part, ...]
    criteria: tuple[Criterion, ...] = ()  # Each is answered by itself; none asks for one score.
    audit: bool = False  # Whether it asks for cheating instead of a score.
    judge: str = ""  # The name of the judge that the check wants, empty for the case's.
    model: str = ""  # The model that the check wants, empty for the judge's own.
    temperature: float | None = None  # As `model`.

    @property
    def scored(self) -> bool:
        """Whether the criteria are scored from 0 to 10, rather than satisfied or not."""
        return any(criterion.ranges for criterion in self.criteria)

    @property
    def key(self) -> str:
        """A hash of the whole question."""
        return sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:40]


@dataclass(frozen=True, slots=True)
class Reply:
    """What one judge replied."""

    judge: str  # Its name.
    text: str = ""  # The reply as it came.
    problem: str = ""  # Why there is none that can be used, a clause; empty if there is one.
    model: str = ""
    requests: int = 1  # How often it was asked, until it replied in the form that is wanted.
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None  # None where it is not known.


@dataclass(frozen=True, slots=True)
class Judgment:
    """The replies of all judges to one question, and the messages that they were sent first."""

    replies: tuple[Reply, ...]
    messages: tuple[Mapping[str, str], ...] = ()

    @property
    def answered(self) -> bool:
        """Whether every judge gave a reply that can be used."""
        return bool(self.replies) and not any(reply.problem for reply in self.replies)


class CaseJudge(Protocol):
    """One judge of a case, whoever provides it."""

    @property
    def name(self) -> str: ...
    @property
    def role(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Panel:
    """The judges of a case, at least one; those whose role is ``audit`` give no score."""

    judges: tuple[CaseJudge, ...]
    reduce: Reduce = Reduce.MAJORITY

    def asked(self, question: Question) -> tuple[CaseJudge, ...]:
        """Return the judges that a question is for: the one that it names, otherwise all of its role."""
        fitting = tuple(judge for judge in self.judges if (judge.role == "audit") is question.audit)
        return tuple(judge for judge in fitting if judge.name == question.judge) or fitting


def usage(judgments: Iterable[Judgment]) -> dict[str, float]:
    """Return what judging has cost, as if nobody had been asked before; empty if nobody was asked."""
    replies = [reply for judgment in judgments for reply in judgment.replies]
    if not replies:
        return {}
    found: dict[str, float] = {
        name: sum(getattr(reply, name) for reply in replies) for name in ("requests", "input_tokens", "output_tokens")
    }
    costs = [reply.cost_usd for reply in replies if reply.cost_usd is not None]
    return found | ({"cost_usd": round(sum(costs), 6)} if costs else {})


class Opinion(NamedTuple):
    """What one judge, or a panel, says of one criterion; a score in [0, 1], None where it does not know."""

    score: float | None
    reason: str
    # What the judge states beside it, each with `text`, `passed` and `evidence`.
    assertions: tuple[Mapping[str, Any], ...] = ()
