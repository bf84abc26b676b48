"""What the host puts around the parts of an item of bash."""

from __future__ import annotations

import pytest

from gradebox.graders.languages.bash.program import composed
from gradebox.graders.languages.item_protocol import Program, encode, encode_shared

TOKEN, ONE, TWO = "ab" * 16, "cd" * 16, "ef" * 16


def text_of(*parts: tuple[str, str]) -> str:
    return "".join(content for name, content in composed([("token", TOKEN), *parts]) if name == "text")


def test_tokens_come_first_and_the_parts_stay_as_they_are() -> None:
    parts = [("token", TOKEN), ("import", "sed"), ("setup", "x=1"), ("item", "[ $x = 1 ]")]
    assert [part for part in composed(parts) if part[0] != "text"] == [
        ("token", TOKEN), ("import import", "sed"), ("whole setup", "x=1"), ("whole item", "[ $x = 1 ]"),
    ]  # fmt: skip
    stdin = encode_shared(TOKEN, [Program(ONE, "true"), Program(TWO, "true")], setup=["x=1"], composed=composed)
    assert stdin.startswith(b"".join(b"token 32\n%s\n" % each.encode() for each in (TOKEN, ONE, TWO)))
    assert all(label in stdin for label in (b"whole setup 3\n", b"whole item 1 4\n", b"whole item 2 4\n"))


@pytest.mark.parametrize(
    ("setup", "item", "kind"),
    [
        ("x=1", "true", "whole item"),
        ("x=1", "true\ntrue", "lines item"),
        ("x=1", "a | b\n[ ${PIPESTATUS[0]} = 1 ]", "whole item"),
        ("trap 'echo no' ERR", "true\ntrue", "whole item"),
        ("trap 'echo no' EXIT", "true\ntrue", "lines item"),
    ],
)
def test_lines_get_a_trap_each_where_the_judge_asks_for_none(setup: str, item: str, kind: str) -> None:
    found = list(composed([("token", TOKEN), ("setup", setup), ("item", item)]))
    assert (kind, item) in found
    assert (found[found.index((kind, item)) - 1][0] == "again") == (kind == "lines item")


@pytest.mark.parametrize(("word", "control"), [("exit", "(exit 3)"), ("[ 1", "[ WORD"), ("test", "test WORD")])
def test_what_an_item_names_is_tried_after_it(word: str, control: str) -> None:
    assert control in text_of(("item", f"{word} 1"))
    assert control not in text_of(("item", "true"))


def test_the_same_item_is_the_same_program_but_for_its_token() -> None:
    """What is graded again must be known again."""
    first, second = (encode(token, item="[ 1 = 1 ]", composed=composed).decode() for token in (ONE, TWO))
    assert first != second
    assert first.replace(ONE, TWO) == second
