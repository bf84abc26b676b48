"""Options of `grade` alone: each is in a section of the help, once."""

from __future__ import annotations

from typing import get_args

import pytest

from gradebox.graders.cli import grade_options
from gradebox.graders.cli.options import INPUT, MESSAGES, RESULTS, RUN, SELECTION

OPTIONS = {name: get_args(value)[1] for name, value in vars(grade_options).items() if name.endswith("Option")}


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_is_in_a_section_and_its_help_is_a_sentence(name: str) -> None:
    found = OPTIONS[name]
    assert found.rich_help_panel in {INPUT, SELECTION, RUN, RESULTS, MESSAGES}
    assert found.help[0].isupper()
    assert found.help.endswith(".")


def test_no_two_options_have_a_name_in_common() -> None:
    names = [name for option in OPTIONS.values() for name in option.param_decls]
    assert len(names) == len({*names})
