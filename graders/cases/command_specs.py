"""Checks that run something: code-graders, examples and unit tests as they are written -> `CheckSpec`."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import TypeAdapter

from graders.checks import (
    CheckSpec,
    CodeGrader,
    Examples,
    Expect,
    Items,
)
from graders.runners.adapter import AUTO, NONE, hint, recognise
from graders.runners.test_reports import ReportSpec
from graders.cases.check_documents import CodeGraderEntry, ItemsEntry, ReportEntry
from graders.cases.check_types import CheckType, Written
from graders.cases.command_documents import command_spec, command_specs
from graders.documents.diagnostics import shown
from graders.cases.item_source import check_sources
from graders.cases.item_specs import ItemDefaults, known_language, read_items


def _code_grader(entry: CodeGraderEntry, written: Written) -> CheckSpec | None:
    expect = entry.expect
    protocol = entry.protocol or ("json" if written.old_name else "exit")
    if expect is not None and protocol == "json":
        message = "`expect` narrows the protocol `exit`, and this check speaks `json`"
        written.error(("expect",), message, "Remove it, or add `protocol: exit`.")
    if entry.report is not None:
        _check_report(entry, entry.report, protocol, written)
    return CodeGrader(
        **written.common,
        command=command_spec(entry.command),
        setup=command_specs(entry.setup),
        teardown=command_specs(entry.teardown),
        protocol=protocol,
        expect=Expect(expect.exit_code, expect.stdout, expect.stderr, expect.stdout_regex) if expect else Expect(),
        control=command_spec(entry.control) if entry.control is not None else None,
        report=_report(entry.report) if entry.report is not None else None,
        adapter=_adapter(entry, protocol, written),
        config=entry.config,
    )


def _adapter(entry: CodeGraderEntry, protocol: str, written: Written) -> str:
    """Return which test runner the command may be; what a case asks for by name must be found in it."""
    adapter = str(entry.adapter)
    if adapter == NONE or (adapter == AUTO and protocol == "json"):
        return NONE
    if protocol == "json":
        message = "`adapter` goes with the protocol `exit`, and this check speaks `json`"
        written.error(("adapter",), message, "Remove it, or add `protocol: exit`.")
    elif adapter != AUTO and recognise(command_spec(entry.command).argv, adapter) is None:
        written.error(("adapter",), f"the command is not one that `{adapter}` can run", hint(adapter))
    return adapter


def _check_report(entry: CodeGraderEntry, report: ReportEntry, protocol: str, written: Written) -> None:
    if protocol != "exit":
        message = "a test report goes with the protocol `exit`, and this check speaks `json`"
        written.error(("report",), message, "Remove it, or add `protocol: exit`.")
    if entry.expect is not None and entry.expect.exit_code != 0:
        message = "a test report has to agree with the exit status of its runner, which is 0 when all went well"
        written.error(("expect", "exit_code"), message, "Remove it, or `report`.")
    if entry.negate and report.must_pass:
        message = "`must_pass` cannot be turned round: a test that must pass is a gate"
        written.error(("negate",), message, "Remove it, or list the tests in `must_exist`.")
    for field in ("must_pass", "must_exist"):
        seen: set[str] = set()
        for position, name in enumerate(getattr(report, field)):
            if name in seen:
                written.error(("report", field, position), f"`{shown(name)}` is listed twice", "Remove one of them.")
            seen.add(name)


def _report(report: ReportEntry) -> ReportSpec:
    return ReportSpec(report.format, report.path, tuple(report.must_pass), tuple(report.must_exist))


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
    check_sources(written.reader, items, language, case.path if entry.items is None else (*written.path, "items"))
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
