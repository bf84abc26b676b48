"""Additional files that a cheat brings. Pure.

They are configuration that runners and interpreters load at their start, modules and programs that replace those of
graders, and files that replace the graders themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from gradebox.graders import languages
from gradebox.graders.authoring.attack.programs import forged
from gradebox.graders.authoring.attack.surface import Surface
from gradebox.graders.model.tree import parents
from gradebox.sandbox.archive import ArchiveEntry, check_path, file_entry

_USUAL_PROGRAMS = (
    "python3", "python", "pytest", "node", "bun", "diff", "bash", "sh", "julia", "test", "grep", "cat", "cmp",
)  # fmt: skip


def control_files(surface: Surface) -> Iterator[tuple[str, str]]:
    """Yield files that runners and interpreters load before they load any test."""
    directories = sorted({"", *(f"{path.rpartition('/')[0]}/" for path in surface.scripts if "/" in path)})
    for name in languages.names():
        if (cheating := languages.get(name).cheating()) is not None:
            yield from cheating.control_files(forged(name), directories)


def modules(surface: Surface) -> Iterator[tuple[str, str]]:
    """Yield modules that have the names of the graders' imports, at the top of the workspace."""
    for name in surface.imports:
        yield f"{name}.py", forged("python")


def modules_beside_graders(surface: Surface) -> Iterator[tuple[str, str]]:
    """Yield modules that have the names of the graders' imports, beside the graders."""
    for directory in sorted(
        {path.rpartition("/")[0] for path in surface.scripts if path.endswith(".py") and "/" in path}
    ):
        for name in surface.imports:
            yield f"{directory}/{name}.py", forged("python")


def graders(surface: Surface) -> Iterator[tuple[str, str]]:
    """Yield files that replace graders and tests, and copies at the workspace's root of those in a directory."""
    for path in surface.scripts:
        language = languages.of_fence(path.rpartition(".")[2])
        text = forged(language.name if language else "javascript")
        yield path, text
        if "/" in path:
            yield path.rpartition("/")[2], text


def programs_on_the_path(surface: Surface) -> Iterator[tuple[str, str]]:
    """Yield programs in the directories in which the case looks up programs."""
    named = {word for word in surface.commands if word.replace("-", "").isalnum() and len(word) < 30}
    for directory in surface.program_directories:
        for name in sorted({*named, *_USUAL_PROGRAMS}):
            yield f"{directory}/{name}".removeprefix("./"), forged("bash").replace("/usr/bin/env bash", "/bin/sh")


# By cheat: what it does, and the function that yields its files.
PLANTED = MappingProxyType(
    {
        "plant/control-files": ("Brings configuration that test runners and interpreters load.", control_files),
        "plant/modules": ("Brings modules of the names that graders import.", modules),
        "plant/modules-beside-graders": ("Brings such modules beside the graders.", modules_beside_graders),
        "plant/graders": ("Brings files in the place of graders and tests.", graders),
        "path/programs": ("Brings programs where the case looks programs up.", programs_on_the_path),
    }
)


def planted(surface: Surface, name: str) -> Mapping[str, ArchiveEntry]:
    """Return the files that a cheat brings, by path; empty if the case has no place for them."""
    _, bring = PLANTED[name]
    brought = {file.path for file in surface.files}
    found = {path: text for path, text in bring(surface) if path not in brought and check_path(path) is None}
    # A file cannot lie below another file.
    kept = {
        path: text
        for path, text in found.items()
        if not any(parent in found or parent in brought for parent in parents(path))
    }
    return {path: file_entry(path, text.encode(), mode=0o755) for path, text in kept.items()}
