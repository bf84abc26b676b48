"""Checks that are made of others, as they are written -> `CheckSpec`: rubrics, a judge's prompt, composites."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter

from graders.checks import (
    Aggregator,
    CheckReference,
    CheckSpec,
    Composite,
    LlmGrader,
    Rubrics,
)
from graders.checks.composite import DEFAULT_SHARE
from graders.documents import aliases
from graders.cases.check_types import CheckType, Written
from graders.cases.command_documents import command_spec
from graders.documents.diagnostics import shown
from graders.documents.suggest import suggestion
from graders.cases.group_documents import (
    CheckReferenceEntry,
    CompositeEntry,
    LlmGraderEntry,
    RubricsEntry,
)
from graders.cases.naming import with_unique_names
from graders.cases.rubric_specs import read_rubrics

_SETTINGS_OF_A_JUDGE = ("model", "provider", "target", "temperature", "max_steps")
_AGGREGATORS: Mapping[str, Aggregator] = {aggregator.replace("_", "-"): aggregator for aggregator in Aggregator}


def _rubrics(entry: RubricsEntry, written: Written) -> CheckSpec | None:
    rubrics = read_rubrics(written.reader, entry.rubrics, (*written.path, "rubrics"))
    return None if rubrics is None else Rubrics(**written.common, rubrics=rubrics)


def _llm_grader(entry: LlmGraderEntry, written: Written) -> CheckSpec | None:
    rubrics = read_rubrics(written.reader, entry.rubrics, (*written.path, "rubrics")) if entry.rubrics else ()
    for index, rubric in enumerate(rubrics or ()):
        for name in ("command", "check"):
            if getattr(rubric, name) is not None:
                message = f"a judge is asked about the rubrics of a check `{written.type}`, and `{name}` is none"
                written.error(("rubrics", index, name), message, "Write `type: rubrics`.")
                rubrics = None
    if rubrics is None:
        return None
    config = {name: value for name in _SETTINGS_OF_A_JUDGE if (value := getattr(entry, name)) is not None}
    prompt = entry.prompt if isinstance(entry.prompt, str) else ""
    if isinstance(entry.prompt, dict):
        config["prompt"] = entry.prompt
    return LlmGrader(**written.common, prompt=prompt, rubrics=rubrics, config={**config, **entry.config})


def in_words(text: str, common: Mapping[str, Any]) -> CheckSpec:
    """Return the check that a text in a list of checks is: a rubric in words, for a judge."""
    return LlmGrader(**common, prompt=text)


def _composite(entry: CompositeEntry, written: Written) -> CheckSpec | None:
    errors = written.reader.findings.errors
    members = with_unique_names(written.read_members(entry.assertions, (*written.path, "assertions")))
    complete = written.reader.findings.errors == errors
    aggregator = _aggregator(entry, written)
    members = _weighed(entry, members, written) if complete else members
    if complete and not any(member.weight for member in members):
        written.error(("assertions",), "the weights of all members are 0", "Give one of them a weight.")
    if aggregator is None or written.reader.findings.errors > errors:
        return None
    return Composite(
        **written.common,
        assertions=members,
        aggregator=aggregator,
        threshold=DEFAULT_SHARE if entry.threshold is None else entry.threshold,
        command=None if entry.command is None else command_spec(entry.command),
        protocol=entry.protocol or "json",
    )


def _aggregator(entry: CompositeEntry, written: Written) -> Aggregator | None:
    """Return the aggregator that is named, or that the other fields speak of."""
    named = entry.aggregator
    if named is None:
        if entry.command is not None:
            aggregator = Aggregator.CODE_GRADER
        else:
            aggregator = Aggregator.WEIGHTED_AVERAGE if entry.threshold is None else Aggregator.THRESHOLD
    else:
        name, at = (named, ("aggregator",)) if isinstance(named, str) else (named.type, ("aggregator", "type"))
        spelled = name.replace("_", "-")
        known = _AGGREGATORS.get(aliases.first_type(spelled) or spelled)
        if known is None:
            if aliases.first_type(spelled) == LlmGrader.type:
                message = f"no judge can be asked by this version, and the aggregator `{shown(name)}` is one"
                written.error(at, message, "Write another aggregator.")
            else:
                written.error(at, f"unknown aggregator `{shown(name)}`", suggestion(name, Aggregator))
            return None
        aggregator = known
    for field, owner in (("threshold", Aggregator.THRESHOLD), ("command", Aggregator.CODE_GRADER)):
        if getattr(entry, field) is not None and aggregator is not owner:
            message = f"`{field}` belongs to the aggregator `{owner}`, and this is `{aggregator}`"
            written.error((field,), message, f"Remove it, or write `aggregator: {owner}`.")
    if aggregator is Aggregator.CODE_GRADER and entry.command is None:
        written.error((), "the aggregator `code-grader` has no `command`", "Write one.")
    return aggregator


def _weighed(entry: CompositeEntry, members: tuple[CheckSpec, ...], written: Written) -> tuple[CheckSpec, ...]:
    """Give the members the weights that the composite lists for them."""
    names = [member.name for member in members]
    for name in entry.weights:
        if name not in names:
            written.error(("weights", name), f"no member is called `{shown(name)}`", suggestion(name, names))
        elif _has_weight(entry.assertions[names.index(name)]):
            message = f"the member `{shown(name)}` has a `weight` of its own"
            written.error(("weights", name), message, "Keep one of the two.")
    return tuple(replace(member, weight=entry.weights.get(member.name, member.weight)) for member in members)


def _has_weight(member: Any) -> bool:
    return isinstance(member, dict) and member.get("weight") is not None


def _reference(entry: CheckReferenceEntry, written: Written) -> CheckSpec:
    return CheckReference(**written.common, check=entry.check)


TYPES: Mapping[str, CheckType] = {
    "rubrics": CheckType(TypeAdapter(RubricsEntry), _rubrics),
    "llm-grader": CheckType(TypeAdapter(LlmGraderEntry), _llm_grader),
    "composite": CheckType(TypeAdapter(CompositeEntry), _composite),
    "check": CheckType(TypeAdapter(CheckReferenceEntry), _reference),
}
