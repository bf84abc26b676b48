"""Names in compiled Python."""

from __future__ import annotations

import marshal

from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.authoring.leaks.compiled_names import is_compiled, names_in, names_of_source

SOURCE = b"import posixpath\n\ndef shout(words, *, louder=3):\n    return posixpath.sep.join(words) + 'quite loud'\n"


def test_names_and_texts_are_found() -> None:
    assert {b"shout", b"words", b"louder", b"posixpath", b"quite loud", b"join"} <= names_of_source(SOURCE, "a.py")


def test_what_is_no_python_has_none() -> None:
    assert names_of_source(b"def f(:", "a.py") == names_of_source(b"\0", "a.py") == frozenset()


def test_a_compiled_file_begins_with_its_magic_number() -> None:
    assert is_compiled(b"\xa7\r\r\n" + bytes(12) + marshal.dumps(1))
    assert not is_compiled(SOURCE)


@given(st.binary(max_size=400))
def test_any_data_are_read(data: bytes) -> None:
    assert all(name in data for name in names_in(data))
