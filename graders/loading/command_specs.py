"""Checks that run something: code-graders, examples and unit tests as they are written -> `CheckSpec`."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import TypeAdapter

from graders.checks import CheckSpec, CodeGrader, Examples, Expect, Items
from graders.loading.check_documents import CodeGraderEntry, ItemsEntry
from graders.loading.check_types import CheckType, Written
from graders.loading.command_documents import command_spec, command_specs
from graders.loading.item_specs import ItemDefaults, known_language, read_items


def _code_grader(entry: CodeGraderEntry, written: Written) -> CheckSpec | None:
    if entry.report is not None:
        written.error(("report",), "this version does not read test reports", "Remove `report`.")
        return None
    expect = entry.expect
    protocol = entry.protocol or ("json" if written.old_name else "exit")
    if expect is not None and protocol == "json":
        message = "`expect` narrows the protocol `exit`, and this check speaks `json`"
        written.error(("expect",), message, "Remove it, or add `protocol: exit`.")
    return CodeGrader(
        **written.common,
        command=command_spec(entry.command),
        setup=command_specs(entry.setup),
        teardown=command_specs(entry.teardown),
        protocol=protocol,
        expect=Expect(expect.exit_code, expect.stdout, expect.stderr, expect.stdout_regex) if expect else Expect(),
        control=command_spec(entry.control) if entry.control is not None else None,
        config=entry.config,
    )


def _items(entry: ItemsEntry, written: Written) -> CheckSpec | None:
    case = (written.surroundings.items or {}).get(written.type, ItemDefaults(()))
    items = case.items
    if entry.items is not None:
        items = read_items(written.reader, entry.items, (*written.path, "items"))
    elif items is None:
        field = written.type.replace("-", "_")
        message = f"`items` is missing, and the case has no `{field}`"
        written.error((), message, f"Write `items` here or `{field}` in the case.")
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


TYPES: Mapping[str, CheckType] = {
    "code-grader": CheckType(TypeAdapter(CodeGraderEntry), _code_grader),
    "examples": CheckType(TypeAdapter(ItemsEntry), _items),
    "unit-tests": CheckType(TypeAdapter(ItemsEntry), _items),
}
