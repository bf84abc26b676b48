"""Compressed files are unpacked up to a limit."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable

import pytest

from gradebox.graders.submissions.archive import archive_limits as limits
from gradebox.graders.submissions.archive.archive_limits import ArchiveRefused
from gradebox.graders.submissions.archive.compression import decompressed, is_compressed

TEXT = b"some text, again and again\n" * 1000


def test_prose_that_begins_like_bzip2_is_not_compressed() -> None:
    assert not is_compressed(b"BZh is how a file of bzip2 begins.")
    assert not is_compressed(b"BZh9 is, too.")
    assert all(is_compressed(bz2.compress(b"x", level)) for level in range(1, 10))


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_what_was_compressed_comes_back(compress: Callable[[bytes], bytes]) -> None:
    packed = compress(TEXT)
    assert is_compressed(packed)
    assert decompressed(packed) == TEXT
    assert decompressed(packed + packed) == TEXT + TEXT
    with pytest.raises(ArchiveRefused, match="ends too early"):
        decompressed(packed[:-12])


def test_what_is_not_compressed_stays_as_it_is() -> None:
    assert not is_compressed(TEXT)
    assert decompressed(TEXT) == TEXT


def test_unpacking_stops_at_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(TEXT)
    monkeypatch.setattr(limits, "RATIO_FROM_BYTES", 100)
    monkeypatch.setattr(limits, "MAX_RATIO", 2)
    with pytest.raises(ArchiveRefused, match=f"more than 2 times its {len(packed)} bytes"):
        decompressed(packed)


def test_what_follows_a_stream_must_be_one() -> None:
    with pytest.raises(zlib.error):
        decompressed(gzip.compress(TEXT) + b"something else")
