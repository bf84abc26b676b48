"""A folder of hand-ins of every shape, graded by one command on a real engine, with a case that `init` has made."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hand_ins import NOT, RIGHT, write_hand_ins
from running import Ran

MARKER = "MARK01ABCD"
# It sees what the submission sees, and it is hidden, as everything that it names.
HIDDEN = f"""
  - name: {MARKER}
    type: code-grader
    visibility: hidden
    points: 0
    command: [sh, -c, "cat words.py; echo {MARKER}; false"]
    env: {{{MARKER}: x}}
"""


def graded(grade: Callable[..., Ran], root: Path, *, everything: bool) -> None:
    assert grade("init", "words", "--language", "python").code == 0
    case = root / "words/case.yaml"
    text = case.read_text()
    assert "\nassertions:\n" in text
    case.write_text(text.replace("\nassertions:\n", f"\nassertions:{HIDDEN}"))
    # Submissions lie one directory deeper than the folder that is named.
    folder = root / "handins/class of 2026"
    write_hand_ins(folder, (root / "words/reference/words.py").read_bytes())
    for place in folder.iterdir():
        if " 2" in place.name and not everything:
            shutil.rmtree(place) if place.is_dir() else place.unlink()
    reports = ["--report", "gradebook=grades.csv", "--report", "candidate=pages"]
    ran = grade("--case", "words", "--submissions", "handins", *reports, "--json", "--quiet")
    assert ran.code == 1, ran.stderr
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(lines) == (60 if everything else 30)
    for line in lines:
        shape = line["submission"].removesuffix(" 2")
        if shape in RIGHT:
            assert (line["verdict"], line["score"]) == ("passed", 1.0), line["reasons"]
        else:
            assert line["verdict"] == "failed", shape
            assert re.search(NOT[shape][1], line["reasons"][0]), line["reasons"]
    rows = list(csv.DictReader((root / "grades.csv").read_text().splitlines()))
    assert {row["student"] for row in rows} == {line["submission"] for line in lines}
    assert {row["student"] for row in rows if row["total"] == row["of"]} == {
        line["submission"] for line in lines if line["score"] == 1.0
    }
    pages = list((root / "pages").iterdir())
    assert len(pages) == 2 * len(lines)
    assert [page.name for page in pages if MARKER in page.read_text()] == []
    assert "submit a/b, where words.py lies" in (root / "pages/too-deep.html").read_text()
    # Without the pages, everybody would see it.
    assert MARKER in ran.stdout


def test_each_right_hand_in_passes_and_each_other_is_told_what_to_do(grade: Callable[..., Ran], tmp_path: Path) -> None:
    graded(grade, tmp_path, everything=False)
    # The folder itself is not a hand-in.
    ran = grade("--case", "words", "-s", "handins/class of 2026")
    assert (ran.code, "Did you mean -s handins/class of 2026/*?" in ran.stderr) == (2, True)


@pytest.mark.thorough
def test_a_whole_class_of_sixty_is_graded_by_one_command(grade: Callable[..., Ran], tmp_path: Path) -> None:
    graded(grade, tmp_path, everything=True)
