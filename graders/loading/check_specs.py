"""The types of check that can be loaded: for each the model of its fields, and the function that makes its `CheckSpec`.

A new type is an entry in `CHECK_TYPES` here, and a module in ``graders/checks``. A type that the format knows and this
table does not is an error that says so: a check is never dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter

from graders.checks import CheckSpec, CodeGrader, Examples, Expect, Items
from graders.loading import aliases
from graders.loading.check_documents import CheckEntry, CodeGraderEntry, ItemsEntry
from graders.loading.command_documents import command_spec, command_specs
from graders.loading.diagnostics import DocumentPath, shown, suggestion
from graders.loading.item_specs import ItemDefaults, known_language, read_items
from graders.loading.reader import Reader
from graders.loading.scalars import Trap


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a check takes from its case.

    Attributes:
        language: Of the items.
        imports: Of the items.
        items: What the case says about items, by type of check.
    """

    language: str | None = None
    imports: tuple[str, ...] = ()
    items: Mapping[str, ItemDefaults] | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """One check as it is written, while it is being read.

    Attributes:
        type: The first name of its type.
        old_name: Whether its type or its command goes by a name of old, which means another protocol.
        common: The arguments that every `CheckSpec` takes.
    """

    reader: Reader
    path: DocumentPath
    type: str
    old_name: bool
    common: Mapping[str, Any]
    surroundings: Surroundings


@dataclass(frozen=True, slots=True)
class CheckType:
    """How one type of check is loaded."""

    adapter: TypeAdapter[Any]
    build: Callable[[Any, Written], CheckSpec | None]


def read_checks(
    reader: Reader, written: Iterable[Any], path: DocumentPath, surroundings: Surroundings
) -> tuple[CheckSpec, ...]:
    """Read a list of checks; those that cannot be read are among the findings and missing here."""
    specs = [read_check(reader, value, (*path, index), surroundings) for index, value in enumerate(written)]
    return tuple(spec for spec in specs if spec is not None)


def read_check(reader: Reader, value: Any, path: DocumentPath, surroundings: Surroundings) -> CheckSpec | None:
    """Read one check, which is a mapping with a `type`, or text: a rubric in words."""
    if isinstance(value, str):
        _not_judged(reader, path, "a check in words", "llm-grader")
        return None
    if not isinstance(value, dict):
        message = f"a check must be a mapping with a `type`, or text, not `{shown(_text(value))}`"
        reader.error(path, message, "Write `- type: ...`, or quote the text.")
        return None
    type_name = value.get("type")
    if not isinstance(type_name, str):
        what = "`type` is missing" if type_name is None else f"`type` must be text, not `{shown(_text(type_name))}`"
        at = path if type_name is None else (*path, "type")
        reader.error(at, what, suggestion("", aliases.CHECK_TYPES))
        return None
    spelled = type_name.replace("_", "-")
    negated = spelled.startswith(aliases.NEGATED_PREFIX)
    first = aliases.first_type(spelled.removeprefix(aliases.NEGATED_PREFIX))
    if first is None or (negated and first not in aliases.NEGATABLE):
        known = aliases.known_types()
        reader.error((*path, "type"), f"unknown type of check `{shown(type_name)}`", suggestion(type_name, known))
        return None
    kind = CHECK_TYPES.get(first)
    if kind is None:
        _not_judged(reader, (*path, "type"), f"a check of type `{shown(type_name)}`", first)
        return None
    old_name = spelled != first or "script" in value
    entry = reader.read(kind.adapter, value, path)
    if entry is None:
        return None
    common = _common(reader, entry, path, first)
    return kind.build(entry, Written(reader, path, first, old_name, common, surroundings))


def with_unique_names(checks: Iterable[CheckSpec]) -> tuple[CheckSpec, ...]:
    """Number the names that occur more than once: ``code-grader``, ``code-grader-2``, ``code-grader-3``."""
    checks = tuple(checks)
    given = {check.name for check in checks}
    taken: set[str] = set()
    named: list[CheckSpec] = []
    for check in checks:
        name, number = check.name, 1
        while name in taken or (number > 1 and name in given):
            number += 1
            name = f"{check.name}-{number}"
        taken.add(name)
        named.append(check if name == check.name else replace(check, name=name))
    return tuple(named)


def _common(reader: Reader, entry: CheckEntry, path: DocumentPath, type_name: str) -> dict[str, Any]:
    required, min_score = entry.required, entry.min_score
    if not isinstance(required, bool):
        if min_score is not None and min_score != required:
            message = f"`required: {required:g}` and `min_score: {min_score:g}` name two scores"
            reader.error((*path, "required"), message, "Write `required: true` and one `min_score`.")
        if required == 0:
            message = "`required: 0` is met by every score"
            reader.warning((*path, "required"), message, "Write `required: false` if it is not required.")
        required, min_score = True, float(required)
    elif min_score is not None and not required:
        message = "`min_score` has no effect on a check that is not required"
        reader.warning((*path, "min_score"), message, "Add `required: true`.")
    return {
        "name": entry.name or type_name,
        "place": reader.document.place(path),
        "weight": entry.weight,
        "required": required,
        "min_score": min_score,
        "negate": entry.negate,
        "timeout_seconds": entry.timeout_seconds,
        "env": dict(entry.env),
        "cwd": entry.cwd or "",
    }


def _not_judged(reader: Reader, path: DocumentPath, what: str, type_name: str) -> None:
    message = f"{what} cannot be judged by this version, which has no `{type_name}`"
    reader.error(path, message, "Remove it, or write a `code-grader` that judges the same.")


def _text(value: Any) -> str:
    return value.text if isinstance(value, Trap) else str(value)


def _code_grader(entry: CodeGraderEntry, written: Written) -> CheckSpec | None:
    for name, what in (("report", "read test reports"), ("config", "hand `config` to a command")):
        if getattr(entry, name) is not None:
            written.reader.error((*written.path, name), f"this version does not {what}", f"Remove `{name}`.")
            return None
    expect = entry.expect
    protocol = entry.protocol or ("json" if written.old_name else "exit")
    if expect is not None and protocol == "json":
        message = "`expect` narrows the protocol `exit`, and this check speaks `json`"
        written.reader.error((*written.path, "expect"), message, "Remove it, or add `protocol: exit`.")
    return CodeGrader(
        **written.common,
        command=command_spec(entry.command),
        setup=command_specs(entry.setup),
        teardown=command_specs(entry.teardown),
        protocol=protocol,
        expect=Expect(expect.exit_code, expect.stdout, expect.stderr, expect.stdout_regex) if expect else Expect(),
        control=command_spec(entry.control) if entry.control is not None else None,
    )


def _items(entry: ItemsEntry, written: Written) -> CheckSpec | None:
    case = (written.surroundings.items or {}).get(written.type, ItemDefaults(()))
    items = case.items
    if entry.items is not None:
        items = read_items(written.reader, entry.items, (*written.path, "items"))
    elif items is None:
        field = written.type.replace("-", "_")
        message = f"`items` is missing, and the case has no `{field}`"
        written.reader.error(written.path, message, f"Write `items` here or `{field}` in the case.")
    if not items:
        return None
    language = known_language(written.reader, entry.language or written.surroundings.language, written.path)
    if language is None:
        return None
    spec = Examples if written.type == Examples.type else Items
    return spec(
        **written.common,
        language=language,
        items=items,
        setup=case.setup if entry.setup is None else "\n".join(entry.setup),
        teardown=case.teardown if entry.teardown is None else "\n".join(entry.teardown),
        imports=written.surroundings.imports if entry.imports is None else tuple(entry.imports),
        isolation=entry.isolation,
    )


CHECK_TYPES: Mapping[str, CheckType] = {
    "code-grader": CheckType(TypeAdapter(CodeGraderEntry), _code_grader),
    "examples": CheckType(TypeAdapter(ItemsEntry), _items),
    "unit-tests": CheckType(TypeAdapter(ItemsEntry), _items),
}
