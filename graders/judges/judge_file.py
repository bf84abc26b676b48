"""Reads `judge:` of a case or a suite, and the file of `--judge`: one judge, or a list of judges, which is a panel.

A judge's `provider` is the module ``PROVIDER_judge`` of this package, or an entry point of the group
``gradebox.judges``, whose ``JUDGE`` is its class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from gradebox.graders.documents.diagnostics import DocumentPath, Findings
from gradebox.graders.documents.plugins import Plugin, plugins
from gradebox.graders.documents.reader import Reader, open_document
from gradebox.graders.documents.suggest import suggestion
from gradebox.graders.documents.validators import described
from gradebox.graders.errors import CaseRefused, UsageRefused
from gradebox.graders.judges.provider import Judge
from gradebox.graders.judges.spending import PRICES, Spending
from gradebox.graders.model.case import Case
from gradebox.graders.model.judgment import Panel, Reduce

GROUP = "gradebox.judges"
_SUFFIX = "_judge"
_PACKAGE = "gradebox.graders.judges"
_MOST_JUDGES = 20
# The keys of a mapping with a panel; both names mean the same.
_PANEL, _REDUCE = ("judges", "panel"), "reduce"


@cache
def providers() -> Mapping[str, Plugin]:
    """Return the providers of judges by name. Imports none of them."""
    found = plugins(_PACKAGE, GROUP).items()
    return {
        name.removesuffix(_SUFFIX): plugin
        for name, plugin in found
        if name.endswith(_SUFFIX) or not plugin.origin.startswith(_PACKAGE)
    }


def _judge_type(provider: str) -> type[Judge]:
    loaded: Any = providers()[provider].load()
    found: type[Judge] = getattr(loaded, "JUDGE", loaded)
    return found


def judge_types() -> tuple[type[Judge], ...]:
    """Return the classes of all judges, in the order of their providers."""
    return tuple(map(_judge_type, providers()))


@cache
def _adapter(provider: str) -> TypeAdapter[Judge]:
    return TypeAdapter(_judge_type(provider))


def read_panel(reader: Reader, value: Any, path: DocumentPath) -> Panel | None:
    """Return the judges that a document names at a path; None if there is a mistake, which is then reported."""
    errors = reader.findings.errors
    reduce = Reduce.MAJORITY
    panel = next((key for key in _PANEL if isinstance(value, dict) and key in value), None)
    if panel is not None:
        reduce = _reduce(reader, value, path)
        for key in value.keys() - {panel, _REDUCE}:
            reader.error((*path, key), f"unknown key `{key}`", suggestion(str(key), (panel, _REDUCE)), of_key=True)
        path, value = (*path, panel), value[panel]
    listed = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
    if not 0 < len(listed) <= _MOST_JUDGES:
        reader.error(path, f"a panel has 1 to {_MOST_JUDGES} judges", "Write `- provider: ...` for each.")
        return None
    judges: list[Judge] = []
    for index, one in listed:
        at = path if index is None else (*path, index)
        judge = _judge(reader, one, at)
        if judge is not None and judge.name in {other.name for other in judges}:
            if "name" in one:
                reader.error((*at, "name"), f"two judges are called `{judge.name}`", "Give each a name of its own.")
            judge = judge.but(name=f"{judge.name}-{len(judges) + 1}")
        judges += [judge] if judge else []
    if reader.findings.errors > errors:
        return None
    return Panel(tuple(judges), reduce)


def _reduce(reader: Reader, value: Mapping[str, Any], path: DocumentPath) -> Reduce:
    written = value.get(_REDUCE, Reduce.MAJORITY)
    if written not in list(Reduce):
        reader.error((*path, _REDUCE), f"`{_REDUCE}` cannot be {described(written)}", suggestion("", Reduce))
        return Reduce.MAJORITY
    return Reduce(written)


def _judge(reader: Reader, value: Any, path: DocumentPath) -> Judge | None:
    if not isinstance(value, dict):
        message = f"a judge must be a mapping with a `provider`, not {described(value)}"
        reader.error(path, message, f"Write `provider: ...`: one of {', '.join(providers())}.")
        return None
    provider = value.get("provider")
    if not isinstance(provider, str) or provider not in providers():
        if provider is not None or not reader.misspelt(value, "provider", path):
            what = "is missing" if provider is None else f"cannot be {described(provider)}"
            at = (*path, "provider") if provider is not None else path
            reader.error(at, f"`provider` {what}", suggestion(str(provider or ""), providers()))
        return None
    judge = reader.read(_adapter(provider), value, path)
    if judge is None:
        return None
    return judge.but(place=reader.document.place(path), name=judge.name or provider).completed(reader, path)


def with_judges(cases: Sequence[Case], file: Path, environ: Mapping[str, str]) -> tuple[Case, ...]:
    """Return cases with the judges of a file in place of their own. Raises CaseRefused like `read_judge_file`."""
    panel = read_judge_file(file, environ)
    return tuple(replace(case, judge=panel) for case in cases)


def refuse_unready(cases: Iterable[Case], environ: Mapping[str, str], budget: str | None = None) -> None:
    """Raise UsageRefused if a judge lacks its key or, with a budget in dollars, its prices."""
    in_dollars = Spending.limited(budget).most_usd is not None
    for judge in {id(judge): judge for case in cases if case.judge for judge in case.judge.judges}.values():
        if not isinstance(judge, Judge):
            continue
        problem = judge.unready(environ)
        if not problem and in_dollars and not judge.priced():
            problem = f"--judge-budget is in dollars, and its prices are not known. {PRICES}"
        if problem:
            raise UsageRefused(f"{judge.place}: the judge {judge.name} cannot be asked. {problem}")


def read_judge_file(file: Path, environ: Mapping[str, str]) -> Panel:
    """Return the judges of a file: the content of a case's `judge:`, with or without that key.

    Raises CaseRefused for mistakes in the file, each with its line and column.
    """
    findings = Findings()
    document = open_document(file, findings)
    panel = None
    if document is not None:
        value, reader = document.data, Reader(document, environ, findings)
        inner = isinstance(value, dict) and set(value) == {"judge"}
        panel = read_panel(reader, value["judge"] if inner else value, ("judge",) if inner else ())
    if panel is None:
        raise CaseRefused("\n".join(map(str, findings)))
    return panel
