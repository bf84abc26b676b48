"""What users see of the command line: commands by name, help in sections, examples, and messages about mistakes.

Typer parses the words. A command is imported when it is called, and slow modules are imported only when they are
needed, so that `grade --help` answers at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from gradebox.graders.errors import UsageRefused

_Kind = TypeVar("_Kind", bound=StrEnum)

# Typer exports this class under no name that all its versions share, so we take it as the base of one it exports.
UsageMistake: type[Any] = typer.BadParameter.__mro__[1]

# The commands in the order in which help lists them; each is a module of `gradebox.graders.cli.commands`.
SECTIONS = MappingProxyType(
    {
        "Commands for cases": ("init", "validate", "plan", "check", "attack", "mutants", "list", "schema"),
        "Commands for runs": ("report", "show", "compare", "merge", "regrade", "export-judgments", "runs", "view"),
        "Other commands": ("doctor", "images", "completion", "help"),
    }
)
_EXAMPLES = "\b\nExamples:\n"
_OTHER = "Other"


def command_app(**settings: Any) -> typer.Typer:
    """Return the Typer application of a command or a group of commands, with the settings that all share."""
    return typer.Typer(
        # Plain help looks the same in a pipe and on a narrow terminal.
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        pretty_exceptions_enable=False,
        **{"cls": Commands, "add_completion": False, **settings},
    )


def examples(*lines: str) -> str:
    """Return the end of a command's help, which shows examples of calls."""
    return _EXAMPLES + "\n".join(f"  {line}" for line in lines)


def examples_of(epilog: str | None) -> list[str]:
    """Return the example command lines from the end of a command's help."""
    return [line.strip() for line in (epilog or "").removeprefix(_EXAMPLES).splitlines()]


def one_of(kind: type[_Kind], name: str, word: str) -> _Kind:
    """Return the value that a word of the command line names. Raises UsageRefused if it names none."""
    if word not in list(kind):
        raise UsageRefused(f"{name} takes {listed(kind, 'or')}, not {word}.", remedy=did_you_mean(word, kind))
    return kind(word)


def listed(words: Iterable[str], last: str = "and") -> str:
    """Return words as people write them: ``a, b and c``."""
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question that suggests the most similar known word; empty if none is similar."""
    from gradebox.graders.documents.suggest import closest

    likely = closest(word, known)
    return f"Did you mean `{likely}`?" if likely else ""


# Typer's phrases about numbers, and ours.
_ALLOWED = {
    "greater than or equal to": "at least {}",
    "less than or equal to": "at most {}",
    "a valid integer": "a whole number",
}


def refused(mistake: Any) -> UsageRefused:
    """Return the error for a mistake that Typer found in a command line."""
    context = mistake.ctx
    where = f"`{context.command_path if context else 'grade'} --help`"
    option = getattr(mistake, "option_name", "")
    if option and type(mistake).__name__ == "NoSuchOption":
        known = (
            [name for parameter in context.command.get_params(context) for name in parameter.opts] if context else []
        )
        guess = did_you_mean(option, [name for name in known if name.startswith("--")])
        return UsageRefused(f'There is no option "{option}".', remedy=guess or f"{where} lists the options.")
    allowed = next((plain for text, plain in _ALLOWED.items() if text in getattr(mistake, "message", "")), "")
    if allowed and mistake.param:
        name, number = max(mistake.param.opts, key=len), mistake.message.rpartition(" ")[2]
        return UsageRefused(f"{name} must be {allowed.format(number)}.", remedy=f"{where} shows the usage.")
    message = mistake.format_message().rstrip()
    return UsageRefused(message if message.endswith(".") else f"{message}.", remedy=f"{where} shows the usage.")


class Commands(TyperGroup):
    """A group of commands whose help has sections, in plain text."""

    def get_params(self, ctx: Any) -> list[Any]:
        # Typer's own completion options change the user's shell configuration; `grade completion` only prints.
        return [
            parameter
            for parameter in super().get_params(ctx)
            if parameter.name not in {"install_completion", "show_completion"}
        ]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        known = self.list_commands(ctx)
        if name not in known and not name.startswith("-"):
            guess = did_you_mean(name, known)
            if not guess and ctx.parent is None and os.path.exists(name):  # noqa: PTH110 - pathlib takes long
                guess = f"To grade it, write `{ctx.command_path} --case {name}`."
            words = " ".join((*ctx.command_path.split()[1:], name))
            raise UsageRefused(
                f'There is no command "{words}".', remedy=guess or f"`{ctx.command_path} --help` lists the commands."
            )
        found = super().resolve_command(ctx, args)
        sources = {parameter.opts[0]: ctx.get_parameter_source(parameter.name) for parameter in self.params}
        given = [option for option, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
        if given:
            command = f"{ctx.command_path} {found[0]}"
            raise UsageRefused(
                f"{', '.join(given)} before `{found[0]}` would have no effect.",
                remedy=f"Write the options of `{command}` after it; `{command} --help` lists them.",
            )
        return found

    def sections(self, ctx: Any) -> dict[str, tuple[str, ...]]:
        """Return the names of the commands by the section in which help lists them."""
        return {"Commands": tuple(self.list_commands(ctx))}

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
        for title, names in self.sections(ctx).items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            rows = [(name, command.get_short_help_str(limit=200)) for name, command in commands if command]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def repeated_submissions(words: Iterable[str], commands: Iterable[str]) -> list[str]:
    """Return the words of a command line, with ``-s`` inserted before each further path after one ``-s``.

    A shell expands ``-s submissions/*`` to such a list. A word counts as a path only if that path exists. Words after
    the name of a command, such as ``grade plan``, stay unchanged.
    """
    found: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        found.append(word)
        if word in commands:
            break
        if word not in {"-s", "--submission"} or not left:
            continue
        found.append(left.pop(0))
        while left and not left[0].startswith("-") and os.path.lexists(left[0]):
            found += [word, left.pop(0)]
    return found + left


def _value_if_given(parameter: Any, process: Callable[[Any, Any], Any], ctx: Any, value: Any) -> Any:
    """Return the value of a parameter. Skip Typer's slow conversion for a default, which needs none."""
    source = ctx.get_parameter_source(parameter.name)
    if source is None or source.name != "DEFAULT" or parameter.callback is not None or parameter.required:
        return process(ctx, value)
    return () if value is None and parameter.multiple else value


class WithPluginOptions:
    """A command that also has the options of plug-ins. It stores those that were given in the context's `obj`."""

    params: list[Any]
    # `_extended`: `params` includes the options of plug-ins. `_plain`: the command line uses none of them.
    _extended = False
    _plain = False

    def get_params(self, ctx: Any) -> list[Any]:
        if not self._plain:
            self._extend()
        return super().get_params(ctx)  # type: ignore[misc, no-any-return]

    def _extend(self) -> None:
        """Add the options of plug-ins, which are slow to find."""
        if not self._extended:
            from gradebox.graders.cli.plugin_options import parameters

            self._extended = True
            self.params += parameters(self.params)

    def needs_no_plugin(self, args: list[str]) -> bool:
        """Return whether all options of a command line are the command's own."""
        known = {name for parameter in self.params for name in parameter.opts}
        return {word.partition("=")[0] for word in args if word.startswith("--") or word == "-h"} <= known

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        self._plain = not ctx.resilient_parsing and self.needs_no_plugin(args)
        if not self._plain:
            self._extend()
        left = super().parse_args(ctx, args)  # type: ignore[misc]
        ctx.obj = {}
        if self._extended:
            from gradebox.graders.cli.plugin_options import taken_from

            ctx.obj = taken_from(ctx.params)
        return left


class CommandWithPluginOptions(WithPluginOptions, TyperCommand):
    """A single command that also has the options of plug-ins."""


class Grade(WithPluginOptions, Commands):
    """The group of all commands: each is imported when it is called, completed or described."""

    def needs_no_plugin(self, args: list[str]) -> bool:
        return (bool(args) and args[0] in self.list_commands(None)) or super().needs_no_plugin(args)

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        parameter: Any
        for parameter in self.params:
            parameter.process_value = partial(_value_if_given, parameter, parameter.process_value)
        return super().parse_args(ctx, repeated_submissions(args, self.list_commands(ctx)))

    def sections(self, ctx: Any) -> dict[str, tuple[str, ...]]:  # noqa: ARG002 - the signature of the base class
        return dict(SECTIONS)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the signature of the base class
        return [name for names in SECTIONS.values() for name in names]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.list_commands(ctx):
            return None
        if cmd_name not in self.commands:
            command = typer.main.get_command(
                import_module(f"gradebox.graders.cli.commands.{cmd_name.replace('-', '_')}").app
            )
            command.name = cmd_name
            self.commands[cmd_name] = command
        return self.commands[cmd_name]
