"""What is found in a directory, and what is said about the rest."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gradebox.graders.cases import Loaded, load

Tree = Callable[[Mapping[str, str | bytes]], Path]

CHECK = "assertions: [{type: code-grader, command: [own]}]\n"
TOML = "[code_generation]\n"


def found(result: Loaded) -> list[str]:
    return [case.id for case in result.cases]


def test_cases_are_sorted_by_name_bytewise(tree: Tree) -> None:
    names = ["b", "a10", "a2", "B", "a-b", "a.b", "a_b", "Z"]
    root = tree({f"cases/{name}/case.yaml": CHECK for name in names})
    assert found(load(root / "cases", environ={})) == sorted(names, key=os.fsencode)


def test_what_is_passed_over_is_said_and_files_are_not_mentioned(tree: Tree) -> None:
    root = tree({"c/a/case.yaml": CHECK, "c/notes/README.md": "", "c/.hidden/case.yaml": CHECK, "c/README.md": ""})
    (root / "c/link").symlink_to(root / "c/a")
    result = load(root / "c", environ={})
    assert found(result) == ["a"]
    assert {(warning.file.name, warning.message) for warning in result.warnings} == {
        (".hidden", "skipped: a hidden directory"),
        ("link", "skipped: a symbolic link is not followed"),
        ("notes", "skipped: a directory without case.yaml"),
    }


def test_case_yaml_wins_over_case_yml_and_that_is_said(tree: Tree) -> None:
    result = load(tree({"a/case.yaml": f"id: new\n{CHECK}", "a/case.yml": f"id: old\n{CHECK}"}) / "a", environ={})
    assert found(result) == ["new"]
    assert [warning.file.name for warning in result.warnings] == ["case.yml"]


@pytest.mark.parametrize(
    ("files", "ids"),
    [
        ({"case.yaml": f"id: case\n{CHECK}", "EVAL.yaml": "", "definition.toml": TOML}, ["case"]),
        ({"case.yml": f"id: case\n{CHECK}", "EVAL.yaml": ""}, ["case"]),
        ({"EVAL.yaml": f"tests: [{{id: suite, {CHECK.strip()}}}]\n", "definition.toml": TOML}, ["suite"]),
        ({"EVAL.yml": f"tests: [{{id: suite, {CHECK.strip()}}}]\n"}, ["suite"]),
        ({"x.eval.yaml": f"tests: [{{id: suite, {CHECK.strip()}}}]\n", "definition.toml": TOML}, ["suite"]),
        ({"x.eval.yml": f"tests: [{{id: suite, {CHECK.strip()}}}]\n"}, ["suite"]),
        ({"a/case.yaml": CHECK, "b/case.yaml": CHECK, "other.yaml": ""}, ["a", "b"]),
    ],
)
def test_a_directory_is_what_its_first_file_says(files: Mapping[str, str], ids: list[str], tree: Tree) -> None:
    result = load(tree(files), environ={})
    assert not result.errors
    assert found(result) == ids


def test_the_suite_that_is_named_for_a_directory_wins_over_others_and_that_is_said(tree: Tree) -> None:
    result = load(
        tree({"EVAL.yaml": f"tests: [{{id: a, {CHECK.strip()}}}]\n", "A.eval.yaml": "", "EVAL.yml": ""}), environ={}
    )
    assert found(result) == ["a"]
    assert [warning.file.name for warning in result.warnings] == ["EVAL.yml", "A.eval.yaml"]


def test_several_suites_in_a_directory_must_be_named(tree: Tree) -> None:
    (error,) = load(tree({"a.eval.yaml": "", "b.eval.yaml": ""}), environ={}).errors
    assert "several suites: a.eval.yaml, b.eval.yaml" in error.message


def test_a_directory_without_a_case_says_what_was_looked_for(tree: Tree) -> None:
    (error,) = load(tree({"x/README.md": ""}) / "x", environ={}).errors
    assert error.message == "no case was found here"
    for name in ("case.yaml", "case.yml", "EVAL.yaml", "*.eval.yaml", "definition.toml"):
        assert name in error.hint


@pytest.mark.parametrize("name", ["gone", "gone.yaml", "gone/case.yaml", "x.txt", "a\0b"])
def test_a_path_that_is_no_case_is_an_error_and_not_an_exception(name: str, tree: Tree) -> None:
    result = load(tree({"x.txt": CHECK}) / name, environ={})
    assert len(result.errors) == 1
    assert result.cases == ()


def test_a_relative_path_is_loaded_as_an_absolute_one(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree({"a/case.yaml": CHECK}))
    (case,) = load(Path("a"), environ={}).cases
    assert case.directory.is_absolute()


def test_a_name_that_is_not_text_is_reported(tree: Tree) -> None:
    root = tree({"c/a/case.yaml": CHECK})
    odd = root / "c" / os.fsdecode(b"\xff")
    odd.mkdir()
    (odd / "case.yaml").write_text(CHECK)
    result = load(root / "c", environ={})
    assert found(result) == ["a"]
    assert "cannot be an id" in result.errors[0].message
    result.broken[0].id.encode()
