"""The texts in files of any kind."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.authoring.leaks.texts import Text, Unpacking, texts

LINE = b"a line of text\n"


def zipped(data: bytes, name: str = "inner") -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as into:
        into.writestr(name, data)
    return archive.getvalue()


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zipped])
def test_an_archive_is_unpacked(pack: Callable[[bytes], bytes]) -> None:
    (found,) = texts("/a", pack(LINE), Unpacking())
    assert found.data == LINE
    (deeper,) = texts("/a", zipped(pack(LINE)), Unpacking())
    assert deeper == Text("/a (inner)" if pack is not zipped else "/a (inner) (inner)", LINE)


def test_a_bomb_is_unpacked_as_far_as_its_limit() -> None:
    unpacking = Unpacking(left_bytes=1000)
    found = list(texts("/a", zipped(bytes(10_000_000)), unpacking))
    assert (found, unpacking.is_cut, unpacking.left_bytes) == ([], True, 0)


def test_archives_are_followed_a_few_levels() -> None:
    data = LINE
    for _ in range(5):
        data = zipped(data)
    assert all(LINE not in each.data for each in texts("/a", data, Unpacking()))


def test_a_text_in_a_text_is_one_too() -> None:
    found = list(texts("/a.json", rb'{"code": "one\n\ttwo\nthree \"x\""}', Unpacking()))
    assert found[1].data == b'{"code": "one\n\ttwo\nthree "x""}'


def test_long_runs_of_a_binary_file_are_texts() -> None:
    assert [each.data for each in texts("/a", b"\0short\0" + LINE * 20 + b"\0", Unpacking())] == [LINE * 20]


@given(st.binary(max_size=300), st.sampled_from([b"", b"PK\3\4", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"PACK"]))
def test_any_data_are_read(data: bytes, start: bytes) -> None:
    list(texts("/x/objects/ab/" + 38 * "0", start + data, Unpacking(left_bytes=10_000)))
    list(texts("/a", start + data, Unpacking(left_bytes=10_000)))
