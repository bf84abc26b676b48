"""The item runner of bash, on this machine."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from host_runner import run

from gradebox.graders import languages
from gradebox.graders.languages import item_protocol
from gradebox.graders.languages.bash.program import composed
from gradebox.graders.languages.item_protocol import Program, completed, missing_import

encode = partial(item_protocol.encode, composed=composed)
encode_shared = partial(item_protocol.encode_shared, composed=composed)
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
    for item in ("x=$(echo", "true\nx=$(echo", "echo `", 'x=$(echo ")"', 'echo "$(echo '):
        ran = run(languages.get("bash").argv(), tmp_path, encode(TOKEN, item=item))
        assert (ran.status, "item:" in ran.printed, ran.report) == (1, True, b""), ran.printed


@pytest.mark.parametrize("item", ["}", "true; }; {", "{", "if true", "done", "cat <<A", "(", "fi; if true; then"])
def test_a_part_reaches_into_no_other_one(item: str, tmp_path: Path) -> None:
    ran = run(languages.get("bash").argv(), tmp_path, encode(TOKEN, setup=["true"], item=item, teardown=["true"]))
    assert (ran.status, "item: " in ran.printed, ran.report) == (1, True, b""), ran.printed


@pytest.mark.parametrize(
    "item", ["cat <<A\nx\nA", "x=')'\n[[ $x == ')' ]]", "case a in a) ;; esac", "[[ äö == ä? ]]", "true \\"]
)
def test_a_part_that_another_shell_had_to_read_runs(item: str, tmp_path: Path) -> None:
    stdin = encode(TOKEN, setup=["true"], item=item, teardown=["true"])
    ran = run(languages.get("bash").argv(), tmp_path, stdin, {"LC_ALL": "C.UTF-8"})
    assert (ran.status, completed(TOKEN, ran.report)) == (0, True), ran.printed


@pytest.mark.parametrize("imports", [["shopt -s extglob"], ["shopt -s extglob", "sed"]])
def test_an_import_changes_how_the_program_is_read(imports: list[str], tmp_path: Path) -> None:
    item = "case aa in +(a)) true ;; esac"
    ran = run(languages.get("bash").argv(), tmp_path, encode(TOKEN, item=item, imports=imports))
    assert (ran.status, completed(TOKEN, ran.report)) == (0, True), ran.printed
    ran = run(languages.get("bash").argv(), tmp_path, encode(TOKEN, item="true", imports=["if true"]))
    assert (ran.status, "import: " in ran.printed, ran.report) == (1, True, b""), ran.printed
