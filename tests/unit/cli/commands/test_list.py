"""``grade list``: what it shows of a case."""

from __future__ import annotations

from pathlib import Path

from command_line import CASE, Grade
from grading_bench import write

from gradebox.graders.errors import ExitCode


def test_a_list_has_what_one_looks_for(grade: Grade, no_engine: None) -> None:
    write(Path(), {"case/case.yaml": f"category: web\ntags: [a, b]\nexecution: {{targets: [x, y]}}\n{CASE}"})
    ran = grade("list", "case", "--json")
    assert [found["target"] for found in ran.objects] == ["x", "y"]
    found = ran.objects[0]
    assert (found["id"], found["category"], found["tags"], found["line"]) == ("case", "web", ["a", "b"], 1)
    assert found["checks"] == [{"name": "answer", "type": "code-grader", "weight": 1.0, "required": True}]
    text = grade("list", "case").out
    assert all(word in text for word in ("case", "web", "a, b", "answer", f"{Path('case/case.yaml').resolve()}:1:1"))


def test_run_directories_are_passed_over(grade: Grade, no_engine: None) -> None:
    inside = {
        "run.json": "{}",
        "results.jsonl": "",
        "left/case.yaml": CASE,
        "left/a.eval.yaml": f"tests: [{{id: a}}]\n{CASE}",
    }
    write(Path(), {"case/case.yaml": CASE, **{f"runs/20260131-1/{name}": text for name, text in inside.items()}})
    ran = grade("list", ".", "--json")
    assert ([found["id"] for found in ran.objects], ran.err) == (["case"], "")
    ran = grade("validate", ".")
    assert "1 case checked: 0 errors, 1 warning" in ran.err
    assert "runs" not in ran.out
    assert grade("validate", "runs").code == ExitCode.USAGE
