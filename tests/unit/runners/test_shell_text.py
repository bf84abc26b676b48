"""The text of a line is read from stdin, and what follows is there for its commands."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest
from tampering_bench import step

from gradebox.graders.runners.shell_text import by_stdin


def run(*argv: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    words, given = by_stdin(replace(step(*argv), stdin=stdin))
    assert argv[2] not in words
    return subprocess.run(words, check=False, input=given, capture_output=True, timeout=20)


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_line_means_the_same(shell: str) -> None:
    text = "printf '%s\\n' 'héllo ш \\n'  \"a\nb\"; cat; echo $0 $1; false || exit 7"
    words = [shell, "-c", text, "me", "x"]
    plain = subprocess.run(words, check=False, input=b"rest\nof it", capture_output=True, timeout=20)
    done = run(*words, stdin=b"rest\nof it")
    assert (done.returncode, done.stdout, done.stderr) == (7, plain.stdout, plain.stderr)


def test_no_variable_of_ours_is_left_and_options_hold() -> None:
    assert run("sh", "-c", 'set | grep -c "^_[lnt]="; true').stdout == b"0\n"
    assert run("sh", "-euc", "false; echo on").stdout == b""
    assert run("sh", "-euc", "echo $unset; echo on").stdout == b""
    assert run("sh", "-c", "if").returncode == 2


@pytest.mark.parametrize(
    "argv",
    [
        ("sh", "-c", "pytest -q"),
        ("sh", "-c", "cd app && A=1 pytest -q > out"),
        ("sh", "-c", "env A=1 python3 judge.py"),
        ("sh", "-c", "exec python3 judge.py"),
        ("sh", "-c", "test -e out"),
        ("sh", "-xc", "a | b"),
        ("sh", "grading/judge.sh", "a | b"),
        ("python3", "-c", "a | b"),
    ],
)
def test_other_commands_stay_as_they_are(argv: tuple[str, ...]) -> None:
    assert by_stdin(replace(step(*argv), stdin=b"in")) == (argv, b"in")
    assert by_stdin(replace(step("sh", "-c", "a | b"), token="t")) == (("sh", "-c", "a | b"), b"")


def test_an_interpreter_takes_the_place_of_its_shell() -> None:
    run_in = by_stdin(step("sh", "-c", "python3 grading/judge.py > out"))[0]
    assert run_in == ("sh", "-c", "exec python3 grading/judge.py > out")
    assert by_stdin(step("sh", "-ec", " cd app && node x.js"))[0] == ("sh", "-ec", "cd app && exec node x.js")
