"""The Dockerfile of an image with packages."""

from __future__ import annotations

import json

from gradebox.sandbox.images.dockerfile import buildkit_needs, instructions
from gradebox.sandbox.images.packages import dockerfile


def made(apt: tuple[str, ...] = (), pip: tuple[str, ...] = (), npm: tuple[str, ...] = ()) -> str:
    return dockerfile(apt=apt, pip=pip, npm=npm, stage_label="a=b")


def test_names_are_arguments_and_never_text_of_a_shell() -> None:
    text = made(apt=("$(touch /x)",), pip=("; touch /y",), npm=('"`touch /z`',))
    runs = [json.loads(one.text) for one in instructions(text) if one.name == "RUN"]

    assert [run[4:] for run in runs if run[4:]] == [["$(touch /x)"], ["; touch /y"], ['"`touch /z`']]
    assert not any("touch /x" in run[2] or "touch /y" in run[2] or "touch /z" in run[2] for run in runs)


def test_the_classic_builder_understands_it() -> None:
    assert buildkit_needs(made(("a",), ("b",), ("c",))) == ()


def test_a_package_manager_that_is_not_needed_is_not_installed() -> None:
    assert "pip" not in made(apt=("a",))
    assert "npm" not in made(pip=("a",))
