"""Suites: what they share with their cases, targets, and where their cases come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gradebox.graders.cases import Loaded, load
from gradebox.graders.model.case import CommandSpec, Message
from gradebox.sandbox.limits import MIB

Tree = Callable[[Mapping[str, str | bytes]], Path]

CHECK = "assertions: [{type: code-grader, command: [own]}]\n"
SHARED = "assertions: [{type: code-grader, name: shared, command: [shared], required: true}]\n"


def loaded(tree: Tree, files: Mapping[str, str | bytes], name: str = "EVAL.yaml", **environ: str) -> Loaded:
    return load(tree(files) / name, environ=environ)


def names(result: Loaded) -> list[str]:
    return [case.id for case in result.cases]


def said(result: Loaded) -> str:
    return "\n".join(map(str, result.diagnostics))


def test_the_checks_of_a_suite_come_after_those_of_the_case(tree: Tree) -> None:
    result = loaded(tree, {"EVAL.yaml": f"{SHARED}tests:\n- {{id: a, {CHECK.strip()}}}\n- {{id: b}}\n"})
    assert [[check.name for check in case.checks] for case in result.cases] == [["code-grader", "shared"], ["shared"]]
    assert result.cases[0].checks[1].required is True


def test_a_case_may_leave_out_the_checks_and_the_input_of_its_suite(tree: Tree) -> None:
    text = (
        f"input: first\n{SHARED}tests:\n- {{id: a, input: own, execution: {{skip_defaults: true}}, {CHECK.strip()}}}\n"
    )
    (case,) = loaded(tree, {"EVAL.yaml": text}).cases
    assert [check.name for check in case.checks] == ["code-grader"]
    assert case.input == (Message("user", "own"),)


def test_names_of_the_suites_checks_are_numbered_where_the_case_has_them(tree: Tree) -> None:
    text = f"{CHECK}tests:\n- {{id: a, {CHECK.strip()}}}\n"
    (case,) = loaded(tree, {"EVAL.yaml": text}).cases
    assert [check.name for check in case.checks] == ["code-grader", "code-grader-2"]


def test_a_case_wins_over_its_suite_field_by_field(tree: Tree) -> None:
    text = f"""\
name: bench
description: d
version: 1.10
tags: [s, both]
metadata: {{a: {{x: 1, y: 1}}, b: 1}}
env: {{A: "1", B: "1"}}
image: suite:1
language: python
limits: {{memory: 100m, cpus: 2, pids: 7}}
execution: {{threshold: 0.6, timeout_seconds: 20, workers: 4}}
input: from the suite
hooks: {{before_all: prepare it, after_each: [tidy]}}
workspace: ./base
tests:
- id: a
  input: from the case
  tags: [c, both]
  metadata: {{a: {{y: 2, z: 2}}}}
  env: {{B: "2"}}
  image: case:1
  limits: {{memory: 50m}}
  execution: {{threshold: 0.9}}
  {CHECK}"""
    result = loaded(tree, {"EVAL.yaml": text, "base/": ""})
    assert not result.diagnostics, said(result)
    (case,) = result.cases
    assert [message.content for message in case.input] == ["from the suite", "from the case"]
    assert case.tags == ("s", "both", "c")
    assert case.metadata == {"a": {"x": 1, "y": 2, "z": 2}, "b": 1}
    assert case.env == {"A": "1", "B": "2"}
    assert (case.image, case.language, case.workspace) == ("case:1", "python", case.directory / "base")
    assert (case.limits.memory_bytes, case.limits.cpus, case.limits.pids) == (50 * MIB, 2.0, 7)
    assert (case.threshold, case.timeout_seconds) == (0.9, 20.0)
    assert [(hook.when, hook.origin, hook.command.argv) for hook in case.hooks] == [
        ("before_all", "suite", ("sh", "-c", "prepare it")),
        ("after_each", "suite", ("tidy",)),
    ]
    assert result.suite is not None
    assert (result.suite.name, result.suite.version, result.suite.workers) == ("bench", "1.10", 4)


@pytest.mark.parametrize("key", ["tests", "evalcases", "eval_cases", "cases"])
def test_tests_go_by_their_names_of_old(key: str, tree: Tree) -> None:
    assert names(loaded(tree, {"any.yaml": f"{key}:\n- {{id: a, {CHECK.strip()}}}\n"}, "any.yaml")) == ["a"]


def test_evaluators_of_old_are_the_suites_checks(tree: Tree) -> None:
    text = "execution:\n  evaluators: [{type: code_judge, script: [x], name: gate, required: true}]\n"
    text += "evalcases: [{id: a}]\n"
    (case,) = loaded(tree, {"EVAL.yaml": text}).cases
    assert [(check.name, check.required) for check in case.checks] == [("gate", True)]


CASES_YAML = f"- {{id: a, {CHECK.strip()}}}\n- {{id: b, {CHECK.strip()}}}\n"
LINE = '{"id": "%s", "assertions": [{"type": "code-grader", "command": ["x"]}]}\n'
SOURCES: list[tuple[str, Mapping[str, str], list[str]]] = [
    ("./cases.yaml", {"cases.yaml": CASES_YAML}, ["a", "b"]),
    ("cases.jsonl", {"cases.jsonl": LINE % "a" + "\n" + LINE % "b"}, ["a", "b"]),
    ("cases.json", {"cases.json": "[" + LINE % "a" + "]"}, ["a"]),
    ("one.yaml", {"one.yaml": f"id: one\n{CHECK}"}, ["one"]),
    ("file://cases.yaml", {"cases.yaml": CASES_YAML}, ["a", "b"]),
    (
        "[cases.yaml, {id: c, assertions: [{type: code-grader, command: x}]}]",
        {"cases.yaml": CASES_YAML},
        ["a", "b", "c"],
    ),
    ("parts/*.yaml", {"parts/2.yaml": f"id: two\n{CHECK}", "parts/1.yaml": f"id: one\n{CHECK}"}, ["one", "two"]),
    ("['**/x.yaml']", {"q/r/x.yaml": f"id: x\n{CHECK}", "q/r/y.yaml": "bogus"}, ["x"]),
    ("./cases/", {"cases/b/case.yaml": CHECK, "cases/a/case.yml": CHECK, "cases/README.md": ""}, ["a", "b"]),
    ("[cases/b, cases/a/case.yaml]", {"cases/b/case.yaml": CHECK, "cases/a/case.yaml": CHECK}, ["b", "a"]),
    ("cases/*/case.yaml", {"cases/b/case.yaml": CHECK, "cases/a/case.yaml": CHECK}, ["a", "b"]),
    ("cases/*", {"cases/b/case.yaml": CHECK, "cases/a/case.yaml": CHECK}, ["a", "b"]),
    ("'${{ WHERE }}'", {"there/a/case.yaml": CHECK}, ["a"]),
]


@pytest.mark.parametrize(("tests", "files", "ids"), SOURCES, ids=[source[0] for source in SOURCES])
def test_tests_may_be_written_in_many_ways(tests: str, files: Mapping[str, str], ids: list[str], tree: Tree) -> None:
    result = loaded(tree, {"EVAL.yaml": f"{SHARED}tests: {tests}\n", **files}, WHERE="./there")
    assert not result.diagnostics, said(result)
    assert names(result) == ids
    assert all(case.checks[-1].name == "shared" for case in result.cases)


MISTAKES = [
    ("tests: ./gone\n", "1:8", "`./gone` does not exist"),
    ("tests: 5\n", "1:8", "`tests` must be a list"),
    ("tests: []\n", "1:8", "must not be empty"),
    ("tests: [5]\n", "1:9", "a case must be a mapping"),
    ("tests: ['*.nothing']\n", "1:9", "no file matches"),
    ("tests: ./empty/\n", "1:8", "has no cases"),
    ("tests: x.txt\n", "1:8", "is not a file of cases"),
    ("tests: ${{ GONE }}\n", "1:8", "GONE, which is not set"),
    ("tests: [{id: a}]\n", "1:9", "the case has no checks"),
    (f"tests: [{{{CHECK.strip()}}}]\n", "1:9", "`id` is missing"),
    (f"{SHARED}name: no\ntests: [{{id: a}}]\n", "2:7", "must be text"),
    (f"{SHARED}worker: 3\ntests: [{{id: a}}]\n", "2:1", "unknown key `worker`"),
    (f"{SHARED}execution: {{workers: 0}}\ntests: [{{id: a}}]\n", "2:22", "at least 1"),
    (f"{SHARED}tests: [{{id: a}}]\ncases: []\n", "3:1", "two names of one field"),
    ("assertions: [{type: nonsense}]\ntests: [{id: a}]\n", "1:21", "unknown type of check"),
    (f"{SHARED}workspace: ./gone\ntests: [{{id: a}}]\n", "2:12", "does not exist"),
    (f"{SHARED}execution: {{targets: [a, a]}}\ntests: [{{id: a}}]\n", "2:26", "the target `a` is named twice"),
    (f"{SHARED}execution: {{target: a, targets: [b]}}\ntests: [{{id: a}}]\n", "2:33", "two names of one field"),
    (f"{SHARED}execution: {{targets: [{{name: a, use: b}}]}}\ntests: [{{id: a}}]\n", "2:33", "unknown key `use`"),
    (f"{SHARED}hooks: {{before: x}}\ntests: [{{id: a}}]\n", "2:9", "unknown key `before`"),
    (f"{SHARED}tests: [{{id: a, depends_on: [z]}}]\n", "2:9", "depends on the case `z`, which does not exist here"),
    (f"{SHARED}tests: [{{id: a, depends_on: b}}, {{id: b, depends_on: [a]}}]\n", "2:9", "depend on each other"),
    (f"{SHARED}tests: [{{id: a}}, {{id: a}}]\n", "2:18", "already has the id `a`"),
]


@pytest.mark.parametrize(("text", "place", "says"), MISTAKES)
def test_a_mistake_in_a_suite_is_reported_at_its_place(text: str, place: str, says: str, tree: Tree) -> None:
    result = loaded(tree, {"EVAL.yaml": text, "empty/": "", "x.txt": ""})
    assert any(f"{f.line}:{f.column}" == place and says in f.message for f in result.errors), said(result)
    assert all(case.id != "a" or "already has the id" in says for case in result.cases)


def test_a_suite_without_tests_is_refused(tree: Tree) -> None:
    assert "`tests` is missing" in said(loaded(tree, {"EVAL.yaml": SHARED}))


def test_all_mistakes_of_a_suite_are_reported_at_once(tree: Tree) -> None:
    text = "worker: 3\nassertions: [{type: nonsense}]\ntests: []\n"
    assert [(found.line, found.column) for found in loaded(tree, {"EVAL.yaml": text}).errors] == [(1, 1), (2, 21)]


def test_nothing_is_graded_when_what_is_shared_is_wrong(tree: Tree) -> None:
    result = loaded(tree, {"EVAL.yaml": f"assertions: [{{type: nonsense}}]\ntests: [{{id: a, {CHECK.strip()}}}]\n"})
    assert result.cases == ()


def test_a_broken_case_stops_no_other(tree: Tree) -> None:
    result = loaded(
        tree,
        {
            "EVAL.yaml": "tests: ./cases\n",
            "cases/a/case.yaml": f"bogus: 1\n{CHECK}",
            "cases/b/case.yaml": CHECK,
            "cases/c/case.yaml": "][",
        },
    )
    assert names(result) == ["b"]
    assert [broken.id for broken in result.broken] == ["a", "c"]
    assert [len(broken.diagnostics) for broken in result.broken] == [1, 1]


def test_duplicate_ids_name_both_files(tree: Tree) -> None:
    files = {"EVAL.yaml": "tests: ./c\n", "c/a/case.yaml": CHECK, "c/b/case.yaml": f"id: a\n{CHECK}"}
    result = loaded(tree, files)
    (found,) = result.errors
    assert (found.file.parent.name, "c/a/case.yaml" in found.message) == ("b", True)
    assert names(result) == ["a"]


def test_a_case_is_here_once_for_each_target(tree: Tree) -> None:
    text = f"""\
execution:
  targets:
  - plain
  - name: tuned
    use_target: ${{{{ AGENT }}}}
    hooks: {{before_each: [bash, ./tune.sh]}}
hooks: {{before_each: [first]}}
{SHARED}tests:
- id: a
- id: b
  execution: {{target: tuned}}
- id: c
  execution: {{targets: [plain, {{name: other, use_target: x}}]}}
"""
    result = loaded(tree, {"EVAL.yaml": text}, AGENT="claude")
    assert not result.diagnostics, said(result)
    assert [(case.id, case.target, case.use_target) for case in result.cases] == [
        ("a", "plain", None),
        ("a", "tuned", "claude"),
        ("b", "tuned", "claude"),
        ("c", "plain", None),
        ("c", "other", "x"),
    ]
    hooks = result.cases[2].hooks
    assert [(hook.origin, hook.command) for hook in hooks] == [
        ("suite", CommandSpec(("first",))),
        ("target tuned", CommandSpec(("bash", "./tune.sh"))),
    ]
    assert hooks[1].directory == result.cases[0].directory


def test_files_of_a_case_are_looked_up_in_its_own_directory_and_then_in_the_suites(tree: Tree) -> None:
    files = {"EVAL.yaml": f"{SHARED}tests: ./cases\n", "cases/a/case.yaml": f"workspace: ./base\n{CHECK}", "base/": ""}
    result = loaded(tree, files)
    (case,) = result.cases
    root = case.directory.parent.parent
    assert case.roots == (root / "cases/a", root)
    assert case.workspace == root / "base"


def test_a_case_directory_gets_what_the_suite_that_names_it_shares(tree: Tree) -> None:
    files = {
        "bench.eval.yaml": f"{SHARED}workspace: ./base\ntests: ./cases\n",
        "base/": "",
        "cases/a/case.yaml": CHECK,
        "cases/b/case.yaml": "bogus: 1\n",
    }
    for name in ("cases/a", "cases/a/case.yaml"):
        result = loaded(tree, files, name)
        assert not result.errors, said(result)
        (case,) = result.cases
        assert [check.name for check in case.checks] == ["code-grader", "shared"]
        assert case.workspace is not None
        assert case.workspace.name == "base"


def test_a_directory_of_cases_gets_what_the_suite_that_names_it_shares(tree: Tree) -> None:
    files = {"bench.eval.yaml": f"{SHARED}tests: ./cases\n", "cases/a/case.yaml": CHECK, "cases/b/case.yaml": CHECK}
    result = loaded(tree, files, "cases")
    assert [[check.name for check in case.checks] for case in result.cases] == [["code-grader", "shared"]] * 2


@pytest.mark.parametrize("tests", ["./other", "[./cases/b]", "nonsense/*", "5"])
def test_a_suite_that_does_not_name_a_case_shares_nothing_with_it(tests: str, tree: Tree) -> None:
    files = {"EVAL.yaml": f"{SHARED}tests: {tests}\n", "cases/a/case.yaml": CHECK, "cases/b/case.yaml": CHECK}
    (case,) = loaded(tree, files, "cases/a").cases
    assert [check.name for check in case.checks] == ["code-grader"]


def test_every_suite_of_a_directory_is_asked_whether_it_names_a_case(tree: Tree) -> None:
    files = {"EVAL.yaml": "tests: ./other\n", "x.eval.yaml": f"{SHARED}tests: ./c\n", "c/a/case.yaml": CHECK}
    assert [check.name for check in loaded(tree, files, "c/a").cases[0].checks] == ["code-grader", "shared"]


def test_a_case_that_two_suites_name_is_not_graded_alone(tree: Tree) -> None:
    files = {"a.eval.yaml": "tests: ./c\n", "b.eval.yaml": "tests: [c/x]\n", "c/x/case.yaml": CHECK}
    assert "several suites name this case" in said(loaded(tree, files, "c/x"))


def test_a_suite_above_that_cannot_be_read_is_pointed_out(tree: Tree) -> None:
    result = loaded(tree, {"EVAL.yaml": "][", "c/x/case.yaml": CHECK}, "c/x")
    assert names(result) == ["x"]
    assert "it is unknown what it shares with its cases" in said(result)


def test_a_suite_outside_of_the_checkout_is_not_asked(tree: Tree) -> None:
    files = {"EVAL.yaml": f"{SHARED}tests: ./repo/x\n", "repo/.git/": "", "repo/x/case.yaml": CHECK}
    assert [check.name for check in loaded(tree, files, "repo/x").cases[0].checks] == ["code-grader"]


def test_a_file_of_cases_is_loaded_without_a_suite(tree: Tree) -> None:
    assert names(loaded(tree, {"cases.yaml": CASES_YAML}, "cases.yaml")) == ["a", "b"]
    assert names(loaded(tree, {"one.yaml": CHECK}, "one.yaml")) == ["one"]


def test_a_broken_line_of_json_stops_no_other_and_has_its_number(tree: Tree) -> None:
    text = LINE % "a" + '{"id": "b", "bogus": 1}\n\n{nonsense\n' + LINE % "c" + b"\xff\n".decode("latin-1")
    result = loaded(tree, {"x.jsonl": text}, "x.jsonl")
    assert names(result) == ["a", "c"]
    assert [(found.line, found.column, found.path) for found in result.errors][:2] == [
        (2, 13, "['line 2'].bogus"),
        (4, 2, ""),
    ]
    assert [broken.id for broken in result.broken] == ["b", "line 4", "line 6"]


def test_json_lines_share_what_the_yaml_file_of_their_name_says(tree: Tree) -> None:
    result = loaded(tree, {"x.jsonl": LINE % "a", "x.yaml": f"name: x\n{SHARED}"}, "x.jsonl")
    assert [check.name for check in result.cases[0].checks] == ["code-grader", "shared"]


def test_the_yaml_file_beside_json_lines_loads_them_too(tree: Tree) -> None:
    files = {"x.jsonl": LINE % "a", "x.yaml": "dataset: basic\nevaluator: llm_judge\nexecution: {target: t}\n"}
    (case,) = loaded(tree, files, "x.yaml").cases
    assert (case.id, case.target, case.about["dataset"]) == ("a", "t", "basic")


@pytest.mark.parametrize("text", ["grader: {}\nfixtures: [{id: a}]\n", "- {test_id: a, range: {min: 1}}\n"])
def test_a_file_without_cases_is_said_to_be_one(text: str, tree: Tree) -> None:
    assert [found.message for found in loaded(tree, {"x.yaml": text}, "x.yaml").errors] == ["this file holds no cases"]


def test_json_lines_of_recorded_results_are_said_to_hold_no_cases(tree: Tree) -> None:
    text = '{"timestamp": "2026-03-01", "test_id": "a", "score": 1}\n' * 3
    assert [found.message for found in loaded(tree, {"x.jsonl": text}, "x.jsonl").errors] == [
        "this file holds no cases"
    ]


def test_a_yaml_file_of_the_same_name_about_something_else_is_pointed_out(tree: Tree) -> None:
    files = {"x.jsonl": LINE % "a", "x.yaml": f"{SHARED}tests: ./other.yaml\n"}
    result = loaded(tree, files, "x.jsonl")
    assert [check.name for check in result.cases[0].checks] == ["code-grader"]
    assert "its `tests` are others" in said(result)


def test_a_case_beside_its_directory_s_suite_is_skipped_and_said(tree: Tree) -> None:
    files = {"EVAL.yaml": f"tests: [{{id: a, {CHECK.strip()}}}, ./named/]\n"}
    for name in ("named", "other", "third"):
        files[f"{name}/case.yaml"] = CHECK
    result = load(tree(files))
    assert names(result) == ["a", "named"]
    (warning,) = result.warnings
    assert "skipped: the case other and 1 more, since EVAL.yaml is the suite" in warning.message
    assert load(tree(files) / "EVAL.yaml").warnings == ()


def test_the_suite_that_the_page_about_cases_shows_is_one(tree: Tree) -> None:
    page = (Path(__file__).parents[3] / "docs" / "case.md").read_text("utf-8")
    text = page.partition("\n## Suites")[2].partition("```yaml\n")[2].partition("```")[0]
    result = loaded(tree, {"EVAL.yaml": text})
    assert names(result) == ["add", "double"]
    assert result.diagnostics == ()


@pytest.mark.parametrize(
    ("suite", "case", "checks"),
    [
        ("execution: {evaluators: [shared]}", "execution: {evaluators: [own]}", ["own"]),
        ("execution: {evaluators: [shared]}", "execution: {assertions: [own]}", ["own"]),
        ("execution: {evaluators: [shared]}", "evaluators: [own]", ["own"]),
        ("execution: {evaluators: [shared]}", "assertions: [own]", ["own", "shared"]),
        ("execution: {evaluators: [shared]}", "rubrics: [own]", [None, "shared"]),
        ("assertions: [shared]", "execution: {evaluators: [own]}", ["own", "shared"]),
        ("assertions: [shared]", "criteria: own", ["shared"]),
    ],
)
def test_checks_under_execution_replace_those_of_the_suite_there(
    suite: str, case: str, checks: list[str | None], tree: Tree
) -> None:
    (found,) = loaded(tree, {"EVAL.yaml": f"{suite}\ntests: [{{id: a, {case}}}]\n"}).cases
    assert [getattr(check, "prompt", None) for check in found.checks] == checks


def test_a_workspace_may_be_described_in_a_file_of_its_own(tree: Tree) -> None:
    files = {
        "shared/workspace.yaml": "template: ./tree\nmode: pooled\ndocker: {image: 'python:3.12', memory: 1g}\n"
        "hooks: {after_each: {reset: fast}, before_each: {command: [make]}}\n",
        "shared/tree/x": "",
        "evals/EVAL.yaml": f"workspace: ../shared/workspace.yaml\ntests: [{{id: a, {CHECK.strip()}}}]\n",
    }
    result = loaded(tree, files, "evals/EVAL.yaml")
    (case,) = result.cases
    assert case.workspace is not None
    assert case.workspace.parts[-2:] == ("shared", "tree")
    assert (case.image, case.limits.memory_bytes) == ("python:3.12", 1024 * MIB)
    assert [hook.command.argv for hook in case.hooks] == [("make",)]


def test_a_file_that_describes_no_workspace_is_refused_at_its_place(tree: Tree) -> None:
    files = {"w.yaml": "tests: []\n", "EVAL.yaml": f"workspace: w.yaml\ntests: [{{id: a, {CHECK.strip()}}}]\n"}
    result = loaded(tree, files)
    assert [(found.file.name, found.line, found.message) for found in result.errors] == [
        ("w.yaml", 1, "unknown key `tests` of a workspace")
    ]


def test_what_a_suite_says_about_itself_reaches_its_cases(tree: Tree) -> None:
    text = (
        "$schema: x\ncategory: safety\ngovernance: {owner: ada, tier: 1}\ndefaults: {a: &a Hello}\nauthor: ada\n"
        f"dataset: set\nexecution: {{trials: {{count: 2}}}}\nthreshold: 0.5\ninput_files: [f.txt]\n{SHARED}tests:\n"
        "- {id: a, input: *a, governance: {tier: 2}, execution: {trials: {count: 4}}}\n- {id: b, category: own}\n"
    )
    first, second = loaded(tree, {"EVAL.yaml": text, "f.txt": ""}).cases
    assert first.about == {"governance": {"owner": "ada", "tier": 2}, "author": ("ada",), "dataset": "set"}
    assert (first.category, second.category) == ("safety", "own")
    assert (first.trials and first.trials.count, second.trials and second.trials.count) == (4, 2)
    assert (first.threshold, first.input[0].content[0]["value"]) == (0.5, "f.txt")  # type: ignore[index]


def test_the_only_suite_below_a_directory_is_loaded_and_of_several_one_has_to_be_named(tree: Tree) -> None:
    files = {"evals/a.eval.yaml": f"tests: [{{id: a, {CHECK.strip()}}}]\n", "node_modules/x/EVAL.yaml": ""}
    assert names(loaded(tree, files, "")) == ["a"]
    (found,) = loaded(tree, {**files, "more/b.eval.yaml": ""}, "").errors
    assert found.message == "several suites lie below this directory, such as evals/a.eval.yaml, more/b.eval.yaml"


def test_mistakes_of_cases_in_other_files_are_reported_beside_those_of_their_suite(tree: Tree) -> None:
    files = {
        "EVAL.yaml": "nmae: x\nassertions: [shared]\ntests: [./more.yaml, {id: b, input: y}]\n",
        "more.yaml": "- {id: a, inptu: x}\n",
    }
    result = loaded(tree, files)
    assert result.cases == ()
    assert sorted((found.file.name, found.message) for found in result.errors) == [
        ("EVAL.yaml", "unknown key `nmae`"),
        ("more.yaml", "unknown key `inptu`"),
    ]
    assert [case.id for case in result.broken] == ["a"]


def test_a_case_that_skips_the_defaults_gets_no_files_of_its_suite(tree: Tree) -> None:
    case_text = f"{{id: a, input: x, execution: {{skip_defaults: true}}, {CHECK.strip()}}}"
    text = f"input_files: [f.txt]\n{SHARED}tests: [{case_text}]\n"
    (case,) = loaded(tree, {"EVAL.yaml": text, "f.txt": ""}).cases
    assert case.input == (Message("user", "x"),)


def test_variables_of_a_case_are_filled_into_the_input_of_its_suite(tree: Tree) -> None:
    text = f"input: 'About {{{{topic}}}}.'\n{SHARED}tests: [{{id: a, vars: {{topic: tea}}, input: Go.}}]\n"
    assert [message.content for message in loaded(tree, {"EVAL.yaml": text}).cases[0].input] == ["About tea.", "Go."]
