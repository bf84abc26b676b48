"""The reply of one judge, read by a strict schema. Pure.

A reply is one JSON object, its reasons before its verdicts. What is not exactly that is refused with the reason, so
that whoever asks can ask again; nothing of it ever becomes a score.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graders.checks.in_words.hearing import WHOLE, Opinion
from graders.documents import strict_json
from graders.model.judgment import MAX_REPLY_CHARACTERS, Question

TOP = 10
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)

Unknown = Literal["unknown"]


class ReplyInvalid(Exception):
    """A reply does not have the form that was asked for; the message says how, a clause."""


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class _Assertion(_Form):
    text: str
    passed: bool
    evidence: str | None = None


class _FreeForm(_Form):
    reasoning: str
    score: Annotated[float, Field(ge=0, le=1)] | Unknown
    assertions: tuple[_Assertion, ...] = Field(default=(), strict=False)


class _Satisfied(_Form):
    id: str
    reasoning: str
    satisfied: bool | Unknown


class _Scored(_Form):
    id: str
    reasoning: str
    score: Annotated[int, Field(ge=0, le=TOP)] | Unknown


class _Checklist(_Form):
    checks: tuple[_Satisfied, ...] = Field(strict=False)
    overall_reasoning: str = ""


class _Scores(_Form):
    checks: tuple[_Scored, ...] = Field(strict=False)
    overall_reasoning: str = ""


class _Audit(_Form):
    reasoning: str
    cheating: bool | Unknown
    evidence: str | None = None


def parse(question: Question, text: str) -> Mapping[str, Opinion]:
    """Return what a reply says of each criterion; of a question without any, under `WHOLE`. Cheating scores 0.

    Raises:
        ReplyInvalid: If the reply is not one JSON object of the form that the question asks for, or if it leaves out
            a criterion, has one twice, or has one that was not asked about.
    """
    form: type[_Form] = _FreeForm
    if question.audit:
        form = _Audit
    elif question.criteria:
        form = _Scores if question.scored else _Checklist
    read: Any = _read(form, text)
    if isinstance(read, _FreeForm):
        stated = tuple(assertion.model_dump() for assertion in read.assertions)
        return {WHOLE: Opinion(_number(read.score), read.reasoning, stated)}
    if isinstance(read, _Audit):
        honest = None if read.cheating == "unknown" else float(not read.cheating)
        return {WHOLE: Opinion(honest, " ".join(filter(None, (read.reasoning, read.evidence))))}
    ids = [check.id for check in read.checks]
    wanted = [criterion.id for criterion in question.criteria]
    _refuse("it has these ids twice", (one for one in wanted if ids.count(one) > 1))
    _refuse("it has ids that were not asked about", (one for one in ids if one not in wanted))
    _refuse("it leaves out these ids", (one for one in wanted if one not in ids))
    return {check.id: Opinion(_opinion_score(check), check.reasoning) for check in read.checks}


def _read(form: type[_Form], text: str) -> _Form:
    if not text.strip():
        raise ReplyInvalid("it is empty")
    if len(text) > MAX_REPLY_CHARACTERS:
        raise ReplyInvalid(f"it is longer than {MAX_REPLY_CHARACTERS} characters")
    fenced = _FENCED.match(text)
    try:
        value = strict_json.loads(fenced[1] if fenced else text, unique=True)
    except ValueError as error:
        raise ReplyInvalid(f"it is not one JSON object: {error}") from error
    try:
        return form.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the object"
        raise ReplyInvalid(f"{where[:80]}: {first['msg']}") from error


def _refuse(what: str, ids: Iterable[str]) -> None:
    found = list(dict.fromkeys(ids))
    if found:
        raise ReplyInvalid(f"{what}: {', '.join(found[:5])[:200]}")


def _opinion_score(check: _Satisfied | _Scored) -> float | None:
    if isinstance(check, _Satisfied):
        return _number(check.satisfied)
    score = _number(check.score)
    return None if score is None else score / TOP


def _number(written: float | bool | Unknown) -> float | None:
    return None if isinstance(written, str) else float(written)
