"""What the sandbox sent of calls: lines that the candidate's process wrote, and of calls that ended it. Pure.

Nothing here is believed further than an answer of the candidate is: it says what a call returned or raised, never
whether that is right. Of two replies to one call the first counts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from graders.checks.calls.data_values import decoded
from graders.documents import strict_json

CAPTURE_BYTES = 2 << 20
"""How much is kept of what all calls of a check send."""
_LINE_BYTES = 2 << 20
_WORD = 200


class CallReply(NamedTuple):
    """What came of a call: it returned a value, it raised, or neither.

    Attributes:
        raised: The names of the classes of what it raised, the own one first; empty if it returned.
        message: Of what it raised.
        problem: Why there is no value, a clause that follows the name of the call.
    """

    value: Any = None
    raised: tuple[str, ...] = ()
    message: str = ""
    problem: str = ""


def missing_program(report: bytes) -> str:
    """Return the program that the image lacks; empty if the calls could be made."""
    first = report[:_WORD].split(b"\n", 1)[0].decode("utf-8", "replace")
    return first.removeprefix("missing ") if first.startswith("missing ") else ""


def replies(report: bytes, count: int) -> dict[int, CallReply]:
    """Return what came of calls, by their numbers; a call that nothing is known of is not there."""
    found: dict[int, CallReply] = {}
    for line in report.split(b"\n"):
        number, reply = _read(line[: _LINE_BYTES + 1])
        if reply is not None and 0 <= number < count:
            found.setdefault(number, reply)
    return found


def _read(line: bytes) -> tuple[int, CallReply | None]:
    if not line.startswith(b"{"):
        number, _, why = line[:_WORD].decode("utf-8", "replace").partition(" ")
        is_number = number.isascii() and number.isdigit() and len(number) < 10
        return (int(number), CallReply(problem=why)) if is_number and why else (-1, None)
    try:
        said = strict_json.loads(line.decode("utf-8", "replace"))
        number = said.get("call")
        return (number, _reply(said)) if type(number) is int else (-1, None)
    except (ValueError, RecursionError):
        return -1, None


def _reply(said: dict[str, Any]) -> CallReply:
    match said:
        case {"returned": data}:
            try:
                return CallReply(decoded(data))
            except (ValueError, RecursionError) as error:
                return CallReply(problem=f"returned what cannot be read: {error}")
        case {"raised": [str(), *_] as names, "message": str(message)} if all(isinstance(name, str) for name in names):
            if said.get("loading"):
                return CallReply(
                    problem=f"was not made: its file cannot be loaded: {names[0][:_WORD]}: {message[:_WORD]}"
                )
            return CallReply(raised=tuple(name[:_WORD] for name in names[:50]), message=message[:2000])
        case {"missing": str(name)}:
            return CallReply(problem=f"was not made: there is no function {name[:_WORD]}")
        case {"no_data": str(what)}:
            return CallReply(problem=f"returned what is no data: {what[:_WORD]}")
    return CallReply(problem="was answered by what cannot be read")
