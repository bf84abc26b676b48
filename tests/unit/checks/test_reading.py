"""The checks of a case: types and their names, gates, weights, unique names, items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders import languages
from gradebox.graders.cases import Loaded, load
from gradebox.graders.checks.base import Check
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.expect import Expect
from gradebox.graders.checks.items import Examples, Item, Items
from gradebox.graders.checks.reading import with_unique_names
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.runners.test_reports.report_entry import ReportEntry

CaseOf = Callable[..., Case]
LoadText = Callable[..., Loaded]


def check_of(case: Case) -> CodeGrader:
    (check,) = case.checks
    assert isinstance(check, CodeGrader)
    return check


def test_everything_a_code_grader_can_say_arrives(case_of: CaseOf) -> None:
    check = check_of(
        case_of(
            """\
assertions:
  - type: code-grader
    name: hidden
    command: [pytest, grading/test_x.py]
    setup: make
    teardown: [[a, b], [c]]
    weight: 3
    required: true
    min_score: 0.5
    negate: true
    timeout_seconds: 10
    env: {A: b}
    cwd: sub/dir
    protocol: exit
    expect: {exit_code: 3, stdout: "a\\n", stderr: "", stdout_regex: "^a"}
    control: {command: [pytest, grading/fails.py], timeout_seconds: 1}
    adapter: pytest
    config: {answer: 42, Key: [x]}
"""
        )
    )
    assert check.model_copy(update={"place": Place(check.place.file)}) == CodeGrader(
        name="hidden",
        place=Place(check.place.file),
        command=CommandSpec(("pytest", "grading/test_x.py")),
        setup=(CommandSpec(("sh", "-c", "make"), shell=True),),
        teardown=(CommandSpec(("a", "b")), CommandSpec(("c",))),
        weight=3.0,
        required=True,
        min_score=0.5,
        negate=True,
        timeout_seconds=10.0,
        env={"A": "b"},
        cwd="sub/dir",
        protocol="exit",
        expect=Expect(exit_code=3, stdout="a\n", stderr="", stdout_regex="^a"),
        control=CommandSpec(("pytest", "grading/fails.py"), timeout_seconds=1.0),
        adapter="pytest",
        config={"answer": 42, "Key": ["x"]},
    )
    assert (check.place.line, check.place.column) == (2, 5)


GATES: list[tuple[str, Any, Any]] = [
    ("", False, None),
    ("required: true", True, None),
    ("required: yes", True, None),
    ("required: false", False, None),
    ("required: 0.6", True, 0.6),
    ("required: 1", True, 1.0),
    ("required: true, min_score: 0.6", True, 0.6),
    ("required: 0.6, min_score: 0.6", True, 0.6),
    ("required: '${{ GATE }}'", True, 0.7),
]


@pytest.mark.parametrize(("written", "required", "min_score"), GATES)
def test_required_is_a_truth_value_or_the_score_needed(
    written: str, required: bool, min_score: float | None, case_of: CaseOf
) -> None:
    check = check_of(case_of(f"assertions: [{{type: code-grader, command: a, {written}}}]", GATE="0.7"))
    assert (check.required, check.min_score) == (required, min_score)


@pytest.mark.parametrize(
    ("written", "protocol"),
    [
        ("type: code-grader, command: a", "exit"),
        ("type: code_grader, command: a", "exit"),
        ("type: code-grader, script: a", "json"),
        ("type: code_judge, script: a", "json"),
        ("type: code-judge, command: a", "json"),
        ("type: script, command: a", "json"),
        ("type: code_judge, script: a, protocol: exit", "exit"),
        ("type: code-grader, command: a, protocol: json", "json"),
    ],
)
def test_the_old_names_speak_json_unless_they_say_otherwise(written: str, protocol: str, case_of: CaseOf) -> None:
    assert check_of(case_of(f"assertions: [{{{written}}}]")).protocol == protocol


def test_a_test_report_arrives(case_of: CaseOf) -> None:
    lists = "must_pass: [a::b, 'c*'], must_exist: d"
    written = f"type: code-grader, command: a, report: {{format: junit, path: ./out/r.xml, {lists}}}"
    check = check_of(case_of(f"assertions: [{{{written}}}]"))
    assert check.report == ReportEntry(format="junit", path="out/r.xml", must_pass=("a::b", "c*"), must_exist=("d",))


def test_a_gate_that_every_score_meets_is_pointed_out(load_text: Callable[..., Loaded]) -> None:
    loaded = load_text("assertions: [{type: code-grader, command: a, required: 0}]")
    assert [found.message for found in loaded.warnings] == ["`required: 0` is met by every score"]
    assert loaded.cases[0].checks[0].required is True


def test_a_min_score_without_a_gate_is_pointed_out(load_text: Callable[..., Loaded]) -> None:
    loaded = load_text("assertions: [{type: code-grader, command: a, min_score: 0.5}]")
    assert ["has no effect" in found.message for found in loaded.warnings] == [True]


def named(*names: str) -> list[Check]:
    place, command = Place(Path("x")), CommandSpec(("x",))
    return [CodeGrader(name=name, place=place, command=command) for name in names]


def test_a_second_check_of_a_name_is_numbered() -> None:
    assert [check.name for check in with_unique_names(named("a", "a", "b", "a"))] == ["a", "a-2", "b", "a-3"]


def test_a_number_does_not_take_a_name_that_was_given() -> None:
    assert [check.name for check in with_unique_names(named("a", "a", "a-2"))] == ["a", "a-3", "a-2"]


@given(st.lists(st.sampled_from(["a", "a-2", "a-3", "a-2-2", "b"]), max_size=12))
def test_names_are_unique_and_the_first_of_a_name_keeps_it(names: list[str]) -> None:
    result = [check.name for check in with_unique_names(named(*names))]
    assert len(set(result)) == len(names)
    for name in set(names):
        assert result[names.index(name)] == name


def test_checks_come_in_order_assertions_examples_unit_tests(case_of: CaseOf) -> None:
    case = case_of(
        "unit_tests: [x]\nexamples: [y]\nlanguage: bash\n"
        "assertions: [{type: code-grader, command: a}, {type: code-grader, command: b}]\n"
    )
    assert [check.name for check in case.checks] == ["code-grader", "code-grader-2", "examples", "unit-tests"]


def test_items_of_a_case_become_a_check(case_of: CaseOf) -> None:
    case = case_of(
        """\
language: python
imports: [math, "from os import path"]
examples_setup: from auth import login
examples_teardown: [a, b]
examples:
  - login("x")
  - {name: second, code: login("y"), weight: 2, setup: s, teardown: t}
"""
    )
    (check,) = case.checks
    assert isinstance(check, Examples)
    assert (check.name, check.weight, check.required, check.language) == ("examples", 1.0, False, "python")
    assert check.items == (
        Item(name="#1", code='login("x")'),
        Item(name="second", code='login("y")', weight=2.0, setup="s", teardown="t"),
    )
    assert (check.setup, check.teardown) == ("from auth import login", "a\nb")
    assert check.imports == ("math", "from os import path")
    assert (check.place.line, check.place.column) == (5, 1)


def test_a_listed_check_takes_the_items_of_the_case_and_its_settings(case_of: CaseOf) -> None:
    case = case_of(
        """\
language: julia
unit_tests_setup: using Test
unit_tests: ["@test true"]
assertions:
  - {type: unit_tests, weight: 5, required: true, isolation: shared}
"""
    )
    (check,) = case.checks
    assert isinstance(check, Items)
    assert (check.weight, check.required, check.isolation, check.setup) == (5.0, True, "shared", "using Test")
    assert [item.code for item in check.items] == ["@test true"]


def test_a_listed_check_with_items_of_its_own_leaves_those_of_the_case(case_of: CaseOf) -> None:
    case = case_of(
        "language: python\nunit_tests: [a]\nunit_tests_setup: s\n"
        "assertions: [{type: unit-tests, items: [b, c], setup: [], language: bash}]\n"
    )
    own, listed = case.checks[1], case.checks[0]
    assert isinstance(own, Items)
    assert isinstance(listed, Items)
    assert ([item.code for item in listed.items], listed.setup, listed.language) == (["b", "c"], "", "bash")
    assert ([item.code for item in own.items], own.setup, own.language) == (["a"], "s", "python")
    assert [check.name for check in case.checks] == ["unit-tests", "unit-tests-2"]


def test_every_language_that_has_a_runner_can_be_written(case_of: CaseOf) -> None:
    able = [name for name, each in languages.languages().items() if each.runner]
    assert all(case_of(f"language: {name}\nexamples: [x]\n").language == name for name in able)


@pytest.mark.parametrize("agentvs", [{"case.yaml": ""}, {".agentv/config.yaml": "", "evals/case.yaml": ""}])
def test_keys_that_a_command_or_a_judge_does_not_know_are_its_config_in_agentvs_files_alone(
    agentvs: Mapping[str, str], tree: Callable[..., Path]
) -> None:
    text = (
        "assertions:\n- {type: code-grader, command: a, expect_edited: [x], config: {max: 2}, description: d}\n"
        "- {type: llm-grader, prompt: p, tone: dry}\n"
    )
    loaded = load(tree({name: text if "case" in name else "" for name in agentvs}) / next(reversed(agentvs)))
    if len(agentvs) == 1:
        assert [found.message for found in loaded.errors] == ["unknown key `expect_edited`", "unknown key `tone`"]
        return
    (case,) = loaded.cases
    assert [getattr(check, "config", None) for check in case.checks] == [
        {"expect_edited": ["x"], "max": 2},
        {"tone": "dry"},
    ]
    assert [(found.line, found.path) for found in loaded.warnings] == [
        (2, "assertions[0].expect_edited"),
        (3, "assertions[1].tone"),
    ]


@pytest.mark.parametrize("key", ["wieght", "timeout_second", "cmd", "timeout", "comand"])
def test_a_misspelt_key_of_a_command_is_a_mistake_all_the_same(key: str, load_text: LoadText) -> None:
    (found,) = load_text(f"assertions: [{{type: code-grader, command: a, {key}: 5}}]").errors
    assert found.message == f"unknown key `{key}`"


def test_keys_that_other_types_do_not_know_are_mistakes(load_text: LoadText) -> None:
    assert load_text("assertions: [{type: contains, value: a, tone: dry}]").errors


def test_an_id_is_a_name(case_of: CaseOf) -> None:
    assert [check.name for check in case_of("assertions: [{type: contains, value: a, id: HAS_A}]").checks] == ["HAS_A"]


def test_a_type_of_the_repositorys_own_is_a_code_grader(tmp_path: Path) -> None:
    for name in (".git/HEAD", ".agentv/assertions/min-words.ts", ".agentv/assertions/tone.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    own = "[{type: min-words, weight: 2, minimum: 3}, {type: tone, metric: kind, config: {a: 1}, b: 2}]"
    file = tmp_path / "evals" / "a.eval.yaml"
    file.parent.mkdir()
    file.write_text(f"tests: [{{id: a, input: x, assertions: {own}}}]\n")
    loaded = load(file)
    assert not loaded.diagnostics
    words, tone = loaded.cases[0].checks
    assert isinstance(words, CodeGrader)
    assert isinstance(tone, CodeGrader)
    assert (words.name, words.weight, words.protocol) == ("min-words", 2, "json")
    assert words.command.argv == ("bun", "run", "../.agentv/assertions/min-words.ts")
    assert words.config == {"minimum": 3}
    assert (tone.name, tone.command.argv[0], tone.config) == ("kind", "python3", {"a": 1, "b": 2})


def test_a_type_without_a_script_is_unknown(load_text: LoadText) -> None:
    loaded = load_text("assertions: [{type: min-words}]")
    assert "unknown type of check `min-words`" in loaded.errors[0].message


def test_a_template_of_checks_is_included_at_its_place(tree: Callable[[dict[str, str]], Path]) -> None:
    root = tree(
        {
            "evals/a.eval.yaml": "tests: [{id: a, assertions: [first, {include: shared}, {include: ./own.yaml}, l]}]",
            ".agentv/templates/shared.yaml": "assertions: [second, {type: contains, value: third}]\n",
            "evals/own.yaml": "assertions: [fourth]\n",
        }
    )
    (case,) = load(root / "evals/a.eval.yaml", environ={}).cases
    words = [getattr(check, "prompt", None) or getattr(check, "value", None) for check in case.checks]
    assert words == ["first", "second", "third", "fourth", "l"]
    assert case.checks[2].place.file.name == "shared.yaml"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "the template `shared` does not exist"),
        ({".agentv/templates/shared.yaml": "a: 1\n"}, "a template holds `assertions`"),
        ({".agentv/templates/shared.yaml": "assertions: [{include: shared}]\n"}, "`shared` includes itself"),
        ({".agentv/templates/shared.yaml": "assertions: [{include: other}]\n"}, "that includes no other"),
    ],
)
def test_a_template_that_cannot_be_included_is_a_mistake(
    files: dict[str, str], message: str, tree: Callable[[dict[str, str]], Path]
) -> None:
    root = tree({"a.eval.yaml": "tests: [{id: a, assertions: [{include: shared}]}]\n", **files})
    assert any(message in found.message for found in load(root / "a.eval.yaml", environ={}).errors)


@pytest.mark.parametrize(
    ("command", "argv"),
    [
        ('["uv", "run", "./check.py", "x"]', ("uv", "run", "../scripts/check.py", "x")),
        ("uv run check.py x", ("sh", "-c", "uv run ../scripts/check.py x")),
    ],
)
def test_a_command_may_be_written_to_run_where_its_files_lie(
    command: str, argv: tuple[str, ...], tree: Callable[[dict[str, str]], Path]
) -> None:
    text = f"tests: [{{id: a, assertions: [{{type: code_judge, script: {command}, cwd: ../scripts}}]}}]\n"
    root = tree({"evals/a.eval.yaml": text, "scripts/check.py": "print()\n"})
    check = check_of(load(root / "evals/a.eval.yaml", environ={}).cases[0])
    assert (check.command.argv, check.cwd) == (argv, "")
