"""The item runner of bash, on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_runner import run

from graders import languages
from graders.languages.item_protocol import Program, completed, encode, encode_shared, missing_import

TOKEN, ONE, TWO = "ab" * 16, "cd" * 16, "ef" * 16


@pytest.mark.parametrize(
    ("item", "passed"),
    [("[ $((1 + 1)) = 2 ]", True), ("false", False), ("exit 0", False), ("f() { false; true; }; f", True)],
)
def test_an_item_fails_at_the_first_command_that_fails(item: str, passed: bool, tmp_path: Path) -> None:
    ran = run(languages.get("bash").argv(), tmp_path, encode(TOKEN, item=item))
    assert (ran.status == 0 and completed(TOKEN, ran.report)) == passed, ran.printed


def test_items_share_a_process_and_missing_commands_are_named(tmp_path: Path) -> None:
    programs = [Program(ONE, "[ $x = 1 ]"), Program(TWO, "false")]
    ran = run(languages.get("bash").argv(), tmp_path, encode_shared(TOKEN, programs, setup=["x=1"]))
    assert [completed(token, ran.report) for token in (ONE, TWO, TOKEN)] == [True, False, True]
    ran = run(languages.get("bash").argv(), tmp_path, encode(TOKEN, item="true", imports=["nosuchcommand"]))
    assert (ran.status, missing_import(TOKEN, ran.report)) == (90, "nosuchcommand")


@pytest.mark.parametrize("item", ["[[ -z $(declare -f) ]]", "[[ -z $(declare -f) ]]\n[[ $# == 0 ]]"])
def test_an_item_sees_no_function_of_the_runner(item: str, tmp_path: Path) -> None:
    ran = run(languages.get("bash").argv(), tmp_path, encode(TOKEN, setup=["true"], item=item, imports=["true"]))
    assert (ran.status, completed(TOKEN, ran.report)) == (0, True), ran.printed


def test_a_substitution_that_is_not_closed_is_shown_with_its_part(tmp_path: Path) -> None:
    for item in ("x=$(echo", "true\nx=$(echo", "echo `"):
        ran = run(languages.get("bash").argv(), tmp_path, encode(TOKEN, item=item))
        assert (ran.status, "item:" in ran.printed, ran.report) == (1, True, b""), ran.printed
