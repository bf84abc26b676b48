"""``grade init``: a new case is sound, and nothing is overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Grade
from grading_bench import write

from gradebox.graders.authoring.templates import with_template
from gradebox.graders.cases import load
from gradebox.graders.errors import ExitCode


@pytest.mark.parametrize("language", with_template())
def test_a_new_case_has_no_mistakes(grade: Grade, no_engine: None, language: str) -> None:
    ran = grade("init", "new", "--language", language)
    assert (ran.code, "grade check new" in ran.err) == (ExitCode.PASSED, True)
    loaded = load(Path("new"))
    assert (loaded.diagnostics, [case.language for case in loaded.cases]) == ((), [language])
    assert grade("validate", "new", "--strict").code == ExitCode.PASSED


def test_nothing_that_is_there_is_overwritten(grade: Grade, tmp_path: Path) -> None:
    write(tmp_path, {"full/notes": "mine", "file": "mine"})
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("full", "file", "link"):
        assert grade("init", name).code == ExitCode.USAGE
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "full", "link", "notes"]
    (tmp_path / "empty").mkdir()
    assert grade("init", "empty").code == ExitCode.PASSED


def test_a_name_that_is_no_id_is_refused_before_anything_is_written(grade: Grade, tmp_path: Path) -> None:
    ran = grade("init", "my case")
    assert (ran.code, "`my case` cannot be the id of a case" in ran.err) == (ExitCode.USAGE, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("template", ["class", "io", "judge", "pytest"])
def test_a_case_for_a_purpose_has_no_mistakes(grade: Grade, no_engine: None, template: str) -> None:
    assert grade("init", "new", "--template", template).code == ExitCode.PASSED
    assert grade("validate", "new", "--strict").code == ExitCode.PASSED


def test_an_unknown_template_is_refused_with_a_guess(grade: Grade) -> None:
    ran = grade("init", "new", "--template", "klass")
    assert (ran.code, "Did you mean `class`?" in ran.err) == (ExitCode.USAGE, True)


def test_a_case_in_a_project_with_schemas_names_its_schema(grade: Grade, tmp_path: Path) -> None:
    assert grade("schema", "--install").code == ExitCode.PASSED
    assert grade("init", "new").code == ExitCode.PASSED
    first, second, *_ = (tmp_path / "new/case.yaml").read_text().splitlines()
    assert first == "# yaml-language-server: $schema=../.gradebox/case.schema.json"
    assert second.startswith("# A case for `grade`")
    assert load(Path("new")).diagnostics == ()


def test_a_project_becomes_a_case_without_an_engine_if_nothing_is_checked(
    grade: Grade, no_engine: None, tmp_path: Path
) -> None:
    write(
        tmp_path / "project",
        {"shop.py": "x = 1\n", "test_shop.py": "import shop\n", "requirements.txt": "six==1.16.0\n"},
    )
    ran = grade("init", "new", "--from", "project", "--no-check")
    assert (ran.code, "to be written: shop.py" in ran.err) == (ExitCode.PASSED, True)
    text = (tmp_path / "new/case.yaml").read_text()
    assert 'image: {base: python, pip: ["six==1.16.0"]}' in text
    assert "# Not measured" in text
    assert grade("validate", "new").code == ExitCode.PASSED
    assert grade("init", "new", "--from", "project", "--no-check").code == ExitCode.USAGE


def test_a_dockerfile_of_a_project_builds_the_image(grade: Grade, no_engine: None, tmp_path: Path) -> None:
    write(tmp_path / "project", {"shop.py": "x = 1\n", "test_shop.py": "import shop\n", "Dockerfile": "FROM debian\n"})
    assert grade("init", "new", "--from", "project", "--no-check").code == ExitCode.PASSED
    assert "image: {dockerfile: workspace/Dockerfile, context: workspace}" in (tmp_path / "new/case.yaml").read_text()


def test_a_project_has_its_own_language(grade: Grade, tmp_path: Path) -> None:
    assert grade("init", "new", "--from", ".", "--language", "bash").code == ExitCode.USAGE
    assert not (tmp_path / "new").exists()
