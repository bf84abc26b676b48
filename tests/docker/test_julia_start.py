"""Julia's image has compiled gradebox's programs, so that Julia does not compile them for each item."""

from __future__ import annotations

import pytest
from apart_sandbox import ApartGrader, opened

from gradebox.graders import languages
from gradebox.graders.languages.item_protocol import completed, encode
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.images.recipes import reference
from gradebox.sandbox.types import CANDIDATE_DIRECTORY, GRADER_HOME, GRADER_TMPDIR, Candidates, Command

TOKEN = "a" * 32


@pytest.mark.parametrize("apart", [True, False], ids=["apart", "in-process"])
def test_an_item_compiles_next_to_nothing_of_ours(engine: Engine, apart: bool) -> None:
    program, *words = languages.get("julia").argv(apart=apart)
    stdin = encode(TOKEN, setup=['include("solution.jl")'], item="@assert f(1) == 2")
    with opened(engine, reference("julia")) as sandbox:
        grader = ApartGrader(sandbox, [file_entry("solution.jl", b"f(x) = x + 1\n")])
        env = {**sandbox.env, "HOME": GRADER_HOME, "TMPDIR": GRADER_TMPDIR}
        env["PATH"] = f"{CANDIDATE_DIRECTORY}:{env['PATH']}"
        argv, users = (program, "--trace-compile=stderr", *words), Candidates(grader.first)
        command = Command(argv, env=env, uid=grader.uid, report=True, stdin=stdin, candidates=users)
        # It takes hundreds of methods to judge an item. The candidate's process prints here, too.
        outcome = sandbox.run(command)
    assert completed(TOKEN, outcome.report.content()), outcome.stderr.text()
    lines = outcome.stderr.text().splitlines()
    assert any("Program.f" in line or "Main.f" in line for line in lines), lines
    assert len([line for line in lines if "Gradebox" in line]) <= 5, lines
