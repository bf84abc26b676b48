"""`trajectory:*`: checks of the steps of a transcript, with the field names of promptfoo and AgentV 5.

A step is a tool call, or a text of the assistant. A call of a shell with a command line is a step of the type
`command`, with three names: the line, the program and the tool. Any other call is a step of the type `tool`. Patterns
for names are globs with `*` and `?` that ignore case. Without a transcript, these checks are not judged.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal, Self

from pydantic import Field, Tag

from gradebox.graders.checks.base import Check, Reading
from gradebox.graders.checks.results import not_judged, scored
from gradebox.graders.documents import strict_json
from gradebox.graders.documents.entries import Entry, also, by_shape, optional
from gradebox.graders.documents.fields import Count, Free, FreeMapping, Listed, Name, Several
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.transcript import ToolCall, Transcript
from gradebox.graders.model.verdict import CheckResult
from gradebox.sandbox.records import dataclass

_SHELLS = frozenset({"exec_command", "local_shell", "shell"})
_Times = Annotated[Count, Field(ge=0)]
_StepType = Literal["command", "message", "reasoning", "search", "span", "tool"]


@dataclass(frozen=True, slots=True)
class TrajectoryStep:
    """One step of a transcript, and the names that patterns can match; the first name is shown."""

    type: str
    names: tuple[str, ...]
    args: Any = None


class StepEntry(Entry):
    """Selects steps by name and kind."""

    name: Name | None = optional("A glob for the name.", "pattern", "tool")
    type: Listed[_StepType] = optional(
        "The kinds of steps. Default: the kind that the check is about, if there is one.", default=()
    )


class CountedSteps(StepEntry):
    """Selects steps, and limits their number."""

    min: _Times | None = optional("The lowest accepted number.")
    max: _Times | None = optional("The highest accepted number.")

    def allows(self, count: int, least: int) -> bool:
        """Return whether a number of steps lies between `min`, with `least` as its default, and `max`."""
        return (least if self.min is None else self.min) <= count and (self.max is None or count <= self.max)


NamesOrCount = Annotated[
    Annotated[Name, Tag("|text")]
    | Annotated[Several[Name], Field(min_length=1), Tag("|list")]
    | Annotated[CountedSteps, Tag("|mapping")],
    by_shape("must be a name, a list of names or a mapping", "text", "list", "mapping"),
]
_Step = Annotated[
    Annotated[Name, Tag("|text")] | Annotated[StepEntry, Tag("|mapping")],
    by_shape("must be a name or a mapping", "text", "mapping"),
]


class StepSequence(Entry):
    """Steps that must occur in the given order."""

    mode: Literal["in_order", "exact"] = optional("Whether other steps may lie between them.", default="in_order")
    steps: Annotated[Several[_Step], Field(min_length=1)] = Field(description="The steps.")


class ArgsEntry(StepEntry):
    """A call, and its required arguments."""

    args: Free = Field(validation_alias=also("arguments"), description="The arguments.")
    mode: Literal["partial", "exact"] = optional("Whether the call may have other arguments.", default="partial")
    defaults: FreeMapping = optional(
        "Default values by argument. An argument of the call with its default value does not count.",
        default_factory=dict,
    )
    ignore: Listed[Name] = optional("Globs for the names of arguments that do not count.", default=())


class Trajectory(Check):
    """The base of all checks of a transcript's steps."""

    negatable = True

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        if evidence.transcript is None:
            return not_judged(self, case, "the submission brings no transcript")
        met, reason = self.outcome(tuple(steps_of(evidence.transcript)))
        return scored(self, case, float(met), reason)

    @abstractmethod
    def outcome(self, steps: Sequence[TrajectoryStep]) -> tuple[bool, str]:
        """Return whether the steps meet the check, and why."""


class ToolUsed(Trajectory):
    """All of the named tools were called, or one tool as often as required."""

    type = "trajectory:tool-used"

    value: NamesOrCount = Field(description="One tool, a list of tools, or one tool with `min` and `max`.")

    def completed(self, reading: Reading) -> Self | None:
        """Refuse a count without the name of a tool."""
        if isinstance(self.value, CountedSteps) and self.value.name is None:
            reading.error(("value",), "`value` names no tool", "Write `name`.")
            return None
        return self

    def outcome(self, steps: Sequence[TrajectoryStep]) -> tuple[bool, str]:
        if isinstance(self.value, CountedSteps):
            found = [step for step in steps if _fits(step, self.value, "tool")]
            return self.value.allows(len(found), 1), f"called {self.value.name} {len(found)} times; {_called(steps)}"
        names = (self.value,) if isinstance(self.value, str) else self.value
        used = [name for name in names if any(_fits(step, name, "tool") for step in steps)]
        # `not-`: none of them may have been called.
        met = bool(used) if self.negate else len(used) == len(names)
        return met, _called(steps)


class ToolArgsMatch(Trajectory):
    """A tool was called with the given arguments."""

    type = "trajectory:tool-args-match"

    value: ArgsEntry = Field(description="The call and its arguments.")

    def completed(self, reading: Reading) -> Self | None:
        """Refuse arguments without the name of a tool."""
        if self.value.name is None:
            reading.error(("value",), "`value` names no tool", "Write `name`.")
            return None
        return self

    def outcome(self, steps: Sequence[TrajectoryStep]) -> tuple[bool, str]:
        calls = [step for step in steps if _fits(step, self.value, "tool")]
        met = any(_args_fit(self.value, step.args) for step in calls)
        given = "; ".join(f"{step.args!r:.80}" for step in calls[:5])
        return met, f"{self.value.name} was called with {given}" if calls else f"{self.value.name} was not called"


class ToolSequence(Trajectory):
    """Tools were called in the given order."""

    type = "trajectory:tool-sequence"

    value: Annotated[
        Annotated[Several[_Step], Field(min_length=1), Tag("|list")] | Annotated[StepSequence, Tag("|mapping")],
        by_shape("must be a list of steps, or a mapping with `steps`", "list", "mapping"),
    ] = Field(description="The tools. With `mode: exact`, no other tool may be called.")

    def outcome(self, steps: Sequence[TrajectoryStep]) -> tuple[bool, str]:
        wanted = self.value.steps if isinstance(self.value, StepSequence) else self.value
        if isinstance(self.value, StepSequence) and self.value.mode == "exact":
            calls = [step for step in steps if step.type == "tool"]
            met = len(calls) == len(wanted) and all(map(_fits, calls, wanted, ["tool"] * len(wanted)))
        else:
            rest = iter(steps)
            met = all(any(_fits(step, one, "tool") for step in rest) for one in wanted)
        return met, _called(steps)


class StepCount(Trajectory):
    """The number of selected steps lies within limits."""

    type = "trajectory:step-count"

    value: CountedSteps = Field(description="Which steps, with `min`, `max` or both.")

    def completed(self, reading: Reading) -> Self | None:
        """Refuse a count without a bound."""
        if self.value.min is None and self.value.max is None:
            reading.error(("value",), "the check asks for no number", "Write `min`, `max` or both.")
            return None
        return self

    def outcome(self, steps: Sequence[TrajectoryStep]) -> tuple[bool, str]:
        count = sum(_fits(step, self.value) for step in steps)
        return self.value.allows(count, 0), f"{count} such steps"


def steps_of(transcript: Transcript) -> Iterator[TrajectoryStep]:
    """Yield the steps of a transcript. If no message has calls, the calls of the transcript itself come last."""
    told: set[int] = set()
    for message in transcript.messages:
        if message.role == "assistant" and message.content.strip():
            yield TrajectoryStep("message", ("message",))
        for call in message.tool_calls:
            told.add(id(call))
            yield _of_call(call)
    if not told:
        yield from map(_of_call, transcript.tool_calls)


def _of_call(call: ToolCall) -> TrajectoryStep:
    args = call.args
    if isinstance(args, str):
        try:
            args = strict_json.loads(args)
        except ValueError:
            args = args.strip()
    line = _command_line(args) if call.name.lower() in _SHELLS and isinstance(args, dict) else ""
    if line:
        return TrajectoryStep("command", (line, line.split()[0], call.name), args)
    return TrajectoryStep("tool", (call.name,), args)


def _command_line(args: Mapping[str, Any]) -> str:
    for key, joint in (("cmd", " "), ("command", " "), ("commands", "; ")):
        given = args.get(key)
        if isinstance(given, list):
            given = joint.join(str(part) for part in given)
        if isinstance(given, str) and given.strip():
            return given.strip()
    return ""


def glob_fits(name: str, pattern: str) -> bool:
    """Return whether a name matches a pattern with the wildcards `*` and `?`, ignoring case."""
    return fnmatchcase(name.lower(), pattern.lower().replace("[", "[[]"))


def _fits(step: TrajectoryStep, wanted: str | StepEntry, type_: str = "") -> bool:
    entry = StepEntry(name=wanted) if isinstance(wanted, str) else wanted
    types = entry.type or ((type_,) if type_ else ())
    if types and step.type not in types:
        return False
    return entry.name is None or any(glob_fits(name, entry.name) for name in step.names)


def _args_fit(entry: ArgsEntry, given: Any) -> bool:
    expected = entry.args
    if isinstance(expected, dict):
        expected = {key: value for key, value in expected.items() if not _ignored(entry, key)}
    if isinstance(given, dict):
        given = {
            key: value
            for key, value in given.items()
            if not _ignored(entry, key) and not (key in entry.defaults and strict_json.same(value, entry.defaults[key]))
        }
    return strict_json.same(given, expected) if entry.mode == "exact" else _holds(given, expected)


def _ignored(entry: ArgsEntry, key: str) -> bool:
    return any(glob_fits(key, pattern) for pattern in entry.ignore)


def _holds(given: Any, expected: Any) -> bool:
    """Return whether mappings have at least the expected keys and values, at any depth."""
    if isinstance(expected, dict):
        return isinstance(given, dict) and all(
            key in given and _holds(given[key], value) for key, value in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(given, list) and len(given) == len(expected) and all(map(_holds, given, expected))
    return strict_json.same(given, expected)


def _called(steps: Sequence[TrajectoryStep]) -> str:
    names = [step.names[0] for step in steps if step.type in ("tool", "command")]
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return f"called: {', '.join(f'{name:.60}' for name in names[:12]) or 'no tool'}{more}"
