"""Which image a case is graded in where it names none: decided by its language, or by what its checks run. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import PurePosixPath

from gradebox.graders import languages
from gradebox.graders.checks import evaluation
from gradebox.graders.documents.command_lines.invocations import invocations
from gradebox.graders.model.case import Case, CommandSpec


def image_of(case: Case) -> str:
    """Return the image that a case is graded in: its own, else one of its language's, else that of what it runs.

    Where the case says how its image is built, this is a text for people (`case_images` builds it).

    A case that names neither image nor language is graded in the image of the first language of items or program that
    its checks need and one of our images is for: ``bun test`` needs bun. The base image has none of these.
    """
    if case.image is not None:
        return case.image if isinstance(case.image, str) else f"an image of {case.image}"
    from gradebox.graders.languages.image_catalogue import image_catalogue  # noqa: PLC0415 - after the engine has answered
    from gradebox.sandbox.images.recipes import reference  # noqa: PLC0415

    needed = list(_needed(case))
    if case.language:
        own = languages.get(case.language)
        needed = [*({*own.fuller.values()} & {*needed}), own.image]
    # Of these two, Bun's has the other's program as well.
    name = "bun" if {"bun", "python"} <= {*needed} else next(iter(needed), "base")
    return reference(name) if name in image_catalogue().names else name


def with_services(case: Case) -> Iterator[Case]:
    """Yield a case, and for each of its services one whose image is the service's: all images that it needs."""
    yield case
    yield from (replace(case, image=service.image, services=()) for service in case.services)


def _needed(case: Case) -> Iterator[str]:
    for check in case.checks:
        # Of items and of calls; for others it would be no name of ours.
        language = getattr(check, "language", "")
        if language and not languages.get(language).is_shell:
            yield languages.get(language).image
        yield from _with_programs(evaluation.commands(check))
    own = (*case.setup, *(hook.command for hook in case.hooks), *(found.command for found in case.preprocessors))
    yield from _with_programs(own)


def _with_programs(commands: Iterable[CommandSpec]) -> Iterator[str]:
    for command in commands:
        for found in invocations(command.argv):
            # A launcher is needed where nothing is known of what it starts.
            needed = map(_image_of, (found.words[0], *found.launchers))
            yield from islice(filter(None, needed), 1)


def _image_of(program: str) -> str | None:
    """Return the image that a program needs, by its name or, for a script, by its suffix."""
    suffix = PurePosixPath(program).suffix.removeprefix(".")
    script = languages.of_fence(suffix) if suffix else None
    return script.image if script and not script.is_shell else languages.image_of_program(program)
