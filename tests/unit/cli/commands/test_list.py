"""``grade list``: what it shows of a case."""

from __future__ import annotations

from pathlib import Path

from command_line import CASE, Grade
from grading_bench import write


def test_a_list_has_what_one_looks_for(grade: Grade, no_engine: None) -> None:
    write(Path(), {"case/case.yaml": f"category: web\ntags: [a, b]\nexecution: {{targets: [x, y]}}\n{CASE}"})
    ran = grade("list", "case", "--json")
    assert [found["target"] for found in ran.objects] == ["x", "y"]
    found = ran.objects[0]
    assert (found["id"], found["category"], found["tags"], found["line"]) == ("case", "web", ["a", "b"], 1)
    assert found["checks"] == [{"name": "answer", "type": "code-grader", "weight": 1.0, "required": True}]
    text = grade("list", "case").out
    assert all(word in text for word in ("case", "web", "a, b", "answer", f"{Path('case/case.yaml').resolve()}:1:1"))
