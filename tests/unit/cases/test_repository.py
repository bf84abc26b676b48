"""A repository is loaded file by file; what is one suite stays one."""

from __future__ import annotations

from pathlib import Path

from grading_bench import write

from gradebox.graders.cases.repository import load_repository

CASE = "assertions: [{type: contains, value: x}]\n"
SUITE = "tests:\n  - id: {}\n    input: x\n    assertions: [{{type: contains, value: x}}]\n"


def loaded(root: Path) -> dict[str, list[str]]:
    return {str(file.path.relative_to(root)): [case.id for case in file.loaded.cases] for file in load_repository(root)}


def test_suites_and_cases_are_found_at_any_depth(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "evals/a.eval.yaml": SUITE.format("a"),
            "evals/b.eval.yaml": SUITE.format("b"),
            "deep/er/one/case.yaml": CASE,
            "deep/er/one/workspace/case.yaml": CASE,
            "node_modules/x/x.eval.yaml": SUITE.format("x"),
            ".hidden/x.eval.yaml": SUITE.format("x"),
        },
    )
    (tmp_path / "link").symlink_to(tmp_path / "evals")
    assert loaded(tmp_path) == {
        "deep/er/one/case.yaml": ["one"],
        "evals/a.eval.yaml": ["a"],
        "evals/b.eval.yaml": ["b"],
    }


def test_a_case_that_a_suite_names_is_loaded_once(tmp_path: Path) -> None:
    write(tmp_path, {"s/s.eval.yaml": "tests: ./cases/\n", "s/cases/one/case.yaml": CASE, "two/case.yaml": CASE})
    assert loaded(tmp_path) == {"s/s.eval.yaml": ["one"], "two/case.yaml": ["two"]}


def test_what_is_one_thing_is_loaded_as_a_whole(tmp_path: Path) -> None:
    write(tmp_path, {"a/case.yaml": CASE, "b/case.yaml": CASE})
    (file,) = load_repository(tmp_path)
    assert (file.path, [case.id for case in file.loaded.cases]) == (tmp_path, ["a", "b"])
    (nothing,) = load_repository(tmp_path / "missing")
    assert nothing.loaded.errors


def test_suites_of_other_names_are_found_in_a_directory_for_them(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a/evals/dataset.yaml": SUITE.format("a").replace("tests", "evalcases"),
            "a/evals/cases.yaml": "- id: x\n",
            "a/dataset.yaml": SUITE.format("other"),
            "b/x.EVAL.yaml": SUITE.format("b"),
            "c/eval.yaml": SUITE.format("c"),
        },
    )
    assert loaded(tmp_path) == {"a/evals/dataset.yaml": ["a"], "b/x.EVAL.yaml": ["b"], "c/eval.yaml": ["c"]}


def test_files_of_promptfoo_are_suites_of_their_own(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "promptfooconfig.yaml").write_text("prompts: [p]\ntests: [{assert: [words]}]\n")
    found = load_repository(tmp_path)
    assert [(one.path.parent.name, [case.id for case in one.loaded.cases]) for one in found] == [
        ("a", ["test-1"]),
        ("b", ["test-1"]),
    ]
