"""What a case file promises, statement by statement: which spellings load, as what, and what is refused where."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.cases import Loaded, load
from gradebox.graders.model.case import Case

CHECK = "assertions: [{type: code-grader, command: [judge]}]\n"


def loaded(root: Path, text: str, files: Mapping[str, str] | None = None, **environ: str) -> Loaded:
    for name, content in {"example/case.yaml": text, **(files or {})}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return load(root / "example", environ=environ)


def case_of(root: Path, text: str, files: Mapping[str, str] | None = None, **environ: str) -> Case:
    found = loaded(root, text + CHECK, files, **environ)
    assert not found.errors, "\n".join(map(str, found.errors))
    (case,) = found.cases
    return case


def first(case: Case) -> Any:
    return case.input[0]


LOADS: list[tuple[str, Callable[[Case], Any], Any]] = [
    # id
    ("", lambda case: case.id, "example"),
    ("id: a.B_1-c\n", lambda case: case.id, "a.B_1-c"),
    (f"id: {'a' * 128}\n", lambda case: case.id, "a" * 128),
    ("id: 7\n", lambda case: case.id, "7"),
    # What the case is about
    ("criteria: Works.\n", lambda case: case.criteria, "Works."),
    ("expected_outcome: Works.\n", lambda case: case.criteria, "Works."),
    ("input: Do it.\n", lambda case: (first(case).role, first(case).content), ("user", "Do it.")),
    ("input_messages: {role: system, content: A}\n", lambda case: (len(case.input), first(case).role), (1, "system")),
    (
        "input: [{role: user, content: A}, {role: assistant, content: B}, {role: tool, content: C, tool_call_id: x}]\n",
        lambda case: [(one.role, one.tool_call_id) for one in case.input],
        [("user", None), ("assistant", None), ("tool", "x")],
    ),
    (
        "input: [{role: user, name: ann, content: [{type: text, value: A}, {type: json, value: {b: 1}}]}]\n",
        lambda case: (first(case).name, [dict(block) for block in first(case).content]),
        ("ann", [{"type": "text", "value": "A"}, {"type": "json", "value": {"b": 1}}]),
    ),
    ("expected_output: '4'\n", lambda case: case.expected_output, "4"),
    ("expected_output: {sum: 4}\n", lambda case: case.expected_output, {"sum": 4}),
    (
        "expected_messages: [{role: assistant, content: '4'}]\n",
        lambda case: [(one.role, one.content) for one in case.expected_output],
        [("assistant", "4")],
    ),
    # Surroundings
    ("image: a:1\n", lambda case: case.image, "a:1"),
    ("workspace: {docker: {image: a:1}}\n", lambda case: case.image, "a:1"),
    (
        "workspace: {docker: {image: a:1, timeout: 20, memory: 64m, cpus: 2}}\n",
        lambda case: (case.command_seconds, case.limits.memory_bytes, case.limits.cpus),
        (20, 64 * 1024**2, 2),
    ),
    ("workspace: {env: {A: '1'}}\n", lambda case: case.env, {"A": "1"}),
    ("protect: ['a/*']\nallow: [conftest.py]\n", lambda case: (case.protect, case.allow), (("a/*",), ("conftest.py",))),
    ("", lambda case: (case.timeout_seconds, case.threshold), (300, 0.8)),
    ("execution: {timeout_seconds: 1}\n", lambda case: case.timeout_seconds, 1),
    (
        "execution: {timeout_seconds: 3600, threshold: 0}\n",
        lambda case: (case.timeout_seconds, case.threshold),
        (3600, 0),
    ),
    ("execution: {target: a}\n", lambda case: case.target, "a"),
    ("execution: {memory: 64m}\n", lambda case: case.limits.memory_bytes, 64 * 1024**2),
    ("", lambda case: str(case.limits.network), "none"),
    (
        "limits: {memory: 64m, cpus: 2, pids: 9, disk: 32m, output: 1k, command_timeout_seconds: 3, network: bridge}\n",
        lambda case: (
            case.limits.memory_bytes,
            case.limits.cpus,
            case.limits.pids,
            case.limits.disk_bytes,
            case.output_bytes,
            case.command_seconds,
            str(case.limits.network),
        ),
        (64 * 1024**2, 2, 9, 32 * 1024**2, 1024, 3, "bridge"),
    ),
    ("reference_solution: 'def f(): pass'\n", lambda case: case.reference_text, "def f(): pass"),
    # Kept and shown
    (
        "conversation_id: c\ndescription: d\nnote: n\nmetadata: {a: 1}\ncategory: g\ntags: [t]\n",
        lambda case: (case.conversation_id, case.description, case.note, case.metadata, case.category, case.tags),
        ("c", "d", "n", {"a": 1}, "g", ("t",)),
    ),
    (
        "governance: {owner: o}\nauthor: a\nlicense: MIT\nrequires: {gpu: 0}\n",
        lambda case: dict(case.about),
        {"governance": {"owner": "o"}, "author": ("a",), "license": "MIT", "requires": {"gpu": 0}},
    ),
    ("", lambda case: (case.depends_on, case.on_dependency_failure), ((), "skip")),
    # Tool calls in both shapes
    (
        "input: [{role: assistant, tool_calls: [{id: '1', type: function, function: {name: f, arguments: '{}'}}]}]\n",
        lambda case: first(case).tool_calls[0]["function"]["name"],
        "f",
    ),
    (
        (
            "input: [{role: assistant, tool_calls: [{tool: f, input: {a: 1}, output: o, id: x, status: ok, "
            "duration_ms: 3}]}]\n"
        ),
        lambda case: dict(first(case).tool_calls[0]),
        {"tool": "f", "input": {"a": 1}, "output": "o", "id": "x", "status": "ok", "duration_ms": 3},
    ),
    # Variables of the environment
    ("input: ${{ A }} b\n", lambda case: first(case).content, "1 b"),
    ("input: ${{ NOTHING:- }}b\n", lambda case: first(case).content, "b"),
    ("input: ${{ NOTHING:-x y }} b\n", lambda case: first(case).content, "x y b"),
]


@pytest.mark.parametrize(("text", "found", "expected"), LOADS, ids=range(len(LOADS)))
def test_what_is_written_is_loaded(text: str, found: Callable[[Case], Any], expected: Any, tmp_path: Path) -> None:
    assert found(case_of(tmp_path, text, A="1")) == expected


REFUSED = [
    ("id: ..\n", "id"),
    ("id: a/b\n", "id"),
    ("id: .a\n", "id"),
    ("id: -a\n", "id"),
    ("id: 'a\\b'\n", "id"),
    (f"id: {'a' * 129}\n", "longer than 128"),
    ("id: 010\n", "010"),
    ("id: 'a b'\n", "id"),
    ("input: no\n", "no"),
    ("input: 12:30\n", "12:30"),
    ("description: 010\n", "010"),
    ("criteria: a\nexpected_outcome: b\n", "two names of one field"),
    ("input: a\ninput_messages: b\n", "two names of one field"),
    ("expected_output: a\nexpected_messages: b\n", "two names of one field"),
    ("image: a\nworkspace: {docker: {image: b}}\n", "two names of one field"),
    ("limits: {memory: 64m}\nexecution: {memory: 64m}\n", "two names of one field"),
    ("evaluators: [x]\n", "two names of one field"),
    ("execution: {evaluators: [x]}\n", "two names of one field"),
    ("crieria: a\n", "unknown key `crieria`"),
    ("execution: {timeout_second: 5}\n", "unknown key `timeout_second`"),
    ("execution: {timeout_seconds: 0.5}\n", "timeout_seconds"),
    ("execution: {timeout_seconds: 3601}\n", "timeout_seconds"),
    ("execution: {threshold: 1.5}\n", "threshold"),
    ("limits: {network: all}\n", "network"),
    ("input: [{role: robot, content: a}]\n", "role"),
    ("input: [{role: user, content: [{type: file, value: none.txt}]}]\n", "none.txt"),
    ("input: [{role: user, content: [{type: video, value: x}]}]\n", "block"),
    ("input: ${{ NOTHING }}\n", "NOTHING"),
    ("workspace: none/\n", "does not exist"),
    ("on_dependency_failure: explode\n", "on_dependency_failure"),
    ("language: cobol\n", "cobol"),
    ("id: a\nid: b\n", "twice"),
    ("input: !!python/object:os.system x\n", "tag"),
    ("setup: [{command: 'echo ${{ A }}'}]\n", "shell"),
]


@pytest.mark.parametrize(("text", "words"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_wrong_is_refused_with_its_place(text: str, words: str, tmp_path: Path) -> None:
    found = loaded(tmp_path, text + CHECK, A="1")
    assert not found.cases
    assert any(words in str(error) for error in found.errors), found.errors
    assert all(error.line >= 1 and error.column >= 1 and error.file.name == "case.yaml" for error in found.errors)


def test_a_misspelt_key_has_a_suggestion_and_a_path(tmp_path: Path) -> None:
    (error,) = loaded(tmp_path, "execution: {timeout_second: 5}\n" + CHECK).errors
    assert str(error).startswith(f"{tmp_path}/example/case.yaml:1:13: ")
    assert "execution.timeout_second" in str(error)
    assert "Did you mean `timeout_seconds`?" in str(error)


@pytest.mark.parametrize("name", ["assertions", "assert", "evaluators", "execution.evaluators"])
def test_checks_have_four_names(name: str, tmp_path: Path) -> None:
    listed = "[{type: contains, value: x}]"
    text = f"execution: {{evaluators: {listed}}}\n" if "." in name else f"{name}: {listed}\n"
    (case,) = loaded(tmp_path, text).cases
    assert [check.type for check in case.checks] == ["contains"]


def test_what_lies_beside_the_case_and_its_suite_is_found_by_name(tmp_path: Path) -> None:
    suite = {"EVAL.yaml": "workspace: shared\ntests: [./example, ./other]\n", "shared/a": "", "other/case.yaml": CHECK}
    case = case_of(tmp_path, "", {"example/workspace/b": "", **suite})
    assert case.workspace == tmp_path / "example" / "workspace"
    assert [one.workspace for one in load(tmp_path / "other").cases] == [tmp_path / "shared"]


@pytest.mark.parametrize("written", ["workspace: tree\n", "workspace: {template: tree}\n"])
def test_a_directory_is_the_workspace(written: str, tmp_path: Path) -> None:
    assert case_of(tmp_path, written, {"example/tree/a": ""}).workspace == tmp_path / "example" / "tree"


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("criteria: It works.\n", ["llm-grader"]),
        ("criteria: It works.\nrubrics: [It is short.]\n", ["rubrics"]),
        ("language: python\nexamples: [f()]\nunit_tests: [g()]\n", ["examples", "unit-tests"]),
        ("assertions: [It is kind.]\n", ["llm-grader"]),
    ],
)
def test_which_checks_a_case_has(text: str, types: list[str], tmp_path: Path) -> None:
    (case,) = loaded(tmp_path, text).cases
    assert [check.type for check in case.checks] == types


def test_no_check_at_all_and_weights_of_zero_are_errors(tmp_path: Path) -> None:
    assert "no checks" in str(loaded(tmp_path, "input: x\n").errors)
    assert "weights" in str(loaded(tmp_path, "assertions: [{type: contains, value: x, weight: 0}]\n").errors)


def test_a_file_above_up_to_the_root_of_the_repository_is_found(tmp_path: Path) -> None:
    files = {".git/HEAD": "", "shared/a.txt": "text"}
    block = "input: [{role: user, content: [{type: file, value: shared/a.txt}]}]\n"
    case = case_of(tmp_path, block, files)
    assert first(case).content[0]["path"] == str(tmp_path / "shared" / "a.txt")
