"""Test runners: those that there are, and what their names of files say."""

from __future__ import annotations

import pytest

from graders.languages import languages
from graders.runners import runners, sources_inside
from graders.runners.runner import is_installed, is_test_file

MAX_ARGUMENT_BYTES = 128 * 1024


def test_every_folder_is_a_runner_of_a_language() -> None:
    assert list(runners()) == ["bun-test", "jest", "julia-test", "node-test", "pytest", "unittest", "vitest"]
    assert {each.language for each in runners().values()} <= set(languages())


@pytest.mark.parametrize("name", list(runners()))
def test_every_source_fits_into_an_argument(name: str) -> None:
    runner = runners()[name]
    assert runner.sources
    assert all(100 < len(each.text().encode()) < MAX_ARGUMENT_BYTES for each in runner.sources)


@pytest.mark.parametrize("path", ["test_a.py", "a/b_test.go", "a.spec.ts", "tests/data.txt", "src/__tests__/a.js"])
def test_names_and_directories_of_tests(path: str) -> None:
    assert is_test_file(path)
    assert not is_test_file("src/testing.py")


def test_a_program_in_the_workspace_may_be_the_candidates() -> None:
    assert is_installed("pytest")
    assert is_installed("/usr/bin/pytest")
    assert not is_installed(".venv/bin/pytest")
    assert not is_installed("/workspace/bin/pytest")


def test_every_source_is_part_of_the_fingerprint() -> None:
    texts = sources_inside()
    assert {each.text() for runner in runners().values() for each in runner.sources} <= set(texts)
    assert {language.argv()[-1] for language in languages().values()} <= set(texts)
    assert any("answer" in text and "module" in text for text in texts)
