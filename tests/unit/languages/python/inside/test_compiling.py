"""A program that serves is compiled in a process of its own."""

from __future__ import annotations

import os

import pytest

from gradebox.graders.languages.python.inside.compiling import compiled_elsewhere


@pytest.mark.parametrize("serves", [True, False])
def test_the_code_is_that_of_the_program(serves: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if serves:
        monkeypatch.setenv("GRADEBOX_SERVES", "1")
    made: list[int] = []
    fork = os.fork
    monkeypatch.setattr(os, "fork", lambda: made.append(fork()) or made[-1])
    space: dict[str, int] = {}
    exec(compiled_elsewhere("def twice(x): return 2 * x\nfour = twice(2)"), space)
    assert (space["four"], len(made)) == (4, serves)
