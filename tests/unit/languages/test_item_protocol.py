"""What a runner is told, and which of its reports count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.languages.item_protocol import Program, completed, encode, encode_shared, missing_import

TOKEN = "0123456789abcdef" * 2
OTHER = "fedcba9876543210" * 2

source = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def parts(data: bytes) -> list[tuple[str, str]]:
    """Read what a runner reads."""
    found = []
    while data:
        header, _, rest = data.partition(b"\n")
        name, size = header.split(b" ")
        length = int(size)
        assert rest[length : length + 1] == b"\n"
        found.append((name.decode(), rest[:length].decode()))
        data = rest[length + 1 :]
    return found


@given(item=source, around=st.lists(source, max_size=3), imports=st.lists(source, max_size=3))
def test_a_program_arrives_as_it_was_written_and_in_order(item: str, around: list[str], imports: list[str]) -> None:
    data = encode(TOKEN, item=item, imports=imports, setup=around, teardown=around[::-1])
    assert parts(data) == [
        ("token", TOKEN),
        *(("import", name) for name in imports if name.strip()),
        *(("setup", text) for text in around if text.strip()),
        ("item", item),
        *(("teardown", text) for text in around[::-1] if text.strip()),
    ]


def test_items_that_share_a_process_are_set_apart_and_carry_their_own_tokens() -> None:
    programs = [Program(OTHER, "a", ["s"], ["t"]), Program(OTHER[::-1], "b")]
    assert parts(encode_shared(TOKEN, programs, imports=["m"], setup=["S"], teardown=["T"])) == [
        ("token", TOKEN),
        ("shared", ""),
        ("import", "m"),
        ("setup", "S"),
        ("next", OTHER),
        ("setup", "s"),
        ("item", "a"),
        ("teardown", "t"),
        ("next", OTHER[::-1]),
        ("item", "b"),
        ("end", ""),
        ("teardown", "T"),
    ]


@pytest.mark.parametrize("token", ["", "short", "x" * 32, TOKEN + "\n", TOKEN.upper()])
def test_a_token_is_hexadecimal_digits(token: str) -> None:
    with pytest.raises(ValueError, match="is not a token"):
        encode(token, item="")
    with pytest.raises(ValueError, match="is not a token"):
        encode_shared(TOKEN, [Program(token, "")])


@pytest.mark.parametrize("bad", ["a\0b", "\ud800"])
def test_what_no_language_can_read_is_refused(bad: str) -> None:
    for arguments in ({"item": bad}, {"item": "", "setup": [bad]}, {"item": "", "imports": [bad]}):
        with pytest.raises(ValueError, match=r"NUL|surrogates"):
            encode(TOKEN, **arguments)


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (TOKEN + "\n", True),
        (f"{OTHER}\n{TOKEN}\n", True),
        ("noise\n" + TOKEN + "\n", True),
        ("", False),
        (OTHER + "\n", False),
        ("x" + TOKEN + "\n", False),
        (TOKEN + " missing x\n", False),
        (TOKEN[:-1] + "\n", False),
    ],
)
def test_only_a_line_with_the_token_says_that_a_program_completed(report: str, expected: bool) -> None:
    assert completed(TOKEN, report.encode()) is expected


def test_a_missing_import_is_believed_with_the_token_only() -> None:
    assert missing_import(TOKEN, f"{TOKEN} missing näme\n".encode()) == "näme"
    assert missing_import(TOKEN, f"{OTHER} missing x\nmissing x\n{TOKEN}\n".encode()) is None
    assert missing_import(TOKEN, TOKEN.encode() + b" missing \xff\n") == "\ufffd"
    assert (
        missing_import(TOKEN, f"{TOKEN} image time /workspace/time.py\n".encode(), "image") == "time /workspace/time.py"
    )
