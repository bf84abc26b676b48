"""The same answer to every case."""

from __future__ import annotations

from pathlib import Path

from fake_engine import FakeEngine

from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case, Place
from gradebox.graders.targets.mock import MockTarget


def test_a_mock_gives_the_same_answer_to_every_case(tmp_path: Path) -> None:
    engine = FakeEngine()
    target = MockTarget(name="fixed", place=Place(tmp_path), output="```python a.py\nx\n```")
    for name in ("one", "two"):
        case = Case(name, Place(tmp_path / "case.yaml"), tmp_path, ())
        made = target.produce(engine, case, Settings(image_of=lambda _: "image"))
        assert (made.name, made.output, list(made.tree.entries)) == ("fixed", "```python a.py\nx\n```", ["a.py"])
    assert engine.created == []
