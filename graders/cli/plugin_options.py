"""The Typer parameters of options that plug-ins add to ``grade``; `runs.added_options` has their behaviour."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from gradebox.graders.cli.options import option
from gradebox.graders.errors import GraderError
from gradebox.graders.runs.added_options import AddedOption, added_options


def parameters(own: Iterable[Any]) -> list[Any]:
    """Return a parameter for each option of a plug-in.

    Raises GraderError if one of them has a name of `own`, which are the parameters of ``grade`` itself.
    """
    added = added_options()
    taken = {name for parameter in own for name in parameter.opts}
    for one in added.values():
        if one.option in taken:
            raise GraderError(
                f"grade itself has the option {one.option} of a plug-in.", remedy="Uninstall the plug-in."
            )
    if not added:
        return []

    def declared(**_: Any) -> None: ...

    # Typer makes parameters only from the signature of a function.
    found = {name: _parameter(name, one) for name, one in added.items()}
    declared.__signature__ = inspect.Signature(list(found.values()))  # type: ignore[attr-defined]
    declared.__annotations__ = {name: one.annotation for name, one in found.items()}
    app = typer.Typer(add_completion=False)
    app.command()(declared)
    return list(typer.main.get_command(app).params)


def _parameter(name: str, added: AddedOption) -> inspect.Parameter:
    kind: Any = added.kind | None if added.metavar else bool
    annotation = Annotated[kind, option(added.section, added.words, added.help)]
    default = None if added.metavar else False
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def taken_from(values: dict[str, Any]) -> dict[str, Any]:
    """Remove the options of plug-ins from the values of a command line, and return those that were given."""
    added = added_options()
    found = {name: values.pop(name) for name in added if name in values}
    return {
        name: added[name].kind(value) if added[name].metavar else True
        for name, value in found.items()
        if value not in (None, False)
    }
