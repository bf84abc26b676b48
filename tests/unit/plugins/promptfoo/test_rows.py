"""Where tests are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from promptfoo_files import SUITE, cases, loaded, said

ROW = "- {id: ID, vars: {w: ID}, assert: [{type: contains, value: '{{w}}'}]}\n"


def write(root: Path, name: str, text: str) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize(
    "tests",
    ["file://more.yaml", "./more.yaml", ["file://more.yaml"], [{"path": "file://more.yaml"}], "more*.yaml", "deep"],
    ids=str,
)
def test_tests_of_files_and_directories_get_what_is_shared(tests: Any, tmp_path: Path) -> None:
    write(tmp_path, "more.yaml", ROW.replace("ID", "a") + ROW.replace("ID", "b"))
    for name in ("a", "b"):
        write(tmp_path, f"deep/{name}/case.yaml", ROW.removeprefix("- ").replace("id: ID, ", "").replace("ID", name))
    found = cases(tmp_path, {"prompts": ["Say {{w}}."], "tests": tests}, SUITE)
    assert [(case.id, case.input[0].content) for case in found] == [("a", "Say a."), ("b", "Say b.")]
    assert all(case.place.file != tmp_path / SUITE for case in found)


def test_lines_of_json_and_a_mapping_with_tests_are_read(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", '{"id": "a", "assert": ["w"]}\n\n{"id": "b", "assert": ["w"]}\n')
    write(tmp_path, "c.json", '{"tests": [{"id": "c", "assert": ["w"]}]}')
    found = cases(tmp_path, {"prompts": ["p"], "tests": ["a.jsonl", "c.json", {"id": "d", "assert": ["w"]}]})
    assert [(case.id, case.place.line) for case in found] == [("a", 1), ("b", 3), ("c", 1), ("d", 1)]


def test_a_mistake_in_another_file_is_reported_there(tmp_path: Path) -> None:
    write(tmp_path, "more.yaml", ROW.replace("ID", "a") + "- {id: b, assert: [{type: contains}]}\n")
    found = loaded(tmp_path, {"prompts": ["p"], "tests": "more.yaml"})
    assert [case.id for case in found.cases] == ["a"]
    assert "more.yaml:2:" in said(found)


def test_scenarios_are_configurations_times_tests(tmp_path: Path) -> None:
    write(tmp_path, "s/one.yaml", "- {config: [{vars: {to: fr}}], tests: [{id: file, assert: [w]}]}\n")
    text = """\
prompts: ['{{word}} to {{to}}']
scenarios:
- config:
  - {id: spanish, vars: {to: es, hello: hola}, assert: [{type: contains, value: '{{hello}}'}]}
  - {vars: {to: de, hello: hallo}}
  tests:
  - {id: hello, vars: {word: hello}, assert: [{type: equals, value: '{{hello}}'}]}
  - {vars: {word: bye}, assert: [words]}
- file://s/*.yaml
"""
    found = cases(tmp_path, text, SUITE)
    assert [(case.id, case.input[0].content) for case in found][:4] == [
        ("hello-spanish", "hello to es"),
        ("spanish__scenario_test_2", "bye to es"),
        ("hello-1.2", "hello to de"),
        ("scenario-1-2-2", "bye to de"),
    ]
    assert [case.id for case in found][4:] == ["file"]
    values = [[getattr(check, "value", None) for check in case.checks] for case in found]
    assert values == [["hola", "hola"], [None, "hola"], ["hallo"], [None], [None]]


@pytest.mark.parametrize(
    ("tests", "message"),
    [
        ("file://make.py:tests", "a program that makes tests, and it is not run"),
        ("https://example.com/a.csv", "is not on this machine"),
        ("huggingface://datasets/x", "is not on this machine"),
        ("file://gone.yaml", "does not exist"),
        ("gone.csv", "does not exist"),
    ],
)
def test_what_is_not_a_file_here_is_refused(tests: str, message: str, tmp_path: Path) -> None:
    found = loaded(tmp_path, {"prompts": ["p"], "tests": tests})
    assert message in said(found)
    assert not found.cases


def test_tests_are_imported_and_suites_are_not(tmp_path: Path) -> None:
    write(tmp_path, "more.yaml", ROW.replace("ID", "a"))
    text = """\
prompts: [p]
imports: {tests: [{path: more.yaml, run: {threshold: 0.4}}]}
tests: [{id: b, assert: [w]}, {include: more2.yaml, type: tests}]
"""
    write(tmp_path, "more2.yaml", ROW.replace("ID", "c"))
    assert [(case.id, case.threshold) for case in cases(tmp_path, text, SUITE)] == [("a", 0.4), ("b", 0.8), ("c", 0.8)]
    for wrong in ("imports: {suites: [more.yaml]}", "imports: {tests: [{path: more.yaml, select: a}]}"):
        assert loaded(tmp_path, f"prompts: [p]\n{wrong}\ntests: [{{assert: [w]}}]\n").errors
