"""``grade completion``: a script for each shell, and the words that options take."""

from __future__ import annotations

import pytest

from graders.cli import completion
from graders.cli.main import run
from graders.errors import ExitCode


@pytest.mark.parametrize("shell", completion.Shell)
def test_a_script_names_the_variable_that_typer_reads(
    shell: completion.Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["completion", shell]) == ExitCode.PASSED
    out, err = capsys.readouterr()
    assert f"_GRADE_COMPLETE=complete_{shell}" in out
    assert err == ""
