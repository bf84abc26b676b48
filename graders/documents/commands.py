"""The forms of commands in a document, and their conversion to `CommandSpec`.

A list has the words of one command, a text is a line for ``sh -c``, and a mapping adds settings. `setup` and `teardown`
take one command or a list of commands. ``{{workspace_path}}`` is the path of the workspace in the sandbox.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, ValidationInfo

from gradebox.graders.documents.entries import Entry, WrittenAs, also, by_shape, optional
from gradebox.graders.documents.fields import Env, Flag, Seconds, ShellText, Word, WorkspacePath
from gradebox.graders.documents.scalars import Trap
from gradebox.graders.documents.validators import Before, context, refused
from gradebox.graders.model.case import CommandSpec
from gradebox.sandbox.types import WORKSPACE

_WORKSPACE_PATH = re.compile(r"\{\{\s*workspace_path\s*\}\}")

# Operators of a shell between two commands, before a file, and anywhere.
_BETWEEN, _BEFORE_FILE = frozenset({"|", ";", "&"}), frozenset({">", ">>", "2>", "2>>", "&>", "<"})
_ANYWHERE = frozenset({"&&", "||", "2>&1", "1>&2", ">&2"})
_FILTERS = frozenset({"awk", "cat", "cut", "diff", "grep", "head", "jq", "sed", "sort", "tail", "tee", "tr", "wc"})
# Programs that use some of these words as their own operators.
_EXPRESSIONS = frozenset({"[", "test", "expr", "find"})


def _without_operators(value: Any, info: ValidationInfo) -> Any:
    """Refuse shell operators among the words of a command, which runs without a shell; warn if they may be intended."""
    words = value if isinstance(value, list) and info.context is not None else []
    for before, word, after in zip(words, words[1:], [*words[2:], ""], strict=False):
        if not isinstance(word, str) or word not in _BETWEEN | _BEFORE_FILE | _ANYWHERE:
            continue
        message = f"has the word `{word}`, which the program gets as an argument: a list is run without a shell"
        hint = "Write the command as one text, or as [sh, -c, LINE]."
        is_file = word in _BEFORE_FILE and isinstance(after, str) and ("/" in after or "." in after)
        is_own = str(words[0]) in _EXPRESSIONS
        is_meant = is_own or str(before).startswith("-")
        if word in _ANYWHERE or (not is_meant and (is_file or (word == "|" and str(after) in _FILTERS))):
            raise refused(message, hint)
        if not is_own:
            context(info).notes.append((value, f"the command {message}", hint))
    return value


Argv = Annotated[list[Word], Field(min_length=1), Before(_without_operators, informed=True)]
CommandLine = Annotated[
    Annotated[ShellText, Tag("|text")] | Annotated[Argv, Tag("|list")],
    by_shape("must be a command line or a list of words", "text", "list"),
]


class CommandEntry(Entry):
    """A command with its settings."""

    command: CommandLine = Field(validation_alias=also("script"), description="A list of words, or a line for `sh -c`.")
    timeout_seconds: Seconds | None = optional("Limit of processor time for this command.")
    cwd: WorkspacePath | None = optional("Where it runs, relative to the workspace.")
    env: Env = optional("Variables that are added to its environment.", default_factory=dict)


class SetupEntry(CommandEntry):
    """A command of `setup`; `gradable` says whether its failure counts against the candidate."""

    gradable: Flag = optional("Whether a failure counts as a failed verdict, not as an error.", default=False)


OneCommand = Annotated[
    Annotated[ShellText, Tag("|text")] | Annotated[Argv, Tag("|list")] | Annotated[CommandEntry, Tag("|mapping")],
    by_shape("must be a command", "text", "list", "mapping"),
]
_OneSetup = Annotated[
    Annotated[ShellText, Tag("|text")] | Annotated[Argv, Tag("|list")] | Annotated[SetupEntry, Tag("|mapping")],
    by_shape("must be a command", "text", "list", "mapping"),
]


def _shape_of_commands(value: Any) -> str | None:
    """Distinguish one command from a list of commands: a list of words is one command, as in other fields."""
    if isinstance(value, (str, Trap)):
        return "|text"
    if isinstance(value, dict):
        return "|mapping"
    if not isinstance(value, list):
        return None
    if not all(isinstance(part, str) for part in value):
        words = all(not isinstance(part, (list, dict)) for part in value)
        return "|words" if words else "|list"
    return "|list" if value and _several_words(value[0]) else "|words"


def _refuse_two_readings(value: Any) -> Any:
    """Refuse a list such as ``["./prepare.sh", "python x.py"]``.

    Authors may mean a list of command lines, but we would read the words of one command, and lose the second line
    without a message. Words with spaces are normal only after an option (``sh -c "..."``).
    """
    if isinstance(value, list) and value and _shape_of_commands(value) == "|words":
        texts = [part if isinstance(part, str) else "" for part in value]
        if any(_several_words(word) and not before.startswith("-") for before, word in pairwise(texts)):
            hint = "Write [[word, word]] for one command, or `- command: ...` for each of several."
            raise refused("can be read as one command or as several", hint)
    return value


def _several_words(text: str) -> bool:
    return any(char.isspace() for char in text.strip())


def _one(command: Any) -> list[Any]:
    return [command]


_SHAPES: Any = "must be a command or a list of commands"
_by_shape_of_commands = Discriminator(_shape_of_commands, custom_error_type="shape", custom_error_message=_SHAPES)
Setup = Annotated[
    Annotated[ShellText, AfterValidator(_one), Tag("|text")]
    | Annotated[Argv, AfterValidator(_one), Tag("|words")]
    | Annotated[list[_OneSetup], Tag("|list")]
    | Annotated[SetupEntry, AfterValidator(_one), Tag("|mapping")],
    _by_shape_of_commands,
    BeforeValidator(_refuse_two_readings),
]
Commands = Annotated[
    Annotated[ShellText, AfterValidator(_one), Tag("|text")]
    | Annotated[Argv, AfterValidator(_one), Tag("|words")]
    | Annotated[list[OneCommand], Tag("|list")]
    | Annotated[CommandEntry, AfterValidator(_one), Tag("|mapping")],
    _by_shape_of_commands,
    BeforeValidator(_refuse_two_readings),
]


def command_spec(written: str | list[str] | CommandEntry) -> CommandSpec:
    if isinstance(written, str):
        return CommandSpec(argv=("sh", "-c", _filled(written)), shell=True)  # noqa: S604 - in the sandbox
    if isinstance(written, list):
        return CommandSpec(argv=tuple(map(_filled, written)))
    plain = command_spec(written.command)
    return CommandSpec(plain.argv, plain.shell, written.cwd or "", dict(written.env), written.timeout_seconds)


def _filled(text: str) -> str:
    """Replace ``{{workspace_path}}`` by the path of the workspace."""
    return _WORKSPACE_PATH.sub(WORKSPACE, text) if "{{" in text else text


def command_specs(written: Any) -> tuple[CommandSpec, ...]:
    """Convert the value of a `Setup` or `Commands` field, which is always a list of commands."""
    return tuple(command_spec(command) for command in written or ())


# For models that store converted commands.
Command = Annotated[CommandSpec, WrittenAs(OneCommand, command_spec)]
CommandList = Annotated[tuple[CommandSpec, ...], WrittenAs(Commands, command_specs)]
