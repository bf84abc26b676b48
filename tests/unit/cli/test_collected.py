"""What would be graded is listed; names are hostile."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.cli.collected import print_collected
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.submission import UNTOUCHED
from gradebox.graders.runs.tasks import Listed, Tasks


def test_a_line_has_no_character_that_a_terminal_obeys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = Case("a", Place(tmp_path), tmp_path, (), target="gpt")
    listed = [Listed(case, "x\x1b[2J\ny", lambda: UNTOUCHED)]
    tasks = Tasks(1, lambda: iter(listed)).repeated(1)
    assert print_collected(tasks, None, as_json=False, quiet=True) == 1
    assert capsys.readouterr() == ("a  x\\x1b[2J\\x0ay  gpt\n", "")
    assert print_collected(tasks, None, as_json=True, quiet=True) == 1
    assert "\x1b" not in capsys.readouterr().out
