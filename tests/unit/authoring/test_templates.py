"""The cases that ``grade init`` creates."""

from __future__ import annotations

from pathlib import Path

import pytest
from grading_bench import write

from gradebox.graders import languages
from gradebox.graders.authoring.quality_gradings import plan_gradings
from gradebox.graders.authoring.templates import check_templates, template_files, with_template
from gradebox.graders.cases import load


@pytest.mark.parametrize("language", with_template())
def test_a_template_is_a_case_without_mistakes(tmp_path: Path, language: str) -> None:
    write(tmp_path, template_files(language))
    loaded = load(tmp_path)
    assert loaded.diagnostics == ()
    planned = plan_gradings(loaded.cases[0], 1)
    assert planned.findings == ()
    assert len(planned.gradings) == 5


def test_a_template_of_a_check_is_a_case_without_mistakes(tmp_path: Path) -> None:
    assert check_templates() == ("io",)
    write(tmp_path, template_files("python", "io"))
    loaded = load(tmp_path)
    assert loaded.diagnostics == ()
    assert [len(check.tests) for check in loaded.cases[0].checks] == [4]  # type: ignore[attr-defined]


def test_all_of_our_languages_have_one() -> None:
    assert set(with_template()) == {name for name in languages.names() if languages.is_own(name)}
