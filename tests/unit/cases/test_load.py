"""Whatever is in a file, loading it ends with a result: cases, or errors with places. It never raises."""

from __future__ import annotations

import gc
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradebox.graders.cases import Loaded, load
from gradebox.graders.checks.registry import known_types

NAMES = ["case.yaml", "EVAL.yaml", "x.yaml", "x.json", "x.jsonl", "definition.toml"]
TYPES = [name.replace("-", "_") for name in known_types()]
WORDS = [
    *TYPES,
    *"[]{}:-?,&*!|>'\"#%@`~\n\t\\\0 ",
    *("&a", "*a", "<<:", "!!str", "!x", "${{", "}}", "${{ A }}", "${{ B }}", "- ", ": ", "---\n", "\n  "),
    *("no", "010", "null", "true", "1e999", ".nan", "12:30", "2024-01-01", "-1", "0", "9" * 400, "a" * 200, "../x"),
    *("assertions", "assert", "evaluators", "execution", "limits", "workspace", "docker", "image", "tests", "type"),
    *("code-grader", "script", "command", "items", "examples", "unit_tests", "setup", "required", "weight", "id"),
    *("rubrics", "criteria", "check", "aggregator", "weights", "score_ranges", "fields", "paths", "schema", "value"),
    *("input", "role", "content", "metadata", "targets", "hooks", "depends_on", "memory", "code_generation"),
]
SEEDS = [
    """\
id: a
input: x
limits: {memory: 1g}
assertions:
- type: code-grader
  command: [a]
  required: 0.5
""",
    """\
name: s
workspace: {docker: {image: x}}
execution: {targets: [{name: t, hooks: {before_all: x}}]}
tests:
- id: a
  execution: {evaluators: [{type: script, script: a}]}
""",
    """\
language: python
examples:
- x
- {name: a, code: y}
unit_tests_setup: [z]
setup: [[a, b], c]
teardown: x
""",
    """\
input:
- role: user
  content:
  - {type: file, value: x}
expected_output: [{role: assistant, tool_calls: []}]
""",
    """\
rubrics:
- x
- {id: r, outcome: y, score_ranges: {0: a, 10: b}, required_min_score: 7}
- {check: gate, weight: 2}
assertions:
- words
- type: composite
  name: gate
  aggregator: {type: threshold, threshold: 0.5, weights: {contains: 2}}
  assert:
  - {type: contains, value: x, file: a}
  - {type: not-regex, value: "(x)", flags: i}
  - {type: is-json, schema: {type: object, properties: {}}}
- {type: field-accuracy, fields: [{path: a, match: date, formats: DD}]}
- {type: tool-trajectory, minimums: {a: 1}, expected: [{tool: a, args: any}]}
- {type: file-changes, only: [x], min_files: 1}
- {type: llm-rubric, value: x, config: {a: 1}}
- {type: execution-metrics, max_tokens: 1}
""",
]

texts = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=40).map("\n".join),
)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=6),
    max_leaves=30,
)


def check(loaded: Loaded) -> None:
    assert loaded.cases or loaded.errors
    for found in loaded.diagnostics:
        assert "pydantic" not in str(found)
        assert found.message
    for broken in loaded.broken:
        assert broken.diagnostics
    for case in loaded.cases:
        assert case.checks
        assert len({spec.name for spec in case.checks}) == len(case.checks)


@pytest.fixture(scope="module")
def load_bytes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, bytes], Loaded]:
    root: Path = tmp_path_factory.mktemp("fuzz")

    def load_it(name: str, content: bytes) -> Loaded:
        directory = root / name.replace(".", "-")
        directory.mkdir(exist_ok=True)
        (directory / name).write_bytes(content)
        return load(directory / name, environ={"A": "1"})

    return load_it


fuzzing = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)


@given(name=st.sampled_from(NAMES), content=st.binary(max_size=200))
@fuzzing
def test_bytes(name: str, content: bytes, load_bytes: Callable[[str, bytes], Loaded]) -> None:
    check(load_bytes(name, content))


@given(name=st.sampled_from(NAMES), text=texts)
@fuzzing
def test_text(name: str, text: str, load_bytes: Callable[[str, bytes], Loaded]) -> None:
    check(load_bytes(name, text.encode("utf-8", "replace")))


@given(name=st.sampled_from(NAMES[:-1]), value=values)
@fuzzing
def test_data(name: str, value: Any, load_bytes: Callable[[str, bytes], Loaded]) -> None:
    check(load_bytes(name, json.dumps(value).encode()))


@given(name=st.sampled_from(NAMES), seed=st.sampled_from(SEEDS), edits=st.integers(0, 2**32))
@fuzzing
def test_a_sound_file_with_mistakes(
    name: str, seed: str, edits: int, load_bytes: Callable[[str, bytes], Loaded]
) -> None:
    chance = random.Random(edits)
    text = seed
    for _ in range(chance.randint(1, 5)):
        at = chance.randint(0, len(text))
        text = text[:at] + chance.choice(["", *WORDS]) + text[at + chance.randint(0, 4) :]
    check(load_bytes(name, text.encode()))


@pytest.mark.parametrize("collecting", [True, False])
def test_loading_leaves_the_garbage_collector_as_it_was(collecting: bool, tmp_path: Path) -> None:
    was = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        load(tmp_path / "none.yaml")
        assert gc.isenabled() is collecting
    finally:
        (gc.enable if was else gc.disable)()
