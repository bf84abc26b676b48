"""The cases that ``grade init`` creates."""

from __future__ import annotations

from pathlib import Path

import pytest
from grading_bench import write

from graders.authoring.quality_gradings import plan_gradings
from graders.authoring.templates import LANGUAGES, template_files
from graders.cases import load


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_template_is_a_case_without_mistakes(tmp_path: Path, language: str) -> None:
    write(tmp_path, template_files(language))
    loaded = load(tmp_path)
    assert loaded.diagnostics == ()
    planned = plan_gradings(loaded.cases[0], 1)
    assert planned.findings == ()
    assert len(planned.gradings) == 4


def test_there_are_templates_for_every_directory_of_them() -> None:
    import graders.authoring.templates as package

    root = Path(package.__file__).parent
    assert {path.name for path in root.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(LANGUAGES)
