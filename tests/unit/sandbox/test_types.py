"""What the values of the sandbox say of themselves."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from gradebox.sandbox.types import DEFAULT_ENV, HOME, SCRATCH, Capture, Command


def test_a_capture_without_output_has_the_hash_of_nothing() -> None:
    assert Capture().sha256 == hashlib.sha256(b"").hexdigest()
    assert (Capture().content(), Capture().complete) == (b"", True)


@given(st.binary(max_size=40), st.binary(max_size=40), st.integers(0, 1000))
def test_a_capture_says_what_it_left_out(head: bytes, tail: bytes, omitted: int) -> None:
    found = Capture(head, tail, len(head) + len(tail) + omitted)
    assert (found.omitted_bytes, found.complete) == (omitted, omitted == 0)
    assert found.content().startswith(head)
    assert found.content().endswith(tail)
    assert (f"[... {omitted} bytes omitted ...]".encode() in found.content()) or found.complete
    assert isinstance(found.text(), str)


def test_home_is_in_a_scratch_directory_which_every_reset_empties() -> None:
    assert HOME.startswith(f"{SCRATCH[0]}/")
    assert Command(("true",)).env == DEFAULT_ENV
    assert DEFAULT_ENV["HOME"] == HOME
