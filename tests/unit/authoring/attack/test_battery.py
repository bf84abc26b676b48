"""Every cheat becomes a submission of a case, or says why it does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest
from grading_bench import write

from gradebox.graders.authoring.attack.battery import Cheat, battery, names
from gradebox.graders.authoring.attack.surface import surface
from gradebox.graders.cases import load
from gradebox.graders.model.submission import Form
from gradebox.graders.model.tree import content
from gradebox.graders.submissions.answer import extract_code

CASE = "language: python\nexamples: [assert 1]\n"
FAMILIES = {
    "daemon",
    "equal",
    "exit",
    "frames",
    "home",
    "link",
    "mixed",
    "mock",
    "nan",
    "patch",
    "path",
    "peer",
    "plant",
    "print",
    "read",
    "report",
    "star",
    "swallow",
    "words",
}


def cheats(root: Path, files: dict[str, str], case: str = CASE) -> dict[str, Cheat]:
    write(root, {"case.yaml": case, **files})
    (found,) = load(root).cases
    return {cheat.name: cheat for cheat in battery(surface(found))}


def test_all_families_are_there() -> None:
    assert {name.partition("/")[0] for name in names()} == FAMILIES


def test_a_cheat_replaces_the_files_of_the_solution(tmp_path: Path) -> None:
    found = cheats(tmp_path, {"reference/slug.py": "def slugify(text): return text.lower()\n"})
    submission = found["exit/in-call"].submission
    assert submission is not None
    text = content(submission.tree.entries["slug.py"]).decode()
    assert "os._exit(0)" in text
    assert "def slugify(*args, **kwargs):" in text
    assert "lower" not in text


def test_no_cheat_knows_the_solution(tmp_path: Path) -> None:
    found = cheats(tmp_path, {"reference/slug.py": "def slugify(text): return 'a-secret-of-the-reference'\n"})
    for cheat in found.values():
        for entry in cheat.submission.tree.files() if cheat.submission else ():
            assert b"a-secret-of-the-reference" not in content(entry), cheat.name


def test_what_has_no_program_or_no_function_says_so(tmp_path: Path) -> None:
    found = cheats(tmp_path, {"reference/main.go": "package main\n", "reference/go.py": "print(1)\n"})
    assert found["exit/in-call"].misfit == "a submission brings no function"
    assert found["patch/equality"].misfit == "it has no program for go, python"
    assert found["path/programs"].misfit == "the case has no place for it"


@pytest.mark.parametrize("text", ["It is x.", "```python\ndef add(a, b): return a + b\n```\n"])
def test_a_case_of_answers_gets_answers(tmp_path: Path, text: str) -> None:
    case = f"language: python\nexamples: [assert 1]\nreference_solution: {text!r}\n".replace("\\n", "\\n")
    found = cheats(tmp_path, {}, case)
    (loaded,) = load(tmp_path).cases
    submission = found["exit/at-load"].submission or found["words/likely"].submission
    assert submission is not None
    assert submission.form is Form.ANSWER
    assert extract_code(loaded, submission).tree.entries.keys() <= {"solution.py", "answer.md"}


def test_what_is_planted_stands_beside_functions_that_do_nothing(tmp_path: Path) -> None:
    found = cheats(tmp_path, {"reference/slug.py": "def slugify(text): return text\n"})
    submission = found["plant/control-files"].submission
    assert submission is not None
    assert {"slug.py", "conftest.py", "sitecustomize.py"} <= submission.tree.entries.keys()
    assert b"def slugify" in content(submission.tree.entries["slug.py"])
