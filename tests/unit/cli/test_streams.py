"""What the command writes cannot be written: it ends in order, with a sentence where anybody is left to read it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gradebox.graders.errors import ExitCode

GRADE = Path(sys.executable).with_name("grade")
FULL = "stdout cannot be written: No space left on device."


def grade(shell: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command with what a shell says of its streams."""
    return subprocess.run(
        ["bash", "-c", f'"$@" {shell}', "bash", GRADE, *words],
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
        check=False,
    )


@pytest.mark.parametrize(
    ("shell", "code", "said"),
    [
        ("> /dev/full", ExitCode.NOT_GRADED, f"grade: {FULL}\n"),
        ("2> /dev/full", ExitCode.PASSED, ""),
        (">&-", ExitCode.PASSED, ""),
        ("2>&-", ExitCode.PASSED, ""),
        ("<&- >&- 2>&-", ExitCode.PASSED, ""),
    ],
)
def test_a_command_that_has_its_answer(shell: str, code: ExitCode, said: str) -> None:
    ran = grade(shell, "schema", "verdict")
    assert (ran.returncode, ran.stderr) == (code, said)


@pytest.mark.parametrize(("shell", "code"), [("2> /dev/full", ExitCode.NOT_GRADED), ("2>&-", ExitCode.USAGE)])
def test_a_command_that_has_a_complaint(shell: str, code: ExitCode) -> None:
    ran = grade(shell, "--no-such-option")
    assert (ran.returncode, ran.stdout, ran.stderr) == (code, "", "")


def test_a_pipe_that_does_not_wait_is_waited_for() -> None:
    """If another program that has the pipe makes it one that does not wait, then nothing of the output is lost."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    process = subprocess.Popen([GRADE, "schema", "case"], stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    read: list[bytes] = []

    def drain() -> None:
        with os.fdopen(reading, "rb") as stream:
            read.append(stream.read())

    # It is full (64 KiB) before anything is read.
    reader = threading.Timer(0.8, drain)
    reader.start()
    _, said = process.communicate(timeout=60)
    reader.join()
    assert (process.returncode, said) == (0, "")
    assert read[0].decode() == grade("", "schema", "case").stdout
    assert len(read[0]) > 64 * 1024
