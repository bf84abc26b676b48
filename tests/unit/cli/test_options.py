"""The options that several commands share read alike, and no two share a name."""

from __future__ import annotations

from collections import Counter
from typing import Any, get_args

import pytest
import typer.models

from gradebox.graders.cli import options

SHARED: dict[str, Any] = {
    name: get_args(value)[1] for name, value in vars(options).items() if name.endswith(("Option", "Argument"))
}


def test_there_are_shared_options() -> None:
    assert len(SHARED) > 8


@pytest.mark.parametrize("name", SHARED)
def test_the_help_of_an_option_is_a_sentence(name: str) -> None:
    text = SHARED[name].help
    assert text[0].isupper()
    assert text.endswith(".")
    assert "  " not in text


def test_no_two_options_have_the_same_flag() -> None:
    flags = [
        flag
        for info in SHARED.values()
        if isinstance(info, typer.models.OptionInfo)
        for declared in info.param_decls or ()
        for flag in declared.split("/")
    ]
    assert [flag for flag, count in Counter(flags).items() if count > 1] == []


def test_an_option_is_declared_as_help_shows_it() -> None:
    found = options.option("Run", "--jobs -j N", "How many.", min=1)
    # Typer takes the first name for a default until it knows better.
    assert (found.default, found.param_decls, found.metavar, found.min) == ("--jobs", ("-j",), "N", 1)
    assert options.option(None, "--quiet", "Less.").metavar is None
