"""Verdicts say which tests passed with other answers than the reference's, and `contract: exact` fails them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from grading_bench import write

from gradebox.graders.cases import load
from gradebox.graders.grading.grader import Grader
from gradebox.graders.model.verdict import Status
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

CASE = """
input: Write words.py. Its function words returns the words of a text, and save writes them to a file.
language: python
isolation: apart
contract: CONTRACT
examples:
  - from words import words; assert [*words("a b")] == ["a", "b"]
  - from words import words; assert len(words("")) == 0
assertions:
  - {type: examples, name: items}
  - {type: examples, name: shared, isolation: shared}
  - {type: code-grader, name: pytest, command: python3 -m pytest -q grading}
  - {type: code-grader, name: unittest, command: python3 -m unittest grading/test_words.py}
"""
TESTS = """
import os, tempfile, unittest
from words import save, words

class Words(unittest.TestCase):
    def test_two(self):
        self.assertEqual([*words("a b")], ["a", "b"])

    def test_none(self):
        self.assertFalse(words(""))

    def test_save(self):
        with tempfile.TemporaryDirectory() as place:
            save("a b", os.path.join(place, "x"))
            with open(os.path.join(place, "x")) as file:
                self.assertEqual(file.read(), "a b")
"""
REFERENCE = "def words(text): return text.split()\ndef save(text, path): open(path, 'w').write(text)\n"
OTHER = REFERENCE.replace("return", "return tuple(").replace("split()", "split())")
OTHER_TWICE = {"items": {"same": 0, "other": 2}, "pytest": {"same": 0, "other": 2, "unknown": 1}}
SAME = {"items": {"same": 2, "other": 0}, "pytest": {"same": 2, "other": 0, "unknown": 1}}


@pytest.mark.parametrize(
    ("contract", "work", "status", "told"),
    [
        ("recorded", "import re\n" + REFERENCE, Status.PASSED, SAME),
        ("recorded", OTHER, Status.PASSED, OTHER_TWICE),
        ("exact", "import re\n" + REFERENCE, Status.PASSED, SAME),
        ("exact", OTHER, Status.FAILED, {"pytest": {"same": 0, "other": 0, "unknown": 1}}),
    ],
)
def test_verdicts_say_with_which_answers_tests_passed(
    engine: DockerEngine, tmp_path: Path, contract: str, work: str, status: Status, told: dict[str, dict[str, int]]
) -> None:
    case_text = CASE.replace("CONTRACT", contract)
    files = {"case.yaml": case_text, "grading/test_words.py": TESTS, "reference/words.py": REFERENCE}
    write(tmp_path, {**{f"case/{name}": text for name, text in files.items()}, "work/words.py": work})
    (case,) = load(tmp_path / "case").cases
    with Grader(engine=engine) as grader:
        verdict = grader.grade(case, read_submission(tmp_path / "work")).verdict
    assert verdict.status is status, verdict.reasons
    found: dict[str, dict[str, Any]] = {check.name: dict(check.details.get("answers", {})) for check in verdict.checks}
    wanted = {**told, "unittest": told["pytest"]} | ({"shared": told["items"]} if "items" in told else {})
    for name, counts in wanted.items():
        assert {key: found[name][key] for key in counts} == counts, (name, found)
