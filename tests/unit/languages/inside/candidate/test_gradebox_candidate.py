"""Graders start programs of the submission by the command `candidate`."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from gradebox.graders.languages.inside.candidate import gradebox_candidate as candidate

# It does the command, and writes down its own words.
COMMAND = """#!/bin/sh
echo "$@" >> "$SAID"
while [ "$1" != -- ] && [ $# -gt 0 ]; do shift; done
[ $# -eq 0 ] || { shift; exec "$@"; }
"""


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file in which the words of the command are."""
    (tmp_path / "candidate").write_text(COMMAND)
    (tmp_path / "candidate").chmod(0o755)
    monkeypatch.setattr(candidate, "_PROGRAM", str(tmp_path / "candidate"))
    monkeypatch.setenv("SAID", str(tmp_path / "said"))
    return tmp_path / "said"


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({}, []),
        ({"timeout": 1.5}, ["--timeout", "1.5"]),
        ({"timeout": 2, "memory": 1024}, ["--timeout", "2", "--memory", "1024"]),
    ],
    ids=str,
)
def test_limits_come_before_the_command(limits: dict[str, int], words: list[str]) -> None:
    assert candidate.argv(["--odd", "a b"], **limits) == ["candidate", *words, "--", "--odd", "a b"]


def test_a_program_runs_to_its_end(said: Path) -> None:
    ran = candidate.run(["cat"], input="2 3\n", timeout=5)
    assert (ran.returncode, ran.stdout, said.read_text()) == (0, "2 3\n", "--timeout 5 -- cat\n")
    assert candidate.run(["cat"], input=b"\xff").stdout == b"\xff"
    assert candidate.run(["sh", "-c", "exit 3"]).returncode == 3


def test_it_is_not_looked_up_where_the_environment_of_a_program_says(said: Path, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "candidate").write_text("#!/bin/sh\necho forged\n")
    (tmp_path / "own" / "candidate").chmod(0o755)
    env = {"PATH": f"{tmp_path / 'own'}:/usr/bin:/bin", "SAID": str(said)}
    assert candidate.run(["echo", "right"], env=env).stdout == "right\n"


def test_one_can_talk_with_a_program(said: Path) -> None:
    with candidate.popen(["cat"], memory=5) as program:
        assert program.stdin
        assert program.stdout
        program.stdin.write("hello\n")
        assert program.stdout.readline() == "hello\n"
        program.stdin.close()
    assert said.read_text() == "--memory 5 -- cat\n"


def test_files_are_lent_and_taken_back(said: Path) -> None:
    candidate.lend("a", Path("b"))
    candidate.reclaim("a")
    assert said.read_text() == "--lend a b\n--reclaim a\n"


def test_nobody_passes_a_kill_on_so_another_signal_stands_for_it(said: Path) -> None:
    with candidate.popen(["cat"]) as program:
        assert program.stdin
        assert program.stdout
        program.stdin.write("begun\n")
        program.stdout.readline()
        program.kill()
    assert program.returncode == -signal.SIGPWR
