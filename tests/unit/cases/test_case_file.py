"""A case.yaml -> `Case`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gradebox.graders.cases import Loaded, load
from gradebox.graders.checks.llm_grader import LlmGrader
from gradebox.graders.model.case import Case, CommandSpec, Hook, Message
from gradebox.sandbox.limits import GIB, MIB, Network

CHECK = "assertions: [{type: code-grader, command: [make, test]}]\n"
Tree = Callable[[Mapping[str, str | bytes]], Path]

CaseOf = Callable[..., Case]


def test_a_case_with_nothing_but_a_check_has_the_defaults(case_of: CaseOf) -> None:
    case = case_of(CHECK)
    assert case.id == "example"
    assert (case.place.line, case.place.column) == (1, 1)
    assert case.roots == (case.directory,)
    assert (case.workspace, case.grading, case.reference, case.image, case.language, case.target) == (None,) * 6
    assert (case.threshold, case.timeout_seconds, case.command_seconds) == (0.8, 300.0, None)
    assert case.limits.network is Network.NONE


def test_the_directories_of_a_case_are_found_by_name(tree: Tree) -> None:
    root = tree(
        {"a/case.yaml": CHECK, "a/workspace/x": "", "a/grading/x": "", "a/reference/x": "", "a/submissions/x": ""}
    )
    (case,) = load(root / "a", environ={}).cases
    assert (case.workspace, case.grading, case.reference) == (
        root / "a/workspace",
        root / "a/grading",
        root / "a/reference",
    )


def test_a_file_in_the_place_of_a_directory_is_an_error(tree: Tree) -> None:
    loaded = load(tree({"a/case.yaml": CHECK, "a/grading": ""}) / "a", environ={})
    assert [found.message for found in loaded.errors] == ["`grading` beside the case is not a directory"]


def test_everything_a_case_can_say_arrives(tree: Tree) -> None:
    text = """\
id: everything
criteria: done well
input:
  - {role: system, content: be brief}
  - role: user
    name: ada
    content:
      - {type: text, value: look}
      - {type: file, value: ./notes.md}
      - {type: image, value: https://example.com/x.png}
      - {type: json, value: {a: [1, no]}}
expected_output: {answer: 42}
language: python
image: python:3.12
workspace: ../common
setup: pip list
teardown: [[rm, -rf, x], "echo bye", {command: [a], cwd: sub, timeout_seconds: 2m, env: {X: 1}}]
protect: [tests/**, "*.toml"]
allow: conftest.py
env: {LEVEL: "3", PORT: 80}
execution: {timeout_seconds: 30, threshold: 0.5, target: fast}
limits: {memory: 2g, cpus: 0.5, pids: 9, disk: 1g, output: 1m, command_timeout_seconds: 5, network: bridge}
conversation_id: 12
description: d
note: n
category: c
tags: [a, b, a]
depends_on: []
on_dependency_failure: run
metadata: {when: 2024-01-01, n: 1, list: [true, null]}
reference_solution: |
  print(42)
assertions: [{type: code-grader, command: [x]}]
"""
    root = tree({"a/case.yaml": text, "a/notes.md": "", "common/x": ""})
    loaded = load(root / "a", environ={})
    (case,) = loaded.cases
    assert case.id == "everything"
    assert case.input[0] == Message("system", "be brief")
    assert case.input[1].name == "ada"
    assert case.input[1].content == (
        {"type": "text", "value": "look"},
        {"type": "file", "value": "./notes.md", "path": str(root / "a/notes.md")},
        {"type": "image", "value": "https://example.com/x.png"},
        {"type": "json", "value": {"a": [1, "no"]}},
    )
    assert case.expected_output == {"answer": 42}
    assert (case.language, case.image, case.workspace) == ("python", "python:3.12", root / "common")
    assert case.setup == (CommandSpec(("sh", "-c", "pip list"), shell=True),)
    assert case.teardown == (
        CommandSpec(("rm", "-rf", "x")),
        CommandSpec(("sh", "-c", "echo bye"), shell=True),
        CommandSpec(("a",), cwd="sub", timeout_seconds=120.0, env={"X": "1"}),
    )
    assert (case.protect, case.allow) == (("tests/**", "*.toml"), ("conftest.py",))
    assert case.env == {"LEVEL": "3", "PORT": "80"}
    assert (case.timeout_seconds, case.threshold, case.target, case.command_seconds) == (30.0, 0.5, "fast", 5.0)
    limits = case.limits
    assert (limits.memory_bytes, limits.cpus, limits.pids, limits.disk_bytes) == (2 * GIB, 0.5, 9, GIB)
    assert (limits.file_bytes, limits.network, case.output_bytes) == (GIB, Network.BRIDGE, MIB)
    assert (case.conversation_id, case.description, case.note, case.category) == ("12", "d", "n", "c")
    assert (case.tags, case.depends_on, case.on_dependency_failure) == (("a", "b"), (), "run")
    assert case.metadata == {"when": "2024-01-01", "n": 1, "list": [True, None]}
    assert (case.reference, case.reference_text) == (None, "print(42)\n")
    # The only thing to say is about `no` in data that nobody here looks into.
    assert [found.message.split(",")[0] for found in loaded.diagnostics] == ["`no` is kept as text"]


def test_text_is_one_message_of_the_user(case_of: CaseOf) -> None:
    assert case_of(f"input: do it\n{CHECK}").input == (Message("user", "do it"),)


def test_one_message_is_a_list_of_one(case_of: CaseOf) -> None:
    assert case_of(f"input: {{role: tool, content: x, tool_call_id: 3}}\n{CHECK}").input == (
        Message("tool", "x", tool_call_id="3"),
    )


def test_tool_calls_are_read_in_both_shapes(case_of: CaseOf) -> None:
    case = case_of(
        "expected_output:\n- role: assistant\n  tool_calls:\n"
        "  - {id: a, type: function, function: {name: f, arguments: '{}'}}\n"
        "  - {tool: g, input: {x: 1}, output: ok, id: b, status: done, duration_ms: 3}\n" + CHECK
    )
    assert isinstance(case.expected_output, tuple)
    (message,) = case.expected_output
    assert isinstance(message, Message)
    assert message.tool_calls == (
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
        {"tool": "g", "input": {"x": 1}, "output": "ok", "id": "b", "status": "done", "duration_ms": 3.0},
    )


def test_criteria_may_be_a_list(case_of: CaseOf) -> None:
    assert case_of(f"criteria: [parsed, executed]\n{CHECK}").criteria == "parsed\nexecuted"


def test_criteria_alone_are_one_check_in_words(case_of: CaseOf) -> None:
    case = case_of("input: Say hello.\ncriteria: The answer is a greeting.\n")
    (check,) = case.checks
    assert isinstance(check, LlmGrader)
    assert (check.name, check.prompt, check.place.line) == ("criteria", "The answer is a greeting.", 2)


def test_an_expected_output_alone_is_one_check_in_words(case_of: CaseOf) -> None:
    (check,) = case_of("input: Say hello.\nreference_answer: Hello.\n").checks
    assert (check.name, check.type) == ("expected-output", "llm-grader")


def test_criteria_judge_nothing_where_there_is_a_check(case_of: CaseOf) -> None:
    assert [check.type for check in case_of(f"criteria: done well\n{CHECK}").checks] == ["code-grader"]


def test_variables_are_filled_in_and_nothing_else_is(case_of: CaseOf) -> None:
    case = case_of(
        "vars: {city: Rome, person: {name: Ada}, n: 3}\n"
        "input: 'Does {{ person.name }} live in {{city}}? {{n}} {{unknown}} {{person.age}}'\n"
        "criteria: Says {{city}}\nassertions: ['names {{city}}', {type: contains, value: '{{city}}'}]\n"
    )
    assert case.input[0].content == "Does Ada live in Rome? 3 {{unknown}} {{person.age}}"
    assert case.criteria == "Says Rome"
    assert [getattr(check, "prompt", None) or getattr(check, "value", None) for check in case.checks] == [
        "names Rome",
        "Rome",
    ]


def test_files_come_before_the_task(tree: Tree) -> None:
    root = tree({"a/case.yaml": f"input: Sum it up.\ninput_files: [data.csv]\n{CHECK}", "a/data.csv": "1,2\n"})
    (case,) = load(root / "a", environ={}).cases
    (message,) = case.input
    assert message.content == (
        {"type": "file", "value": "data.csv", "path": str(root / "a/data.csv")},
        {"type": "text", "value": "Sum it up."},
    )


def test_a_file_before_the_task_that_does_not_exist_is_a_mistake(load_text: Callable[..., Loaded]) -> None:
    loaded = load_text(f"input: x\ninput_files: [gone.csv]\n{CHECK}")
    assert [(found.path, found.message) for found in loaded.errors] == [
        ("input_files[0]", "the file `gone.csv` does not exist")
    ]


def test_an_explicit_null_is_a_key_that_is_not_there(case_of: CaseOf) -> None:
    case = case_of(f"input: null\nexpected_output: ~\nlimits: {{cpus: null}}\n{CHECK}")
    assert (case.input, case.expected_output, case.limits.cpus) == ((), None, 1.0)


def test_a_solution_may_be_a_path_to_it(tree: Tree) -> None:
    root = tree({"a/case.yaml": f"reference_solution: solution/best.diff\n{CHECK}", "a/solution/best.diff": ""})
    (case,) = load(root / "a", environ={}).cases
    assert (case.reference, case.reference_text) == (root / "a/solution/best.diff", None)


@pytest.mark.parametrize("solution", ["f(x) = x.y/2", "def f(): return 1.5", "x = 'a.b'", "42"])
def test_a_solution_of_one_line_is_not_taken_for_a_path(solution: str, case_of: CaseOf) -> None:
    assert case_of(f'reference_solution: "{solution}"\n{CHECK}').reference_text == solution


def test_a_workspace_mapping_may_bring_everything_around_it(tree: Tree) -> None:
    text = f"""\
workspace:
  template: ./start
  isolation: per_test
  env: {{A: "1", B: "1"}}
  hooks:
    before_each: {{command: [prepare, it], timeout_seconds: 5}}
    after_all: echo bye
  docker: {{image: "node:22", timeout: 20, memory: 300m, cpus: 2}}
env: {{B: "2"}}
{CHECK}"""
    root = tree({"a/case.yaml": text, "a/start/x": "", "a/workspace/x": ""})
    loaded = load(root / "a", environ={})
    (case,) = loaded.cases
    assert not loaded.diagnostics
    assert case.workspace == root / "a/start"
    assert case.image == "node:22"
    assert (case.command_seconds, case.limits.memory_bytes, case.limits.cpus) == (20.0, 300 * MIB, 2.0)
    assert case.env == {"A": "1", "B": "2"}
    assert case.hooks == (
        Hook("before_each", "workspace", CommandSpec(("prepare", "it"), timeout_seconds=5.0), root / "a"),
        Hook("after_all", "workspace", CommandSpec(("sh", "-c", "echo bye"), shell=True), root / "a"),
    )


def test_a_shared_workspace_is_a_copy_all_the_same_and_that_is_said(load_text: Callable[..., Loaded]) -> None:
    loaded = load_text(f"workspace: {{isolation: shared}}\n{CHECK}")
    assert [found.line for found in loaded.warnings] == [1]
    assert len(loaded.cases) == 1


@pytest.mark.parametrize(
    ("written", "argvs"),
    [
        ("make all", [("sh", "-c", "make all")]),
        ("[make, all]", [("make", "all")]),
        ("[bash, setup.sh]", [("bash", "setup.sh")]),
        ('[sh, -c, "make all"]', [("sh", "-c", "make all")]),
        ('["make a", "make b"]', [("sh", "-c", "make a"), ("sh", "-c", "make b")]),
        ('["make a", ls]', [("sh", "-c", "make a"), ("sh", "-c", "ls")]),
        ("[[make, a], make b]", [("make", "a"), ("sh", "-c", "make b")]),
        ("[{command: make}, [ls]]", [("sh", "-c", "make"), ("ls",)]),
        ("{command: [make]}", [("make",)]),
    ],
)
def test_setup_is_one_command_or_a_list_of_them(written: str, argvs: list[tuple[str, ...]], case_of: CaseOf) -> None:
    assert [command.argv for command in case_of(f"setup: {written}\n{CHECK}").setup] == argvs


def test_setup_may_be_told_to_be_gradable(case_of: CaseOf) -> None:
    assert case_of(f"setup: {{command: make, gradable: true}}\n{CHECK}").setup_gradable is True
    assert case_of(f"setup: {{command: make}}\n{CHECK}").setup_gradable is False


def test_limits_may_be_written_in_execution(case_of: CaseOf) -> None:
    case = case_of(f"execution: {{memory: 64m, limits: {{pids: 3}}}}\n{CHECK}")
    assert (case.limits.memory_bytes, case.limits.pids) == (64 * MIB, 3)


def test_the_name_of_a_directory_must_be_an_id(tree: Tree) -> None:
    loaded = load(tree({"my case/case.yaml": CHECK}) / "my case", environ={})
    (found,) = loaded.errors
    assert "the directory's name `my case` cannot be an id" in found.message
    assert loaded.broken[0].id == "my case"


def test_a_broken_case_is_named_by_its_id_where_that_is_sound(load_text: Callable[..., Loaded]) -> None:
    assert load_text(f"id: mine\nbogus: 1\n{CHECK}").broken[0].id == "mine"
    assert load_text(f"id: ../x\n{CHECK}").broken[0].id == "example"


def test_windows_line_endings_and_a_byte_order_mark_do_not_move_anything(load_text: Callable[..., Loaded]) -> None:
    loaded = load_text(b"\xef\xbb\xbfid: a\r\nbogus: 1\r\n" + CHECK.encode())
    assert [(found.line, found.column) for found in loaded.errors] == [(2, 1)]


@pytest.mark.timeout(60)
def test_a_file_of_ten_megabytes_is_refused_at_once(load_text: Callable[..., Loaded]) -> None:
    loaded = load_text("a: [" + "x, " * 3_500_000 + "]\n")
    assert ["is larger than 8192 KiB" in found.message for found in loaded.errors] == [True]


@pytest.mark.timeout(10)
def test_a_named_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a/case.yaml")
    assert [found.message for found in load(tmp_path / "a", environ={}).errors] == ["is not a regular file"]


def test_a_case_file_that_is_a_directory_is_refused(tree: Tree) -> None:
    loaded = load(tree({"a/case.yaml/": ""}) / "a", environ={})
    assert [found.message for found in loaded.errors] == ["is not a regular file"]


def test_a_dangling_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "case.yaml").symlink_to(tmp_path / "gone")
    assert ["cannot be read" in found.message for found in load(tmp_path, environ={}).errors] == [True]


def test_depending_on_a_case_that_is_not_loaded_is_a_warning_for_a_case_alone(load_text: Callable[..., Loaded]) -> None:
    loaded = load_text(f"depends_on: [other]\n{CHECK}")
    assert [found.severity for found in loaded.diagnostics] == ["warning"]
    assert loaded.cases[0].depends_on == ("other",)


def test_a_glob_of_protect_that_stops_at_a_directory_is_doubtful(tree: Tree) -> None:
    text = 'protect: ["src/*.py", "lib/*.py", "docs/*"]\n' + CHECK
    files = {f"a/workspace/{path}": "" for path in ("src/a.py", "src/deep/b.py", "lib/a.py", "docs/deep/x.py")}
    (found,) = load(tree({"a/case.yaml": text, **files}) / "a", environ={}).diagnostics
    assert (found.line, found.column, found.severity) == (1, 11, "warning")
    assert found.message == "`src/*.py` does not match `src/deep/b.py`, since `*` stops at a slash"
    assert found.hint == "Write `src/**/*.py` if that is meant."
