"""What an answer's runner reads and reports."""

from __future__ import annotations

import pytest

from gradebox.plugins.julia_leaderboard.answer_protocol import EXAMPLE, TEST, encode, read, whole_program

TOKEN = "0" * 32


def test_stdin_is_a_sequence_of_framed_parts() -> None:
    sent = encode(
        TOKEN, program="p", name="f", cpu_seconds=1.5, wall_seconds=3.0, imports=["A"], examples=["é"], tests=["a\nb"]
    )
    parts = b"token 32\n%b\nprogram 1\np\nname 1\nf\nlimit 5\n1.5 3\nimport 1\nA\nexample 2\n\xc3\xa9\ntest 3\na\nb\n"
    assert sent == parts % TOKEN.encode()


def test_only_lines_with_the_token_count() -> None:
    report = f"{TOKEN} parsed\nparsed\n{TOKEN} executed\n{TOKEN} passed example 1\n{TOKEN} failed test 2 it is 3\n"
    found = read(TOKEN, f"{report}{'1' * 32} end\n".encode())
    assert (found.parsed, found.executed, found.ended) == (True, True, False)
    assert (found.passed, found.reasons) == ({(EXAMPLE, 1)}, {(TEST, 2): "it is 3"})


@pytest.mark.parametrize(
    ("lines", "parsed", "reason", "fault"),
    [
        (["parsed", "unparsed no code"], False, "no code", ""),
        (["unparsed no code", "parsed"], True, "no code", ""),
        (["parsed", "stopped it took too long"], True, "it took too long", ""),
        (["missing DataFrames"], False, "", "the image lacks DataFrames, which the definition imports"),
    ],
)
def test_the_last_try_counts(lines: list[str], parsed: bool, reason: str, fault: str) -> None:
    found = read(TOKEN, "\n".join(f"{TOKEN} {line}" for line in lines).encode())
    assert (found.parsed, found.reason, found.fault) == (parsed, reason, fault)


def test_an_item_is_one_source_with_what_is_around_it() -> None:
    assert whole_program("a\nb", "c", "") == "a\nb\n\nc\n\n"
