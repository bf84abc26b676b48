"""Reads the reply of one judge by a strict schema. Pure.

A reply has one JSON object, alone or with text around it; a model's thoughts before it are ignored. The object has the
requested fields, or those of AgentV's judges. Any other reply is refused with the reason, so that the judge can be
asked again. No part of a refused reply becomes a score.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gradebox.graders.documents import strict_json
from gradebox.graders.model.judgment import MAX_REPLY_CHARACTERS, WHOLE, Opinion, Question

TOP = 10
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)
_THOUGHT_BEGINS, _THOUGHT_ENDS = "<think>", "</think>"

# Messages about the name of a field, by the kind of error.
_OF_NAMES = {"missing": "is missing", "extra_forbidden": "is not a field of it"}
_UNKNOWN = ', or "unknown"'
# Messages about the value of a field, by the name of the field or of a type.
_WANTED = {
    "checks": "must be a list of objects",
    "assertions": "must be a list of objects",
    "hits": "must be a list of texts",
    "misses": "must be a list of texts",
    "details": "must be an object",
    "passed": "must be true or false",
    "satisfied": f"must be true or false{_UNKNOWN}",
    "cheating": f"must be true or false{_UNKNOWN}",
    "score": f"must be a number from 0 to 1{_UNKNOWN}",
    "constrained-int": f"must be a whole number from 0 to {TOP}{_UNKNOWN}",
    **dict.fromkeys(("id", "text", "evidence", "reasoning", "overall_reasoning"), "must be text"),
}
_FIELDS = _WANTED.keys() - {"constrained-int"}

Unknown = Literal["unknown"]


class ReplyInvalid(Exception):
    """A reply does not have the requested form; the message says why, a clause."""


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class _Assertion(_Form):
    text: str
    passed: bool
    evidence: str | None = None


class _FreeForm(_Form):
    reasoning: str = ""
    score: Annotated[float, Field(ge=0, le=1)] | Unknown
    assertions: tuple[_Assertion, ...] = Field(default=(), strict=False)
    # Fields of AgentV's judges.
    hits: tuple[str, ...] = Field(default=(), strict=False)
    misses: tuple[str, ...] = Field(default=(), strict=False)
    details: dict[str, Any] = Field(default_factory=dict)

    def stated(self) -> tuple[Mapping[str, Any], ...]:
        """Return the statements besides the score."""
        of_lists = (
            {"text": text, "passed": passed}
            for texts, passed in ((self.hits, True), (self.misses, False))
            for text in texts
        )
        return (*(assertion.model_dump() for assertion in self.assertions), *of_lists)


class _Satisfied(_Form):
    id: str
    reasoning: str
    satisfied: bool | Unknown


class _Scored(_Form):
    id: str
    reasoning: str = ""
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
    """Return a reply's opinion on each criterion, or the only opinion under `WHOLE`. Cheating scores 0.

    Raises:
        ReplyInvalid: If the reply does not have exactly one JSON object of the requested form, or if it leaves out a
            criterion, repeats one, or has one that is not in the question.
    """
    form: type[_Form] = _FreeForm
    if question.audit:
        form = _Audit
    elif question.criteria:
        form = _Scores if question.scored else _Checklist
    read: Any = _read(form, question, text)
    if isinstance(read, _FreeForm):
        return {WHOLE: Opinion(_number(read.score), read.reasoning, read.stated())}
    if isinstance(read, _Audit):
        honest = None if read.cheating == "unknown" else float(not read.cheating)
        return {WHOLE: Opinion(honest, " ".join(filter(None, (read.reasoning, read.evidence))))}
    ids = [check.id for check in read.checks]
    wanted = [criterion.id for criterion in question.criteria]
    _refuse("it has these ids twice", (one for one in wanted if ids.count(one) > 1))
    _refuse("it has ids that were not asked about", (one for one in ids if one not in wanted))
    _refuse("it leaves out these ids", (one for one in wanted if one not in ids))
    return {check.id: Opinion(_opinion_score(check), check.reasoning) for check in read.checks}


def _read(form: type[_Form], question: Question, text: str) -> _Form:
    if not text.strip():
        raise ReplyInvalid("it is empty")
    if len(text) > MAX_REPLY_CHARACTERS:
        raise ReplyInvalid(f"it is longer than {MAX_REPLY_CHARACTERS} characters")
    value = _object(question, text)
    try:
        return form.model_validate(value)
    except ValidationError as error:
        raise ReplyInvalid(_complaint(error)) from error


def _object(question: Question, text: str) -> Any:
    """Return the JSON object of a reply, ignoring thoughts and the text around the object."""
    fenced = _FENCED.match(text)
    try:
        return strict_json.loads(fenced[1] if fenced else text, unique=True)
    except ValueError as error:
        said = text.rpartition(_THOUGHT_ENDS)[2]
        found = said[said.find("{") : said.rfind("}") + 1]
        if _THOUGHT_BEGINS in said:
            raise ReplyInvalid("its thoughts have no end") from error
        if not found or found == text.strip():
            raise ReplyInvalid(f"it is not one JSON object: {error}") from error
    # An object among other text may be a quotation.
    quoted = "".join(found.split())
    if any(quoted in "".join(part.text.split()) for part in question.parts if part.of_candidate):
        raise ReplyInvalid("its JSON object is one that the candidate wrote")
    try:
        return strict_json.loads(found, unique=True)
    except ValueError as error:
        raise ReplyInvalid(f"it is not one JSON object: {error}") from error


def _complaint(error: ValidationError) -> str:
    """Describe what is wrong with the first field that a form refuses."""
    first = error.errors(include_url=False)[0]
    path = list(first["loc"])
    named = _OF_NAMES.get(first["type"])
    # The last parts of the path name members of unions.
    wanted = next((_WANTED[part] for part in reversed(path) if part in _WANTED), "must be an object")
    while not named and path and isinstance(path[-1], str) and path[-1] not in _FIELDS:
        del path[-1]
    where = f"`{'.'.join(map(str, path))[:80]}`" if path else "the reply"
    return f"{where} {named or wanted}"


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
