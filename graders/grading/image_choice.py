"""Chooses the image of a case that names none, by its language or by the programs of its checks. Pure."""

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
    """Return the image of a case: its own, else an image for its language, else one for the programs that it runs.

    If the case describes how to build its image, this is a text for people (`case_images` builds the image).

    Without image and language, the first language or program that the checks need and that has an image of gradebox
    decides: ``bun test`` needs bun. If there is none, it is the base image.
    """
    if case.image is not None:
        return case.image if isinstance(case.image, str) else f"an image of {case.image}"
    from gradebox.graders.languages.image_catalogue import image_catalogue  # noqa: PLC0415 - after the engine has answered
    from gradebox.sandbox.images.recipes import reference  # noqa: PLC0415

    needed = list(_needed(case))
    if case.language:
        own = languages.get(case.language)
        needed = [*({*own.fuller.values()} & {*needed}), own.image]
    # Bun's image also contains Python.
    name = "bun" if {"bun", "python"} <= {*needed} else next(iter(needed), "base")
    return reference(name) if name in image_catalogue().names else name


def with_services(case: Case) -> Iterator[Case]:
    """Yield the case, and a copy with the image of each of its services, so as to list all images that it needs."""
    yield case
    yield from (replace(case, image=service.image, services=()) for service in case.services)


def _needed(case: Case) -> Iterator[str]:
    for check in case.checks:
        # The language of items, calls and programs.
        language = getattr(check, "language", "")
        if language and not languages.get(language).is_shell:
            yield languages.get(language).image
        yield from _with_programs(evaluation.commands(check))
    own = (*case.setup, *(hook.command for hook in case.hooks), *(found.command for found in case.preprocessors))
    yield from _with_programs(own)


def _with_programs(commands: Iterable[CommandSpec]) -> Iterator[str]:
    for command in commands:
        for found in invocations(command.argv):
            # If no image is known for the started program, the launcher decides.
            needed = map(_image_of, (found.words[0], *found.launchers))
            yield from islice(filter(None, needed), 1)


def _image_of(program: str) -> str | None:
    """Return the image that a program needs, by its name or, for a script, by its suffix."""
    suffix = PurePosixPath(program).suffix.removeprefix(".")
    script = languages.of_fence(suffix) if suffix else None
    return script.image if script and not script.is_shell else languages.image_of_program(program)
