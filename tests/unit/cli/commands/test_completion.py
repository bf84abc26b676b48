"""``grade completion``: a script for each shell, and the words that options take."""

from __future__ import annotations

import pytest

from gradebox.graders.cli.commands.completion import Shell
from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode


@pytest.mark.parametrize("shell", Shell)
def test_a_script_names_the_variable_that_typer_reads(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == ExitCode.PASSED
    out, err = capsys.readouterr()
    assert f"_GRADE_COMPLETE=complete_{shell}" in out
    assert err == ""
