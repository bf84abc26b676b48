"""A folder of hand-ins of every shape, graded by one command on a real engine, with a case that `init` has made."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from hand_ins import NOT, RIGHT, write_hand_ins
from running import Ran


def test_each_right_hand_in_passes_and_each_other_is_told_what_to_do(grade: Callable[..., Ran], tmp_path: Path) -> None:
    assert grade("init", "words", "--language", "python").code == 0
    write_hand_ins(tmp_path / "handins", (tmp_path / "words/reference/words.py").read_bytes())
    # One of each shape: the other half of them is graded on a scripted engine.
    places = [path for path in sorted((tmp_path / "handins").iterdir()) if " 2" not in path.name]
    every = [word for path in places for word in ("-s", path)]
    ran = grade("--case", "words", *every, "--json", "--quiet")
    assert ran.code == 1
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(lines) == 30
    for line in lines:
        shape = line["submission"]
        if shape in RIGHT:
            assert (line["verdict"], line["score"]) == ("passed", 1.0), line["reasons"]
        else:
            assert line["verdict"] == "failed", shape
            assert re.search(NOT[shape][1], line["reasons"][0]), line["reasons"]
    # The folder itself is no hand-in.
    ran = grade("--case", "words", "-s", "handins")
    assert (ran.code, "Did you mean -s handins/*?" in ran.stderr) == (2, True)
