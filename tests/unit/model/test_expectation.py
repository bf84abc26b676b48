"""Bytes of a case, in memory or in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.model.expectation import Content


def test_bytes_of_a_file_are_read_when_they_are_needed(tmp_path: Path) -> None:
    file = tmp_path / "1.in"
    file.write_bytes(b"abc")
    content = Content.of(b"abc", file)
    assert (content.data, content.size, content.read()) == (b"", 3, b"abc")
    file.write_bytes(b"abd")
    with pytest.raises(OSError, match="changed"):
        content.read()


def test_bytes_in_memory_are_there() -> None:
    assert Content.of(b"abc").read() == b"abc"
