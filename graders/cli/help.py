"""How the command line reads: its help in sections, the examples below it, and what is said of a mistake in it.

Typer reads the words; here is only what people see. Nothing that takes long to import is imported before it is needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, TypeVar

import typer
from typer.core import TyperGroup

from graders.errors import UsageRefused

_Kind = TypeVar("_Kind", bound=StrEnum)

# Not exported by Typer under a name that all its versions share, and the base of one that is.
UsageMistake: type[Any] = typer.BadParameter.__mro__[1]

_EXAMPLES = "\b\nExamples:\n"
_OTHER = "Other"


def examples(*lines: str) -> str:
    """Return the end of a command's help that shows how it is called."""
    return _EXAMPLES + "\n".join(f"  {line}" for line in lines)


def examples_of(epilog: str | None) -> list[str]:
    """Return the command lines that the end of a command's help shows."""
    return [line.strip() for line in (epilog or "").removeprefix(_EXAMPLES).splitlines()]


def one_of(kind: type[_Kind], name: str, word: str) -> _Kind:
    """Return the value that a word of the command line names.

    Raises:
        UsageRefused: If it names none.
    """
    if word not in list(kind):
        raise UsageRefused(f"{name} takes {listed(kind, 'or')}, not {word}.", remedy=did_you_mean(word, kind))
    return kind(word)


def listed(words: Iterable[str], last: str = "and") -> str:
    """Return words as people write them: ``a, b and c``."""
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question for the word that was probably meant; nothing where none is like it."""
    from graders.documents.suggest import closest  # noqa: PLC0415

    likely = closest(word, known)
    return f"Did you mean `{likely}`?" if likely else ""


def refused(mistake: Any) -> UsageRefused:
    """Return what is said of a mistake that Typer found in a command line."""
    context = mistake.ctx
    where = f"`{context.command_path if context else 'grade'} --help`"
    option = getattr(mistake, "option_name", "")
    if option and type(mistake).__name__ == "NoSuchOption":
        known = (
            [name for parameter in context.command.get_params(context) for name in parameter.opts] if context else []
        )
        guess = did_you_mean(option, [name for name in known if name.startswith("--")])
        return UsageRefused(f"There is no option {option}.", remedy=guess or f"{where} shows which there are.")
    message = mistake.format_message().rstrip()
    return UsageRefused(message if message.endswith(".") else f"{message}.", remedy=f"{where} shows how it is written.")


class Commands(TyperGroup):
    """A group of commands whose help has sections, in plain text."""

    def get_params(self, ctx: Any) -> list[Any]:
        # Typer's own options for completion write into the files of one's shell; `grade completion` only prints.
        return [
            parameter
            for parameter in super().get_params(ctx)
            if parameter.name not in {"install_completion", "show_completion"}
        ]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if name not in self.commands and not name.startswith("-"):
            guess = did_you_mean(name, self.commands)
            if not guess and self.invoke_without_command and os.path.exists(name):  # noqa: PTH110 - pathlib takes long
                guess = f"To grade it, write `{ctx.command_path} --case {name}`."
            raise UsageRefused(
                f"There is no command {ctx.command_path} {name}.",
                remedy=guess or f"`{ctx.command_path} --help` shows which there are.",
            )
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                sections.setdefault(getattr(parameter, "rich_help_panel", None) or _OTHER, []).append(record)
        if list(sections) == [_OTHER]:
            sections = {"Options": sections[_OTHER]}
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.commands[name]
            sections.setdefault(getattr(command, "rich_help_panel", None) or "Commands", []).append(
                (name, command.get_short_help_str(limit=200))
            )
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)
