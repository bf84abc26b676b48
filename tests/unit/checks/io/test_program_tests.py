"""Tests of a program as documents write them, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradebox.graders import load_case
from gradebox.graders.cases import load
from gradebox.graders.checks.io.io import IoCheck
from gradebox.graders.checks.io.program_tests import CAPTURE_MAX

CASE = "language: python\nassertions:\n- type: io\n  {fields}\n"


def written(directory: Path, *fields: str) -> Path:
    (directory / "case.yaml").write_text(CASE.format(fields="\n  ".join(fields)))
    return directory


def read(directory: Path, *fields: str) -> IoCheck:
    (check,) = load_case(written(directory, *fields)).checks
    assert isinstance(check, IoCheck)
    return check


def test_tests_are_listed(tmp_path: Path) -> None:
    tests = read(
        tmp_path, "tests:", "- {stdin: 1, stdout: 2}", "- {stdout: x, name: one, args: [a, 1], files: {d/f: y}}"
    )
    assert [(test.name, test.input.read(), test.answer and test.answer.read()) for test in tests.tests] == [
        ("#1", b"1", b"2"), ("one", b"", b"x"),
    ]  # fmt: skip
    assert tests.tests[1].args == ("a", "1")


def test_tests_are_in_a_directory(tmp_path: Path) -> None:
    (tmp_path / "data/secret").mkdir(parents=True)
    for name, text in {"1.in": "a", "1.ans": "b", "secret/2.in": "c", "secret/2.out": "d"}.items():
        (tmp_path / "data" / name).write_text(text)
    tests = read(tmp_path, "tests: data", "groups: [{name: secret, points: 3, tests: ['1']}]").tests
    assert [(test.name, test.group, test.input.read()) for test in tests] == [
        ("1", "secret", b"a"), ("secret/2", "secret", b"c"),
    ]  # fmt: skip
    (tmp_path / "data/1.in").write_text("changed")
    with pytest.raises(OSError, match="changed after the case was loaded"):
        tests[0].input.read()


def test_tests_are_lines_of_json(tmp_path: Path) -> None:
    lines = [{"stdin": "a\n", "stdout": "b\n", "weight": 2}, {"stdin": "c", "stdout": "d", "name": "last"}]
    (tmp_path / "tests.jsonl").write_text("\n".join(map(json.dumps, lines)))
    tests = read(tmp_path, "tests: tests.jsonl").tests
    assert [(test.name, test.weight) for test in tests] == [("#1", 2.0), ("last", 1.0)]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (["tests: []"], "there are no tests here"),
        (["tests: nowhere"], "there is no directory `nowhere`"),
        (["tests: lines.jsonl"], "unknown key `stdoot`"),
        (["tests: half"], "x.in has no .ans and no .out"),
        (["tests: [{stdin: x}]"], "does not say what must be printed"),
        (["tests: [{stdout: x, weight: 0}]"], "the weights of all tests are 0"),
        (["tests: [{stdout: x, name: a}, {stdout: x, name: a}]"], "two tests are called `a`"),
        (["tests: [{stdout: x, files: {../x: y}}]"], "must lie in the workspace"),
        (["tests: [{stdout: x}]", "compare: {by: tokens, float_tolerance: 1}"], "means nothing where `by` is `tokens`"),
        (["tests: [{stdout: x}]", "compare: equal"], "cannot be the text `equal`"),
        (["tests: [{stdout: x}]", "groups: [{name: a}]"], "is in none of the groups"),
        (["tests: [{stdout: x, group: a}]", "groups: [{name: a}, {name: a}]"], "two groups are called `a`"),
        (["tests: [{stdout: x, group: a}]", "groups: [{name: a, points: 0}]"], "the points of all groups are 0"),
        (["tests: [{stdout: x}]", "groups: [{name: a, tests: [b]}]"], "no test is called `b`"),
        (["tests: [{stdout: x}]", "passes: 2"], "only an `interactor` asks for passes"),
        (["tests: [{stdin: x}]", "interactor: a", "checker: b"], "`checker` means nothing beside an `interactor`"),
        (["tests: [{stdin: x}]", "interactor: a", "compare: exact"], "`compare` means nothing beside an `interactor`"),
        (["tests: [{stdin: x}]", "interactor: a", "answers: from-reference"], "the reference gives no answers"),
    ],
)
def test_mistakes_are_reported(tmp_path: Path, fields: list[str], message: str) -> None:
    (tmp_path / "lines.jsonl").write_text('{"stdoot": "x"}\n')
    (tmp_path / "half").mkdir()
    (tmp_path / "half/x.in").write_text("")
    assert message in "\n".join(map(str, load(written(tmp_path, *fields)).diagnostics))


def test_contents_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for name in ("1.in", "1.ans"):
        (tmp_path / "data" / name).write_bytes(bytes(CAPTURE_MAX + 1))
    found = "\n".join(map(str, load(written(tmp_path, "tests: data")).diagnostics))
    assert "the input of 1 has 16,777,217 bytes" in found
    assert "1 expects 16,777,217 bytes" in found
