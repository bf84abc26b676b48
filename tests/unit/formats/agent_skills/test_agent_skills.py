"""`evals.json`: prompts with expectations become the cases of a suite."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.cases import Loaded, load
from gradebox.graders.checks.llm_grader import LlmGrader

EVALS: dict[str, Any] = {
    "skill_name": "csv-analyzer",
    "evals": [
        {
            "id": 7,
            "prompt": "Find the top months.",
            "expected_output": "November leads.",
            "files": ["evals/files/sales.csv"],
            "expectations": ["It names November.", "It names three months."],
        },
        {"prompt": "Say hello.", "expected_output": "A greeting."},
    ],
}


def loaded(root: Path, data: Any, name: str = "evals.json") -> Loaded:
    (root / "skill" / "evals" / "files").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "skill" / "evals" / "files" / "sales.csv").write_text("month,revenue\n")
    (root / "skill" / "evals" / name).write_text(json.dumps(data, indent=1))
    return load(root / "skill" / "evals" / name, environ={})


@pytest.mark.parametrize("name", ["evals.json", "csv.evals.json"])
def test_each_eval_is_a_case(name: str, tmp_path: Path) -> None:
    found = loaded(tmp_path, EVALS, name)
    assert not found.diagnostics
    first, second = found.cases
    assert (first.id, first.suite, first.metadata) == ("7", "csv-analyzer", {"skill_name": "csv-analyzer"})
    (message,) = first.input
    file, text = message.content
    assert isinstance(file, dict)
    assert file["path"] == str(tmp_path / "skill" / "evals" / "files" / "sales.csv")
    assert text == {"type": "text", "value": "Find the top months."}
    assert (first.criteria, first.expected_output) == ("November leads.", "November leads.")
    assert [check.prompt for check in first.checks if isinstance(check, LlmGrader)] == EVALS["evals"][0]["expectations"]
    assert (second.id, [check.name for check in second.checks]) == ("2", ["criteria"])


def test_a_directory_with_such_a_file_is_its_suite(tmp_path: Path) -> None:
    loaded(tmp_path, EVALS)
    assert [case.id for case in load(tmp_path / "skill" / "evals", environ={}).cases] == ["7", "2"]


def test_checks_may_be_of_any_type_under_either_name(tmp_path: Path) -> None:
    found = loaded(tmp_path, {"evals": [{"prompt": "x", "assertions": [{"type": "contains", "value": "a"}, "b"]}]})
    assert [check.type for check in found.cases[0].checks] == ["contains", "llm-grader"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"evals": []}, "must not be empty"),
        ({"skill_name": "x"}, "must not be empty"),
        ({"evals": [{"promt": "x", "expectations": ["y"]}]}, "unknown key `promt`"),
        ({"evals": [{"prompt": "x", "files": ["none.csv"], "expectations": ["y"]}]}, "none.csv"),
        ({"evals": [{"prompt": "x", "input": "y", "expectations": ["y"]}]}, "unknown key `prompt`"),
        ({"evals": ["x"]}, "`x` does not exist"),
        ([], ""),
    ],
)
def test_a_mistake_is_reported(data: Any, message: str, tmp_path: Path) -> None:
    found = loaded(tmp_path, data)
    assert not found.cases
    assert any(message in str(error) for error in found.errors)
