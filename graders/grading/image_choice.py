"""Which image a case is graded in where it names none: decided by its language, or by what its checks run. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from graders import languages
from graders.checks import evaluation
from graders.model.case import Case, CommandSpec

_JOINTS = re.compile(r"&&|\|\||[;|&\n]")


def image_of(case: Case) -> str:
    """Return the image that a case is graded in: its own, else its language's, else that of what it runs.

    A case that names neither image nor language is graded in the image of the first language of items or program that
    its checks need and one of our images is for: ``bun test`` needs bun. The base image has none of these.
    """
    if case.image is not None:
        return case.image
    from sandbox.images import recipes  # noqa: PLC0415 - after the engine has answered

    needed = [languages.get(case.language).image] if case.language else list(_needed(case))
    # Of these two, Bun's has the other's program as well.
    name = "bun" if {"bun", "python"} <= {*needed} else next(iter(needed), "base")
    return recipes.reference(name) if name in recipes.NAMES else name


def _needed(case: Case) -> Iterator[str]:
    for check in case.checks:
        # Of items and of calls; for others it would be no name of ours.
        language = getattr(check, "language", "bash")
        if language != "bash":
            yield languages.get(language).image
        yield from _with_programs(evaluation.commands(check))
    own = (*case.setup, *(hook.command for hook in case.hooks), *(found.command for found in case.preprocessors))
    yield from _with_programs(own)


def _with_programs(commands: Iterable[CommandSpec]) -> Iterator[str]:
    for command in commands:
        yield from filter(None, map(_image_of, programs_of(command)))


def _image_of(program: str) -> str | None:
    """Return the image that a program needs, by its name or, for a script, by its suffix."""
    suffix = PurePosixPath(program).suffix.removeprefix(".")
    script = languages.of_fence(suffix) if suffix else None
    # Every image has a shell.
    return script.image if script and script.name != "bash" else languages.image_of_program(program)


def programs_of(command: CommandSpec) -> Iterator[str]:
    """Yield the programs that a command runs: its first word, or the first word of each part of a line for a shell.

    Of ``npx``, it is the program that this runs.
    """
    # In a line for a shell, words such as NAME=value before a program set its environment.
    lines = [part.split() for part in _JOINTS.split(command.argv[-1])] if command.shell else [command.argv]
    for line in lines:
        words = [word for word in line if not (command.shell and "=" in word) and not word.startswith("-")]
        runs_another = words[:1] == ["npx"] and len(words) > 1 and languages.image_of_program(words[1])
        yield from words[1:2] if runs_another else words[:1]
