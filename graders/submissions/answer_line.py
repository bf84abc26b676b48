"""One line of a file of answers. Nothing that the candidate wrote in it can keep it from being graded.

The program that wrote the file answers for its fields. Under some keys, it repeats what the candidate wrote: half of a
character, a number without end, a thousand levels. There, such values become text, or the submission is unreadable.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from gradebox.graders.documents.entries import Entry, also, optional
from gradebox.graders.documents.fields import Id, not_blank
from gradebox.graders.documents.json import MOST_DIGITS, read_json
from gradebox.graders.documents.positions import Malformed, Node, Problem
from gradebox.graders.documents.validators import refused

_BY_CANDIDATE = frozenset({"answer", "output", "messages"})
_ORIGIN = ("model", "prompt_label", "prompt_strategy", "parameters")


def _below(text: str) -> str:
    parts = PurePosixPath(text).parts
    if not parts or text.startswith("/") or ".." in parts or "\\" in text or "\0" in text:
        raise refused("must lie below the file's directory", "Write a path relative to it, without `..`.")
    return text


Words = Annotated[str, AfterValidator(not_blank)]
Below = Annotated[str, AfterValidator(_below)]


class AnswerEntry(Entry):
    """One line of a file of answers."""

    case: Id = Field(validation_alias=also("id"), description="The id of the case.")
    answer: str | None = optional("The answer's text. Without `path`, the code in it is graded.", "output")
    path: Below | None = optional("A directory, a diff or an answer, below this file's directory.")
    transcript: Below | None = optional("A transcript file: how the answer came about.")
    messages: list[Any] | None = optional("The transcript's messages, in place of a file.")
    token_usage: dict[str, Any] | None = None
    cost_usd: float | None = None
    duration_ms: float | None = None
    model: Words | None = optional("The model that gave the answer.")
    prompt_label: Words | None = optional("The name of the prompt.")
    prompt_strategy: Words | None = optional("The prompt strategy, such as `1SHOT`.")
    parameters: dict[str, Any] | None = optional("Parameters of the model, such as its temperature.")
    name: Words | None = optional("Name of the submission. Default: its model and prompt, or the file's name.")
    target: Words | None = optional(
        "The case's target that made the answer. Default: all. If the case has no targets, it is only a label."
    )

    @property
    def origin(self) -> dict[str, Any]:
        """The fields of the line that say where the answer comes from."""
        return {key: getattr(self, key) for key in _ORIGIN if getattr(self, key) is not None}

    def maker(self, file: Path) -> str:
        """Return the name of the answer's source: the model and prompt, or else the file."""
        return " ".join(str(value) for key, value in self.origin.items() if key != "parameters") or file.stem


def read_line(text: str, unreadable: list[str], problems: list[Problem], *, first_line: int) -> Node:
    """Read the JSON of a line, as `read_json` does.

    If only what the candidate wrote cannot be read, adds the reason to `unreadable`, and returns the line without that.
    Raises Malformed for mistakes in the other fields.
    """
    try:
        return read_json(text, problems, first_line=first_line)
    except Malformed as malformed:
        written = _lenient(text)
        if written is None:
            raise
        own = {**{key: value for key, value in written.items() if key not in _BY_CANDIDATE}, "answer": ""}
        try:
            without = read_json(json.dumps(own), problems, first_line=first_line)
        except Malformed:
            raise malformed from None
        try:
            return read_json(json.dumps(written), problems, first_line=first_line)
        except Malformed as still:
            unreadable.append(f"What it holds cannot be read: {still.message}.")
            return without


def _lenient(text: str) -> Mapping[str, Any] | None:
    """Return the object in a line, with what the candidate wrote as plain JSON; None if it is none."""
    try:
        found = json.loads(text, parse_int=_whole, parse_float=_fraction, parse_constant=_Constant)
        by_candidate = {key: found[key] for key in _BY_CANDIDATE if key in found}
        # `NaN` in place of an answer is no answer.
        if any(isinstance(value, _Constant) for value in by_candidate.values()):
            return None
        return {**found, **{key: _plain(value) for key, value in by_candidate.items()}}
    except (ValueError, TypeError, RecursionError):
        return None


class _Constant(str):
    """`NaN` or `Infinity`, which JSON does not have."""

    __slots__ = ()


def _whole(digits: str) -> int | str:
    return int(digits) if len(digits) <= MOST_DIGITS else digits


def _fraction(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) and len(digits) <= MOST_DIGITS else digits


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(one) for key, one in value.items()}
    return value
