"""What a suite promises, statement by statement: where its cases come from, and what they get of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gradebox.graders.cases import Loaded, load

CASE = "assertions: [{type: contains, value: x}]\n"
INLINE = "{assertions: [{type: contains, value: x}], id: "


def suite(root: Path, text: str, files: Mapping[str, str] | None = None, name: str = "EVAL.yaml") -> Loaded:
    for path, content in {name: text, **(files or {})}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    return load(root / name, environ={})


FILES = {
    "list.yaml": f"- {INLINE}l1}}\n- {INLINE}l2}}\n",
    "lines.jsonl": '{"id": "j1", "assertions": ["x"]}\n{"id": "j2", "assertions": ["x"]}\n',
    "one.yaml": f"{INLINE}o1}}\n",
    "cases/b/case.yaml": CASE,
    "cases/a/case.yml": CASE,
    "cases/B/case.yaml": f"id: own\n{CASE}",
    "cases/notes/README.md": "",
    "cases/.hidden/case.yaml": CASE,
    "cases/file.txt": "",
}


@pytest.mark.parametrize("key", ["tests", "evalcases", "eval_cases", "cases"])
@pytest.mark.parametrize(
    ("written", "ids"),
    [
        (f"[{INLINE}one}}, {INLINE}two}}]", ["one", "two"]),
        ("list.yaml", ["l1", "l2"]),
        ("lines.jsonl", ["j1", "j2"]),
        ("[file://list.yaml, ./one.yaml]", ["l1", "l2", "o1"]),
        ("['l*.yaml', cases/b]", ["l1", "l2", "b"]),
        ("./cases/", ["own", "a", "b"]),
        ("'cases/*'", ["own", "a", "b"]),
    ],
)
def test_tests_have_four_names_and_many_forms(key: str, written: str, ids: list[str], tmp_path: Path) -> None:
    found = suite(tmp_path, f"{key}: {written}\n", FILES)
    assert [case.id for case in found.cases] == ids, found.errors


def test_what_is_no_case_of_a_directory_is_skipped_with_a_warning(tmp_path: Path) -> None:
    files = {"cases/a/case.yaml": CASE, "cases/notes/README.md": "", "cases/.b/case.yaml": CASE, "cases/x.txt": ""}
    suite(tmp_path, "", files)
    (tmp_path / "cases" / "link").symlink_to(tmp_path / "cases" / "a")
    found = suite(tmp_path, "tests: ./cases/\n")
    assert [case.id for case in found.cases] == ["a"]
    assert sorted(warning.file.name for warning in found.warnings) == [".b", "link", "notes"]


def test_a_broken_case_is_an_error_with_its_place_and_the_others_are_loaded(tmp_path: Path) -> None:
    files = {"cases/a/case.yaml": "crieria: x\n" + CASE, "cases/b/case.yaml": CASE}
    found = suite(tmp_path, "tests: ./cases/\n", files)
    assert [case.id for case in found.cases] == ["b"]
    assert [(broken.id, str(broken.diagnostics[0].file.parent.name)) for broken in found.broken] == [("a", "a")]


def test_two_cases_of_one_id_name_both_files(tmp_path: Path) -> None:
    files = {"cases/a/case.yaml": f"id: same\n{CASE}", "cases/b/case.yaml": f"id: same\n{CASE}"}
    (error,) = suite(tmp_path, "tests: ./cases/\n", files).errors
    assert error.file.parent.name == "b"
    assert str(Path("a") / "case.yaml") in error.message


def test_what_a_suite_shares_is_laid_under_its_cases(tmp_path: Path) -> None:
    text = """
name: s
tags: [t]
metadata: {a: {b: 1, c: 2}}
workspace: tree
limits: {memory: 64m}
execution: {threshold: 0.5, workers: 3}
input: Before.
assertions: [It is harmless.]
tests:
- {id: plain, input: Task., assertions: [{type: contains, value: x}]}
- id: own
  input: Task.
  metadata: {a: {c: 3}}
  limits: {memory: 128m}
  execution: {threshold: 0.9, skip_defaults: true}
  assertions: [{type: contains, value: x}]
"""
    found = suite(tmp_path, text, {"tree/a": ""})
    plain, own = found.cases
    assert (plain.suite, plain.tags, plain.metadata) == ("s", ("t",), {"a": {"b": 1, "c": 2}})
    assert (plain.workspace, plain.limits.memory_bytes, plain.threshold) == (tmp_path / "tree", 64 * 1024**2, 0.5)
    assert [message.content for message in plain.input] == ["Before.", "Task."]
    assert [check.type for check in plain.checks] == ["contains", "llm-grader"]
    assert (own.metadata, own.limits.memory_bytes, own.threshold) == ({"a": {"b": 1, "c": 3}}, 128 * 1024**2, 0.9)
    assert [message.content for message in own.input] == ["Task."]
    assert [check.type for check in own.checks] == ["contains"]
    assert found.suite is not None
    assert found.suite.workers == 3


@pytest.mark.parametrize(
    ("suites", "cases", "types"),
    [
        # Under `execution` the case's take the place of the suite's; at the top those of the suite are added.
        ("execution: {evaluators: [S]}", "execution: {evaluators: [{type: contains, value: x}]}", ["contains"]),
        ("assertions: [S]", "execution: {evaluators: [{type: contains, value: x}]}", ["contains", "llm-grader"]),
        ("assertions: [S]", "assertions: [{type: contains, value: x}]", ["contains", "llm-grader"]),
        ("execution: {evaluators: [S]}", "criteria: c", ["llm-grader"]),
    ],
)
def test_whether_the_checks_of_a_case_replace_those_of_its_suite(
    suites: str, cases: str, types: list[str], tmp_path: Path
) -> None:
    found = suite(tmp_path, f"{suites}\ntests: [{{id: a, {cases}}}]\n")
    assert [check.type for check in found.cases[0].checks] == types


def test_a_case_is_here_for_each_target_with_its_hooks(tmp_path: Path) -> None:
    text = f"""
hooks: {{before_all: echo suite, after_all: {{command: [echo], timeout_seconds: 2}}}}
workspace: {{hooks: {{before_each: echo workspace}}}}
execution:
  targets:
  - {{name: a, use_target: real}}
  - {{name: b, hooks: {{after_each: {{command: echo target}}}}}}
tests: [{INLINE}one}}]
"""
    a, b = suite(tmp_path, text).cases
    assert [(one.target, one.use_target) for one in (a, b)] == [("a", "real"), ("b", None)]
    assert sorted(hook.when for hook in a.hooks) == ["after_all", "before_all", "before_each"]
    assert {hook.origin for hook in b.hooks} == {"suite", "workspace", "target b"}


@pytest.mark.parametrize("name", ["EVAL.yaml", "EVAL.yml", "any.eval.yaml", "any.yaml"])
def test_a_suite_is_known_by_its_name_or_its_keys(name: str, tmp_path: Path) -> None:
    assert [case.id for case in suite(tmp_path, f"tests: [{INLINE}one}}]\n", name=name).cases] == ["one"]


@pytest.mark.parametrize("text", [f"- {INLINE}one}}\n", f"{INLINE}one}}\n"])
def test_a_bare_file_of_cases_is_loaded(text: str, tmp_path: Path) -> None:
    assert [case.id for case in suite(tmp_path, text, name="cases.yaml").cases] == ["one"]


def test_a_case_directory_gets_what_the_suite_that_names_it_shares(tmp_path: Path) -> None:
    files = {"suite/cases/a/case.yaml": CASE, "suite/s.eval.yaml": "tags: [t]\nassertions: [S]\ntests: ./cases/\n"}
    suite(tmp_path, f"tests: [{INLINE}x}}]\n", files)
    (case,) = load(tmp_path / "suite" / "cases" / "a", environ={}).cases
    assert (case.tags, [check.type for check in case.checks]) == (("t",), ["contains", "llm-grader"])
