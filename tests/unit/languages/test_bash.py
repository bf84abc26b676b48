"""Bash as a language of cases."""

from __future__ import annotations

from gradebox.graders.languages.bash import LANGUAGE


def test_it_needs_nothing_but_the_base_image() -> None:
    assert (LANGUAGE.image, LANGUAGE.programs, LANGUAGE.control_files, LANGUAGE.tools) == ("base", (), (), {})
