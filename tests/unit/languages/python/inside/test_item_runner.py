"""The item runner of Python, on this machine: what counts as passed."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_runner import PYTHON, HostRun, run, write

from gradebox.graders import languages
from gradebox.graders.languages.item_protocol import Program, completed, controls, encode, encode_shared, missing_import

TOKEN, ONE, TWO = "ab" * 16, "cd" * 16, "ef" * 16
SOURCE = languages.get("python").argv()[-1]


def runs(stdin: bytes, directory: Path) -> HostRun:
    return run([PYTHON, "-I", "-c", SOURCE], directory, stdin)


@pytest.mark.parametrize(
    ("item", "status", "printed"),
    [
        ("assert 1 + 1 == 2", 0, ""),
        ("assert 1 + 1 == 3", 1, "AssertionError"),
        ("1 +", 1, "SyntaxError"),
        ("import sys\nsys.exit(0)", 1, "exited before the end"),
        ("import os\nos._exit(0)", 0, ""),
        ("import work\nassert work.add(1, 2) == 3", 0, ""),
    ],
)
def test_an_item_passes_when_it_ends_without_an_error(item: str, status: int, printed: str, tmp_path: Path) -> None:
    write(tmp_path, work="def add(a, b):\n    return a + b\n")
    ran = runs(encode(TOKEN, item=item), tmp_path)
    assert ran.status == status
    assert printed in ran.printed
    assert completed(TOKEN, ran.report) == (status == 0 and "_exit" not in item)


@pytest.mark.parametrize(
    ("item", "shown"),
    [
        ("assert 1 + 1 == 3", "2 == 3"),
        ("assert 1 == 1\nassert all([n] == [2] for n in (2, 3))", "[3] == [2]"),
        ("assert 'a' * 1000 in {'b': (None, 1.5)}", f"'{'a' * 299}... in {{'b': (None, 1.5)}}"),
        ("assert 1 == 2, 'said'", ""),
        ("assert 1 == 1\nassert not 2", ""),
        ("assert [Loud()] == 1", ""),
        ("assert 10 ** 5000 == 1", ""),
        ("x = [1]\nx.append(x)\nassert x == 1", ""),
    ],
)
def test_a_comparison_that_failed_is_shown_if_it_is_of_plain_data(item: str, shown: str, tmp_path: Path) -> None:
    loud = "class Loud:\n    def __repr__(self):\n        print('loud')\n        return 'x'\n"
    ran = runs(encode(TOKEN, item=item, setup=[loud]), tmp_path)
    assert ran.status == 1
    assert "loud" not in ran.printed
    assert ran.printed.partition("In the submission's process: ")[2] == (shown and f"{shown}\n")


def test_items_that_share_a_process_have_tokens_of_their_own(tmp_path: Path) -> None:
    programs = [Program(ONE, "assert x == 1"), Program(TWO, "assert x == 2")]
    ran = runs(encode_shared(TOKEN, programs, setup=["x = 1"]), tmp_path)
    assert [completed(token, ran.report) for token in (ONE, TWO, TOKEN)] == [True, False, True]


def test_a_missing_import_is_named(tmp_path: Path) -> None:
    ran = runs(encode(TOKEN, item="pass", imports=["nosuchmodule"]), tmp_path)
    assert (ran.status, missing_import(TOKEN, ran.report)) == (90, "nosuchmodule")


def test_a_replaced_builtin_is_reported(tmp_path: Path) -> None:
    write(tmp_path, work="import builtins\nbuiltins.sorted = lambda *_: 3\n")
    ran = runs(encode(TOKEN, item="import work\nassert sorted([2, 1]) == 3"), tmp_path)
    assert controls(TOKEN, ran.report) == ("builtins.sorted was replaced",)
    assert not completed(TOKEN, ran.report)
