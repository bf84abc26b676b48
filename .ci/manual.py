"""Writes what is generated from the commands: docs/man/grade.1, docs/cli-reference.md and the table of exit codes.

Only names, metavars, help and examples are taken from the commands, so that the pages are the same whichever version
of Typer is installed. A test fails when they differ from what is committed; `make manual` writes them.
"""
# ruff: noqa: INP001 - a script

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from gradebox.graders.cli.commands.grade import app
from gradebox.graders.cli.help import examples_of
from gradebox.graders.errors import ExitCode

ROOT = Path(__file__).resolve().parents[1]
MAN = ROOT / "docs" / "man" / "grade.1"
REFERENCE = ROOT / "docs" / "cli-reference.md"
EXIT_CODES = ROOT / "docs" / "exit-codes.md"

_ENVIRONMENT = {
    "DOCKER_HOST": "Address of the engine, unless --host gives it.",
    "NO_COLOR, FORCE_COLOR, COLUMNS": "No colours; colours even without a terminal; the width of tables.",
}


@dataclass(frozen=True, slots=True)
class Word:
    """An option or an argument.

    Attributes:
        names: As it is written, such as ``-c, --case``; the metavar of an argument.
        metavar: What follows it; empty for a flag.
    """

    names: str
    metavar: str
    help: str
    section: str


@dataclass(frozen=True, slots=True)
class Page:
    """What the help of one command says."""

    name: str
    arguments: tuple[Word, ...]
    options: tuple[Word, ...]
    paragraphs: tuple[str, ...]
    examples: tuple[str, ...]
    subcommands: tuple[str, ...] = ()

    @property
    def usage(self) -> str:
        """The call in one line."""
        words = ["[OPTIONS]", *(argument.names for argument in self.arguments)]
        return " ".join([self.name, *words, *(["COMMAND ..."] if self.subcommands else [])])


def pages() -> list[Page]:
    """Return all commands, ``grade`` itself first."""
    return list(_walk(typer.main.get_command(app), "grade"))


def _walk(command: Any, name: str) -> Iterator[Page]:
    context = command.context_class(command, info_name=name)
    words = [_word(parameter) for parameter in command.get_params(context)]
    names = command.list_commands(context) if hasattr(command, "list_commands") else []
    subcommands = {subcommand: command.get_command(context, subcommand) for subcommand in names}
    yield Page(
        name,
        tuple(word for word, kind in words if kind == "argument"),
        tuple(word for word, kind in words if kind == "option" and word.names != "--help"),
        tuple(" ".join(paragraph.split()) for paragraph in (command.help or "").strip().split("\n\n")),
        tuple(examples_of(command.epilog)),
        tuple(f"{name} {subcommand}" for subcommand in subcommands),
    )
    for subcommand, inner in subcommands.items():
        yield from _walk(inner, f"{name} {subcommand}")


def _word(parameter: Any) -> tuple[Word, str]:
    kind: str = parameter.param_type_name
    text: str = parameter.help or ""
    if parameter.default not in (None, 0, "") and not isinstance(parameter.default, bool):
        text += f" Default: {parameter.default}."
    if kind == "argument":
        name = parameter.metavar or parameter.name.upper()
        name = name if parameter.required else f"[{name}]"
        return Word(f"{name}..." if parameter.nargs == -1 else name, "", text, ""), kind
    names = ", ".join(sorted([*parameter.opts, *parameter.secondary_opts], key=len))
    return Word(names, parameter.metavar or "", text, getattr(parameter, "rich_help_panel", None) or "Other"), kind


def _sections(options: tuple[Word, ...]) -> dict[str, list[Word]]:
    found: dict[str, list[Word]] = {}
    for option in options:
        found.setdefault(option.section, []).append(option)
    return found


def exit_codes() -> str:
    """Return docs/exit-codes.md with the table of `gradebox.graders.exit_codes.ExitCode`."""
    page = EXIT_CODES.read_text("utf-8")
    rows = [f"| {code.value} | {_cell(code.meaning)} |" for code in ExitCode]
    table = "\n".join(["| code | meaning |", "|---|---|", *rows, ""])
    return re.sub(r"^\| code \| meaning \|\n(?:\|.*\n)+", lambda _: table, page, count=1, flags=re.MULTILINE)


def markdown() -> str:
    """Return the reference of all commands."""
    return "\n".join(_markdown()).rstrip() + "\n"


def _markdown() -> Iterator[str]:
    yield "# Command reference\n"
    yield "All commands with their options. `--help` after any command shows the same; `man grade` has it on one page."
    yield "[Exit codes](exit-codes.md) have their own page. This page is generated: `make manual`.\n"
    for page in pages():
        yield f"## {page.name}\n"
        yield f"    {page.usage}\n"
        for paragraph in page.paragraphs:
            yield f"{paragraph}\n"
        if page.name != "grade" and page.subcommands:
            yield f"Its commands: {', '.join(f'`{name}`' for name in page.subcommands)}.\n"
        if page.arguments:
            yield "| argument | meaning |\n|---|---|"
            yield from (f"| `{word.names}` | {_cell(word.help)} |" for word in page.arguments)
            yield ""
        if page.name == "grade":
            for title, options in _sections(page.options).items():
                yield f"### {title}\n"
                yield from _table(options)
        elif page.options:
            yield from _table(list(page.options))
        yield "```sh"
        yield from page.examples
        yield "```\n"


def _table(options: list[Word]) -> Iterator[str]:
    yield "| option | meaning |\n|---|---|"
    for word in options:
        yield f"| `{f'{word.names} {word.metavar}'.strip()}` | {_cell(word.help)} |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


def man() -> str:
    """Return the page for man."""
    return "\n".join(_man()) + "\n"


def _man() -> Iterator[str]:
    first, *others = pages()
    yield '.\\" Generated: make manual'
    yield '.TH GRADE 1 "" "gradebox" "User Commands"'
    yield from (".SH NAME", f"grade \\- {_roff(_clause(first.paragraphs[0]))}")
    yield ".SH SYNOPSIS"
    yield "\\fBgrade\\fR [\\fIOPTIONS\\fR] \\fB\\-\\-case\\fR \\fIPATH\\fR ..."
    yield from (".br", "\\fBgrade\\fR \\fICOMMAND\\fR ...")
    yield ".SH DESCRIPTION"
    yield from _paragraphs(first.paragraphs[1:])
    for title, options in _sections(first.options).items():
        yield f'.SH "{_roff(title).upper()}"'
        yield from _list(options)
    yield ".SH COMMANDS"
    for page in others:
        yield f'.SS "{_roff(page.usage)}"'
        yield from _paragraphs(page.paragraphs)
        yield from _list([*page.arguments, *page.options])
        yield from _lines(page.examples)
    yield '.SH "EXIT STATUS"'
    for code in ExitCode:
        yield from (".TP", f".B {code.value}", _roff(code.meaning.replace("`", "")))
    yield ".SH ENVIRONMENT"
    for name, meaning in _ENVIRONMENT.items():
        yield from (".TP", f".B {name}", _roff(meaning))
    yield ".SH FILES"
    yield from (".TP", ".I runs/", "Run directories: verdicts, one per line, and the output of the commands.")
    yield ".SH EXAMPLES"
    yield from _lines(first.examples)


def _paragraphs(paragraphs: tuple[str, ...]) -> Iterator[str]:
    for paragraph in paragraphs:
        yield from (".PP", _roff(paragraph))


def _list(words: list[Word]) -> Iterator[str]:
    for word in words:
        metavar = f" \\fI{_roff(word.metavar)}\\fR" if word.metavar else ""
        yield from (".TP", f"\\fB{_roff(word.names)}\\fR{metavar}", _roff(word.help))


def _lines(lines: tuple[str, ...]) -> Iterator[str]:
    yield from (".PP", ".nf", ".RS 4", *(_roff(line) for line in lines), ".RE", ".fi")


def _clause(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def _roff(text: str) -> str:
    """Return text that is nothing but text to a typesetter."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("~", "\\(ti")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


def main() -> None:
    """Write all of them."""
    MAN.parent.mkdir(exist_ok=True)
    MAN.write_text(man(), "utf-8")
    REFERENCE.write_text(markdown(), "utf-8")
    EXIT_CODES.write_text(exit_codes(), "utf-8")


if __name__ == "__main__":
    main()
