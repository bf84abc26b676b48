"""Recorded work and fixed answers as targets."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_engine import FakeEngine

from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import content
from gradebox.graders.targets.replay import ReplayTarget
from gradebox.graders.targets.target import Target

SETTINGS = Settings(image_of=lambda _: "image")
DIFF = "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+new\n"
SAID = '{"role": "assistant", "content": "```python\\nx = 1\\n```"}\n'


def made(tmp_path: Path, maker: Target, target: str | None = None) -> Submission:
    engine = FakeEngine()
    case = Case("fix", Place(tmp_path / "case.yaml"), tmp_path, (), language="python", target=target)
    found = maker.produce(engine, case, SETTINGS)
    assert engine.created == [], "nothing runs"
    return found


def replay(tmp_path: Path, path: str = "recorded/{case_id}", target: str | None = None) -> Submission:
    place = Place(tmp_path / "targets.yaml", 1, 1)
    return made(tmp_path, ReplayTarget(name="before", place=place, path=path), target)


def record(tmp_path: Path, **files: str) -> None:
    for name, text in files.items():
        path = tmp_path / "recorded" / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_a_directory(tmp_path: Path) -> None:
    record(tmp_path, **{"fix__a.py": "mine", "other__b.py": "not this"})
    found = replay(tmp_path)
    assert (found.name, found.form, list(found.tree.entries)) == ("before", Form.DIRECTORY, ["a.py"])


def test_a_directory_with_a_transcript_beside_it(tmp_path: Path) -> None:
    record(tmp_path, **{"fix__a.py": "mine", "fix.jsonl": SAID})
    found = replay(tmp_path)
    assert list(found.tree.entries) == ["a.py"]
    assert found.transcript is not None


@pytest.mark.parametrize("name", ["fix.diff", "fix.patch"])
def test_a_diff(tmp_path: Path, name: str) -> None:
    record(tmp_path, **{name: DIFF})
    assert replay(tmp_path).form is Form.DIFF


@pytest.mark.parametrize(
    ("name", "text"), [("fix.md", "```python\nx = 1\n```"), ("fix.txt", "x = 1\n"), ("fix.json", SAID)]
)
def test_an_answer(tmp_path: Path, name: str, text: str) -> None:
    record(tmp_path, **{name: text})
    found = replay(tmp_path)
    assert {path: content(entry) for path, entry in found.tree.entries.items()} == {"solution.py": b"x = 1\n"}


def test_a_path_may_name_the_file_and_the_target(tmp_path: Path) -> None:
    record(tmp_path, **{"new__fix.md": "x = 1", "new__fix.md.diff": DIFF})
    assert replay(tmp_path, "recorded/{target}/{case_id}.md", "new").output == "x = 1"


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({}, "has no recording of fix"),
        ({"fix.md": "", "fix.diff": DIFF}, "several recordings of fix"),
        ({"fix__a": "", "fix.md": ""}, "several recordings of fix"),
        ({"fix.json": SAID, "fix.jsonl": SAID}, "several recordings of fix"),
        ({"fix.json": "{}"}, "cannot be read as a transcript"),
    ],
)
def test_what_cannot_be_replayed_is_an_error_and_no_zero(tmp_path: Path, files: dict[str, str], fault: str) -> None:
    record(tmp_path, **files)
    found = replay(tmp_path)
    assert fault in found.fault
    assert found.problem == ""
