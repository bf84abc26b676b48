"""Reads the fields of a transcript's messages in all their forms. Pure; see `transcript_json`."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from gradebox.graders.documents import strict_json
from gradebox.graders.model.transcript import ToolCall

# A larger number of tokens, milliseconds or dollars cannot be real.
MAX_AMOUNT = 1e15


class TranscriptError(ValueError):
    """Text is not a transcript; the message is a sentence that says why and where."""


class TranscriptTooLong(TranscriptError):
    """There are more messages or tool calls than are read."""


class Usage(NamedTuple):
    """Counts of tokens; None if not stated."""

    input: float | None = None
    output: float | None = None
    all: float | None = None

    @property
    def known(self) -> bool:
        return self.all is not None or self.input is not None or self.output is not None

    @classmethod
    def total(cls, usages: Iterable[Usage]) -> Usage:
        """Return the sum of the known usages."""
        known = [usage for usage in usages if usage.known]
        sums = ([n for n in column if n is not None] for column in zip(*known, strict=True))
        return cls(*(sum(column) if column else None for column in sums)) if known else cls()


def first(written: Mapping[str, Any], *names: str) -> Any:
    """Return the first value under these names that is not None, or None."""
    return next((written[name] for name in names if written.get(name) is not None), None)


def amount(value: Any, what: str) -> float | None:
    """Return a number, None if none is stated. `what` names it in messages.

    Raises TranscriptError if it is not a number, or impossible: a negative number would lower a sum.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TranscriptError(f"{what} is not a number: {value!r:.60}.")
    if not 0 <= value <= MAX_AMOUNT:
        raise TranscriptError(f"{what} is not between 0 and {MAX_AMOUNT:g}: {value!r:.60}.")
    return value


def usage_of(written: Mapping[str, Any], where: str) -> Usage:
    """Return the token usage that an object states under any of its names."""
    found = first(written, "token_usage", "tokenUsage", "usage", "tokens")
    if isinstance(found, list):
        if len(found) != 2:
            raise TranscriptError(f"{where}: `tokens` is a list, but not of two numbers.")
        # Recorders write -1 for an unknown count.
        read, made = (None if count == -1 else amount(count, f"{where}: tokens") for count in found)
        return Usage(read, made, _plus(read, made))
    if found is None:
        return Usage()
    if not isinstance(found, dict):
        return Usage(all=amount(found, f"{where}: the token usage"))
    read = amount(first(found, "input_tokens", "prompt_tokens", "input", "prompt"), f"{where}: input_tokens")
    made = amount(first(found, "output_tokens", "completion_tokens", "output", "completion"), f"{where}: output_tokens")
    stated = amount(first(found, "total_tokens", "total"), f"{where}: total_tokens")
    # A stated total that is less than the sum of its parts is wrong.
    return Usage(read, made, max((n for n in (stated, _plus(read, made)) if n is not None), default=None))


def duration_ms(written: Mapping[str, Any], where: str) -> float | None:
    found = amount(first(written, "duration_ms", "durationMs"), f"{where}: duration_ms")
    if found is not None:
        return found
    seconds = first(written, "elapsed", "elapsed_seconds", "duration_seconds")
    return None if seconds is None or seconds == -1 else (amount(seconds, f"{where}: elapsed") or 0.0) * 1000


def text_of(content: Any, where: str) -> str:
    """Return the text of a message's content, which may be text, a list of blocks, or data."""
    match content:
        case None:
            return ""
        case str():
            return content
        case list():
            return "\n".join(_block_text(block, where) for block in content if _is_text(block))
        case _:
            return _dumped(content)


def tool_calls(written: Any, where: str) -> tuple[ToolCall, ...]:
    """Return the tool calls of a message, in either of their two forms."""
    if written is None:
        return ()
    if not isinstance(written, list):
        raise TranscriptError(f"{where}: `tool_calls` is not a list.")
    return tuple(_call(call, f"{where}, tool call {number}") for number, call in enumerate(written, 1))


def block_calls(content: Any, where: str) -> Iterator[ToolCall]:
    """Yield the calls that are written as blocks ``{type: tool_use, name, input}`` of a message's content."""
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "tool_use":
            yield ToolCall(_name(block.get("name"), where), block.get("input"), id=_text(block.get("id")))


def _call(written: Any, where: str) -> ToolCall:
    if not isinstance(written, dict):
        raise TranscriptError(f"{where} is not an object.")
    function = written.get("function")
    if function is None:
        name, args = written.get("tool", written.get("name")), first(written, "input", "args")
    elif isinstance(function, dict):
        name, args = function.get("name"), _arguments(function.get("arguments"))
    else:
        raise TranscriptError(f"{where}: `function` is not an object.")
    return ToolCall(
        name=_name(name, where),
        args=args,
        output=written.get("output"),
        status=_text(written.get("status")),
        duration_ms=amount(first(written, "duration_ms", "durationMs"), f"{where}: duration_ms"),
        id=_text(written.get("id")),
    )


def _arguments(written: Any) -> Any:
    """Return arguments as data, or as text if they are invalid JSON: the model still called the tool."""
    if not isinstance(written, str):
        return written
    try:
        return strict_json.loads(written) if written.strip() else {}
    except ValueError:
        return written


def _name(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise TranscriptError(f"{where} does not name a tool.")
    return value


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _is_text(block: Any) -> bool:
    return isinstance(block, str) or (isinstance(block, dict) and block.get("type") in {"text", "json", "output_text"})


def _block_text(block: Any, where: str) -> str:
    if isinstance(block, str):
        return block
    held = first(block, "text", "value")
    if held is None:
        raise TranscriptError(f"{where} has a text block without `text`.")
    return held if isinstance(held, str) else _dumped(held)


def _dumped(data: Any) -> str:
    try:
        return json.dumps(data, ensure_ascii=False)
    except (ValueError, RecursionError) as error:
        raise TranscriptError(f"A message's content cannot be written as text: {error}.") from error


def _plus(one: float | None, other: float | None) -> float | None:
    known = [number for number in (one, other) if number is not None]
    total = sum(known) if known else None
    return None if total is None or not math.isfinite(total) else total
