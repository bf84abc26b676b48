"""Recorded answers of a leaderboard in, evaluations under its names and keys out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from running import Ran

DEFINITION = '''
[code_generation]
name = "double_it"
contributor = "somebody"
criteria = ["parsed", "executed", "passed_unit_tests", "executed_examples"]
prompt = "Write a function `double_it` that doubles a number."
version = "1.0"
examples = ["double_it(2)"]
unit_tests = ["@assert double_it(2) == 4", "@assert double_it(-1) == -2"]
imports = []
reference_solution = """
double_it(x) = 2x
"""
'''

ANSWER = "Here it is:\n```julia\nfunction double_it(x)\n    return 2x\nend\n```\nIt doubles.\n"
WRONG = "```julia\nfunction double_it(x)\n    return x == 2 ? 4 : 0\nend\n```\n"


def record(root: Path, model: str, answer: str) -> None:
    directory = root / "double_it" / model
    directory.mkdir(parents=True)
    stem = "JuliaExpertAsk__1SHOT__20260102_030405__123"
    messages = [{"content": "Write it.", "_type": "usermessage"}, {"content": answer, "_type": "aimessage"}]
    (directory / f"conversation__{stem}.json").write_text(json.dumps(messages))
    evaluation = {"name": "double_it", "model": model, "tokens": [3, 4], "elapsed_seconds": 1.5, "cost": 0.0}
    (directory / f"evaluation__{stem}.json").write_text(json.dumps(evaluation))


def test_a_recorded_tree_becomes_an_evaluated_one(grade: Callable[..., Ran], tmp_path: Path) -> None:
    case = tmp_path / "utilities" / "double_it"
    case.mkdir(parents=True)
    (case / "definition.toml").write_text(DEFINITION)
    record(tmp_path / "recorded", "model-a:7b", ANSWER)
    record(tmp_path / "recorded", "model-b", WRONG)
    ran = grade("--case", case, "--answers", "recorded", "--leaderboard", "out", "--json")
    assert ran.code == 0, ran.stderr
    verdicts = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [found["score"] for found in verdicts] == [1.0, 0.875]
    files = sorted((tmp_path / "out").rglob("evaluation__*.json"))
    assert [path.parent.relative_to(tmp_path / "out").as_posix() for path in files] == [
        "utilities/double_it/model-a:7b",
        "utilities/double_it/model-b",
    ]
    scored = [json.loads(path.read_text()) for path in files]
    assert [(found["unit_tests_passed"], found["unit_tests_count"]) for found in scored] == [(2, 2), (1, 2)]
    assert [(found["examples_executed"], found["parsed"], found["executed"]) for found in scored] == [
        (1, True, True)
    ] * 2
    assert [found["elapsed_seconds"] for found in scored] == [1.5, 1.5]
    assert all(path.with_name(path.name.replace("evaluation", "conversation")).is_file() for path in files)


def test_a_suite_is_graded_from_json_lines_and_one_unreadable_line_leaves_the_others(
    grade: Callable[..., Ran], tmp_path: Path
) -> None:
    case = tmp_path / "tasks" / "utilities" / "double_it"
    case.mkdir(parents=True)
    (case / "definition.toml").write_text(DEFINITION)
    lines = [
        {"case": "double_it", "answer": ANSWER, "model": "org/model-x:7b", "prompt_label": "InJulia"},
        {"case": "double_it", "answer": "double_it(x) = 2x", "model": "org/model-x:7b", "prompt_label": "AsIs"},
    ]
    (tmp_path / "answers.jsonl").write_text("\n".join([*map(json.dumps, lines), "{"]))
    ran = grade("--case", "tasks", "--answers", "answers.jsonl", "--leaderboard", "out", "--json")
    assert ran.code == 4, ran.stderr
    verdicts = [json.loads(line) for line in ran.stdout.splitlines()]
    # Text without any fence holds no code.
    assert [found["score"] for found in verdicts] == [1.0, 0.0]
    assert [found["origin"]["prompt_label"] for found in verdicts] == ["InJulia", "AsIs"]
    files = sorted((tmp_path / "out/utilities/double_it/org/model-x:7b").glob("evaluation__*.json"))
    assert [path.name.split("__")[1] for path in files] == ["AsIs", "InJulia"]
    evaluations = [json.loads(path.read_text()) for path in files]
    assert [(found["prompt_label"], found["unit_tests_passed"]) for found in evaluations] == [
        ("AsIs", 0),
        ("InJulia", 2),
    ]


def test_the_reference_of_a_definition_has_the_full_score(grade: Callable[..., Ran], tmp_path: Path) -> None:
    case = tmp_path / "double_it"
    case.mkdir()
    (case / "definition.toml").write_text(DEFINITION)
    ran = grade("--case", case, "--reference", "--json")
    assert json.loads(ran.stdout)["score"] == 1.0
