"""The JSON Schema and the reference page: generated, valid, and of one mind with the loader."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from gradebox.graders.cases import load
from gradebox.graders.cases.case_fields import CaseEntry, SuiteEntry
from gradebox.graders.cases.schema import as_draft_07, check_spellings, definitions, file_schema
from gradebox.graders.checks.registry import check_types
from gradebox.graders.cli.main import run
from gradebox.graders.documents.entries import spellings
from gradebox.graders.model import verdict_document
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import decide
from gradebox.graders.model.verdict_document import document

ROOT = Path(__file__).parents[3]
SHIPPED = sorted((ROOT / "cases").glob("*/case.yaml"))
CHECK = {"type": "code-grader", "command": ["true"]}
SCHEMAS = {
    "case": file_schema("case"),
    "suite": file_schema("suite"),
    "verdict": as_draft_07(verdict_document.json_schema(), "gradebox verdict"),
}


def mistakes(kind: str, value: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in Draft7Validator(SCHEMAS[kind]).iter_errors(value)]


def loads(directory: Path, value: Any, name: str = "case.yaml") -> bool:
    (directory / name).write_text(json.dumps(value))
    return not load(directory / name, environ={"SET": "1"}).errors


@pytest.mark.parametrize("kind", SCHEMAS)
def test_a_schema_is_a_draft_07_schema_and_needs_nothing_else(kind: str) -> None:
    schema = SCHEMAS[kind]
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    Draft7Validator.check_schema(schema)
    text = json.dumps(schema)
    references = {f"#/definitions/{name}" for name in schema.get("definitions", {})}
    assert {part.split('"')[0] for part in text.split('"$ref": "')[1:]} <= references
    for word in ("$defs", "prefixItems", '"ge":', '"le":', '"gt":', '"lt":'):
        assert word not in text


@pytest.mark.parametrize("kind", SCHEMAS)
def test_it_is_printed(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", kind]) == 0
    assert json.loads(capsys.readouterr().out) == SCHEMAS[kind]


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.parent.name)
def test_the_shipped_cases_are_valid(file: Path) -> None:
    assert mistakes("case", yaml.safe_load(file.read_text("utf-8"))) == []


def mappings(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from mappings(inner)


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.parent.name)
def test_a_misspelt_key_is_refused_wherever_it_is(file: Path) -> None:
    value = yaml.safe_load(file.read_text("utf-8"))
    # What `metadata` and the environment of a service hold is the author's own.
    free = [value.get("metadata"), *(service["env"] for service in value.get("services", {}).values())]
    for mapping in mappings(value):
        if any(mapping is one for one in free):
            continue
        mapping["wieght"] = 1
        assert mistakes("case", value) != []
        del mapping["wieght"]
    assert mistakes("case", value) == []


ACCEPTED: list[dict[str, Any]] = [
    {"assertions": [CHECK]},
    {"assert": [CHECK], "expected_outcome": "x", "input_messages": "y", "id": 7},
    {"execution": {"evaluators": [CHECK], "memory": "512m"}, "limits": None},
    {"evaluators": [{"type": "code_judge", "script": "true", "metric": "m"}]},
    {"assertions": [CHECK], "workspace": {"docker": {"image": "a", "timeout": "30s", "cpus": 2}}},
    {"assertions": [CHECK], "limits": {"memory": 536870912, "cpus": "${{ SET }}", "command_timeout_seconds": 1.5}},
    {"assertions": [{**CHECK, "required": 0.5, "weight": 2, "control": "false", "timeout_seconds": "1m"}]},
    {"assertions": [{**CHECK, "required": "${{ SET }}"}, {**CHECK, "required": True, "negate": False}]},
    {"assertions": [CHECK], "criteria": ["a", "b"], "tags": "one", "protect": "a/*", "metadata": {"x": [1]}},
    {"assertions": [CHECK], "setup": ["echo", "x"], "teardown": [["echo", "x"], {"command": "true"}]},
    {"assertions": [CHECK], "expected_output": {"x": 1}, "input": {"role": "user", "content": "hello"}},
    {"assertions": [CHECK], "criteria": None, "expected_outcome": "x", "env": {"A": 1}},
    {"language": "bash", "examples": ["true", {"code": "true", "weight": 2}], "imports": "sed"},
    {"language": "bash", "assertions": [{"type": "unit_tests", "unit_tests": ["true"], "unit_tests_setup": "true"}]},
    {"input": [{"role": "user", "content": [{"type": "text", "value": "x"}]}], "assertions": [CHECK]},
]


@pytest.mark.parametrize("value", ACCEPTED, ids=json.dumps)
def test_what_the_loader_takes_is_valid(tmp_path: Path, value: dict[str, Any]) -> None:
    assert loads(tmp_path, value)
    assert mistakes("case", value) == []


REFUSED: list[dict[str, Any]] = [
    {"assertions": [CHECK], "assert": [CHECK]},
    {"assertions": [CHECK], "execution": {"evaluators": [CHECK]}},
    {"assertions": [CHECK], "limits": {"memory": "1g"}, "execution": {"memory": "1g"}},
    {"assertions": [{**CHECK, "script": "true"}]},
    {"assertions": [{**CHECK, "name": "a", "metric": "b"}]},
    {"assertions": [{"type": "code-grader"}]},
    {"assertions": [{"command": "true"}]},
    {"assertions": [{"type": "code-grade", "command": "true"}]},
    {"assertions": [{**CHECK, "weight": -1}]},
    {"assertions": [{**CHECK, "required": 1.5}]},
    {"assertions": [{**CHECK, "min_score": 2, "required": True}]},
    {"assertions": [CHECK], "language": "cobol"},
    {"assertions": [CHECK], "limits": {"memory": "much"}},
    {"assertions": [CHECK], "execution": {"timeout_seconds": 4000}},
    {"assertions": [CHECK], "input": {"role": "nobody", "content": "x"}},
    {"assertions": [CHECK], "on_dependency_failure": "ignore"},
    {"assertions": CHECK},
]


@pytest.mark.parametrize("value", REFUSED, ids=json.dumps)
def test_what_is_wrong_in_form_is_refused_by_both(tmp_path: Path, value: dict[str, Any]) -> None:
    assert not loads(tmp_path, value)
    assert mistakes("case", value) != []


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ({"tests": [{"id": "a", "assert": [CHECK]}], "name": 1.5}, True),
        ({"cases": [{"id": "a"}], "execution": {"workers": 2, "evaluators": [CHECK]}}, True),
        ({"eval_cases": [{"id": "a"}], "tests": [{"id": "b"}], "assertions": [CHECK]}, False),
        ({"assertions": [CHECK]}, False),
        ({"tests": [{"include": "other/*.yaml", "select": {"test_ids": ["a"]}}]}, True),
        ({"tests": [{"include": "other/*.yaml", "type": "both"}]}, False),
        ({"tests": [{"id": "a", "asert": [CHECK]}]}, False),
        ({"tests": [{"id": "a", "assert": [CHECK]}], "execution": {"workers": 0}}, False),
    ],
)
def test_a_suite_is_taken_and_refused_by_both(tmp_path: Path, value: dict[str, Any], valid: bool) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.yaml").write_text(json.dumps([{"id": "a", "assertions": [CHECK]}]))
    assert loads(tmp_path, value, "EVAL.yaml") is valid
    assert (mistakes("suite", value) == []) is valid


def test_every_name_of_every_field_is_in_the_schema() -> None:
    schemas = definitions().schemas
    for model, root in ((CaseEntry, "case"), (SuiteEntry, "suite")):
        for first, others in spellings(model).items():
            for name in (first, *others):
                schema: Any = schemas[root]
                for part in name.split("."):
                    field = schema["properties"][part]
                    alternatives = [*field.get("anyOf", []), field]
                    named = [one["$ref"].rpartition("/")[2] for one in alternatives if "$ref" in one]
                    schema = schemas[named[0]] if named else field


@pytest.mark.parametrize("first", check_types())
def test_every_spelling_of_a_type_has_the_fields_of_the_type(first: str) -> None:
    for spelled in check_spellings(first):
        assert mistakes("case", {"assertions": [{"type": spelled, "no such field": 1}]}) != []
        assert not any("is not one of" in text for text in mistakes("case", {"assertions": [{"type": spelled}]}))


def test_a_verdict_is_valid() -> None:
    graded = Result("0", "case", "work", decide([], threshold=0.8), datetime(2026, 1, 31, tzinfo=UTC))
    found = document(graded, "run").model_dump(mode="json")
    assert mistakes("verdict", found) == []
    assert mistakes("verdict", {**found, "verdict": "perhaps"}) != []
    assert mistakes("verdict", {**found, "more": 1}) != []


def test_every_field_has_a_meaning() -> None:
    """A field without one: give it a `description`."""
    schemas = definitions().schemas
    fields = [(name, field, said) for name, one in schemas.items() for field, said in one.get("properties", {}).items()]
    missing = [f"{name}.{field}" for name, field, said in fields if name != "check" and not said.get("description")]
    assert missing == []
