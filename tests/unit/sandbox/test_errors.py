"""Every error is a sentence with a remedy, and has its place in the tree."""

from __future__ import annotations

import re

import pytest

from gradebox.sandbox import errors
from gradebox.sandbox.errors import (
    EngineRefused,
    ImageUnavailable,
    NameTaken,
    SandboxError,
    SandboxLost,
    SandboxSilent,
    WorkspaceRefused,
)

CLASSES = [found for found in vars(errors).values() if isinstance(found, type) and issubclass(found, SandboxError)]


def test_a_message_is_followed_by_its_remedy() -> None:
    assert str(SandboxError("It broke.")) == "It broke."
    error = SandboxError("It broke.", remedy="Mend it.")
    assert (str(error), error.message, error.remedy) == ("It broke. Mend it.", "It broke.", "Mend it.")


@pytest.mark.parametrize("error", CLASSES)
def test_the_tree_in_the_docstring_has_every_error(error: type[SandboxError]) -> None:
    assert re.search(rf"-- {error.__name__} |^    {error.__name__}$", errors.__doc__ or "", re.MULTILINE)


def test_special_cases_are_cases_of_the_general_one() -> None:
    assert issubclass(NameTaken, EngineRefused)
    assert issubclass(SandboxSilent, SandboxLost)
    assert (NameTaken("a", status=409).status, EngineRefused("a").status) == (409, 0)
    assert WorkspaceRefused("Full.", errno=28).errno == 28


@pytest.mark.parametrize(
    ("image", "remedy"),
    [
        ("gradebox/python:0.2.0", "Run `grade images build python`."),
        ("ghcr.io/a/b:1", "Run `docker pull ghcr.io/a/b:1`, or build it."),
        ("python:3", "Run `docker pull python:3`, or build it. Names of gradebox's own images begin with"),
    ],
)
def test_the_error_for_a_missing_image_says_how_to_get_it(image: str, remedy: str) -> None:
    assert str(ImageUnavailable.missing(image)).startswith(f"The engine has no image {image}. {remedy}")
