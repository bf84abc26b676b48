"""What cheats bring beside their own files."""

from __future__ import annotations

from pathlib import Path

from grading_bench import write

from gradebox.graders.authoring.attack.planting import PLANTED, planted
from gradebox.graders.authoring.attack.surface import Surface, surface
from gradebox.graders.cases import load
from gradebox.graders.model.tree import content, parents

CASE = (
    "image: image\nenv: {PATH: '/workspace/bin:/bin'}\n"
    "assertions: [{type: code-grader, command: [python3, tests/judge.py]}]\n"
)


def of(root: Path) -> Surface:
    write(
        root,
        {"case.yaml": CASE, "workspace/tests/judge.py": "import csv\nimport slug\n", "reference/slug.py": "x = 1\n"},
    )
    (case,) = load(root).cases
    return surface(case)


def test_each_lies_where_graders_look(tmp_path: Path) -> None:
    found = {name: set(planted(of(tmp_path), name)) for name in PLANTED}
    assert {"conftest.py", "tests/conftest.py", "forged.pth", "pytest.ini"} <= found["plant/control-files"]
    assert "csv.py" in found["plant/modules"]
    assert "slug.py" not in found["plant/modules"]
    assert "tests/csv.py" in found["plant/modules-beside-graders"]
    assert found["plant/graders"] == {"tests/judge.py", "judge.py"}
    assert {"bin/python3", "bin/diff"} <= found["path/programs"]


def test_no_file_lies_below_another_and_all_are_programs(tmp_path: Path) -> None:
    for name in PLANTED:
        entries = planted(of(tmp_path), name)
        assert not any(parent in entries for path in entries for parent in parents(path))
        assert all(entry.executable and content(entry) for entry in entries.values())
