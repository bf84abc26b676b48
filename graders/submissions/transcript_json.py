"""Parses transcripts in JSON. They are hostile input, so parsing is strict and limited in size.

    one JSON object   {"messages": [...], "token_usage": {...}, "cost_usd": 0.1, "duration_ms": 1200}
    a JSON list       of messages
    JSONL             one message per line; token usage, cost and duration of the whole come from a line without a role,
                      or one with `transcript_token_usage`, `transcript_cost_usd` or `transcript_duration_ms`

A message is ``{role, content, tool_calls}``, or as recorded by PromptingTools ``{_type: "aimessage", content, ...}``.
A missing number stays None: no submission is judged by an invented number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gradebox.graders.documents import strict_json
from gradebox.graders.model.transcript import ToolCall, Transcript, TranscriptMessage
from gradebox.graders.submissions.transcript_fields import (
    TranscriptError,
    TranscriptTooLong,
    Usage,
    amount,
    block_calls,
    duration_ms,
    first,
    text_of,
    tool_calls,
    usage_of,
)

MAX_BYTES = 32 * 1024 * 1024
MAX_MESSAGES = 20_000
MAX_TOOL_CALLS = 50_000

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
_RECORDED_ROLES = {
    "systemmessage": "system",
    "usermessage": "user",
    "usermessagewithimages": "user",
    "aimessage": "assistant",
    "aitoolrequest": "assistant",
    "toolmessage": "tool",
}


# Each line of a recorded transcript repeats these numbers, which are about the whole transcript.
_OF_WHOLE = ("transcript_token_usage", "transcript_cost_usd", "transcript_duration_ms")


def parse_transcript(data: bytes | str) -> Transcript:
    """Read a transcript. Raises TranscriptError with the reason and the place if it is not a valid transcript."""
    if len(data) > MAX_BYTES:
        raise TranscriptError(f"The transcript is larger than {MAX_BYTES} bytes.")
    try:
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TranscriptError(f"The transcript is not UTF-8: {error.reason} at byte {error.start}.") from error
    whole, messages = _documents(text)
    if len(messages) > MAX_MESSAGES:
        raise TranscriptTooLong(f"The transcript has more than {MAX_MESSAGES} messages.")
    repeated = {
        name.removeprefix("transcript_"): written[name]
        for written in (*messages, whole)
        for name in _OF_WHOLE
        if written.get(name) is not None
    }
    whole = {**repeated, **whole}
    read = [_message(written, f"Message {number}") for number, written in enumerate(messages, 1)]
    if not read:
        raise TranscriptError("The transcript has no messages.")
    return _transcript(whole, messages, _with_outputs(read))


def _documents(text: str) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]:
    """Return the fields about the whole transcript, and the unparsed messages."""
    try:
        found = strict_json.loads(text)
    except ValueError as error:
        if len(text.split("\n", 1)) == 1:
            raise TranscriptError(f"The transcript is not JSON: {error}.") from error
        return _lines(text)
    if isinstance(found, list):
        return {}, _mappings(found)
    if not isinstance(found, dict):
        raise TranscriptError("The transcript is JSON, but neither a list of messages nor an object with messages.")
    if "role" in found or "_type" in found:
        return {}, [found]
    name = next((key for key in ("messages", "output_messages", "output") if isinstance(found.get(key), list)), None)
    if name is None:
        raise TranscriptError("The transcript is an object without a list of `messages`.")
    return found, _mappings(found[name])


def _lines(text: str) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]:
    whole: dict[str, Any] = {}
    messages: list[Mapping[str, Any]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = strict_json.loads(line)
        except ValueError as error:
            raise TranscriptError(f"Line {number} of the transcript is not JSON: {error}.") from error
        if not isinstance(found, dict):
            raise TranscriptError(f"Line {number} of the transcript is not an object.")
        if "role" in found or "_type" in found:
            messages.append(found)
        elif isinstance(found.get("messages"), list):
            messages += _mappings(found["messages"])
            whole |= found
        else:
            whole |= found
    return whole, messages


def _mappings(listed: Iterable[Any]) -> Sequence[Mapping[str, Any]]:
    found = list(listed)
    for number, message in enumerate(found, 1):
        if not isinstance(message, dict):
            raise TranscriptError(f"Message {number} of the transcript is not an object.")
    return found


def _message(written: Mapping[str, Any], where: str) -> TranscriptMessage:
    role = written.get("role")
    if role is None and isinstance(written.get("_type"), str):
        role = _RECORDED_ROLES.get(written["_type"].lower())
    if not isinstance(role, str) or role not in _ROLES:
        named = written.get("role", written.get("_type"))
        raise TranscriptError(f"{where} has the role {named!r:.60}, which is none of {', '.join(sorted(_ROLES))}.")
    answered = first(written, "tool_call_id", "toolCallId")
    calls = tool_calls(first(written, "tool_calls", "toolCalls"), where)
    return TranscriptMessage(
        role=role,
        content=text_of(written.get("content"), where),
        tool_calls=(*calls, *block_calls(written.get("content"), where)),
        tool_call_id=answered if isinstance(answered, str) else None,
    )


def _with_outputs(messages: Sequence[TranscriptMessage]) -> tuple[TranscriptMessage, ...]:
    """Give each call without an output the content of the tool message that answers it."""
    answers = {message.tool_call_id: message.content for message in messages if message.tool_call_id is not None}
    if not answers:
        return tuple(messages)
    return tuple(
        replace(message, tool_calls=tuple(call.answered(answers) for call in message.tool_calls))
        for message in messages
    )


def _transcript(
    whole: Mapping[str, Any], written: Sequence[Mapping[str, Any]], messages: tuple[TranscriptMessage, ...]
) -> Transcript:
    calls = tuple(call for message in messages for call in message.tool_calls)
    if len(calls) > MAX_TOOL_CALLS:
        raise TranscriptTooLong(f"The transcript has more than {MAX_TOOL_CALLS} tool calls.")
    spoken = [message for message in messages if message.role == "assistant"]
    stated = amount(first(whole, "llm_calls", "llm_call_count"), "llm_calls")
    # Amounts of the whole transcript take precedence; without them, the amounts of the messages are summed.
    usage = usage_of(whole, "The transcript")
    if not usage.known:
        usage = Usage.total(usage_of(message, f"Message {n}") for n, message in enumerate(written, 1))
    cost, duration = _cost(whole, "The transcript"), duration_ms(whole, "The transcript")
    if cost is None:
        cost = _sum(_cost(message, f"Message {n}") for n, message in enumerate(written, 1))
    if duration is None:
        duration = _sum(duration_ms(message, f"Message {n}") for n, message in enumerate(written, 1))
    return Transcript(
        messages=messages,
        tool_calls=calls,
        input_tokens=usage.input,
        output_tokens=usage.output,
        total_tokens=usage.all,
        cost_usd=cost,
        duration_ms=duration,
        llm_calls=max(len(spoken), int(stated or 0)),
        output=next((message.content for message in reversed(spoken) if message.content.strip()), ""),
    )


def transcript_lines(transcript: Transcript) -> Iterator[dict[str, Any]]:
    """Yield a transcript as JSON objects for `parse_transcript`, one per line: first the numbers, then the messages."""
    tokens = {"input": transcript.input_tokens, "output": transcript.output_tokens, "total": transcript.total_tokens}
    yield _stated(
        llm_calls=transcript.llm_calls,
        token_usage=_stated(**tokens) or None,
        cost_usd=transcript.cost_usd,
        duration_ms=transcript.duration_ms,
    )
    yield from map(written_message, transcript.messages)


def written_message(message: TranscriptMessage) -> dict[str, Any]:
    """Return a message as one line of a transcript."""
    calls = [_written_call(call) for call in message.tool_calls]
    content = message.content or None if calls else message.content
    return _stated(role=message.role, content=content, tool_calls=calls or None, tool_call_id=message.tool_call_id)


def _written_call(call: ToolCall) -> dict[str, Any]:
    kept = _stated(output=call.output, status=call.status, duration_ms=call.duration_ms, id=call.id)
    return {"tool": call.name, "input": call.args, **kept}


def _stated(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _cost(written: Mapping[str, Any], where: str) -> float | None:
    return amount(first(written, "cost_usd", "costUsd", "total_cost_usd", "cost"), f"{where}: cost")


def _sum(numbers: Iterable[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None
