"""Files are opened safely and read into models; all mistakes become diagnostics."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import Field, TypeAdapter

from gradebox.graders.documents.diagnostics import Findings
from gradebox.graders.documents.entries import Entry
from gradebox.graders.documents.reader import Reader, open_document, read_lines, read_text


class Inner(Entry):
    name: str
    size: int = 0


class Outer(Entry):
    inner: Inner
    names: list[str] = Field(default_factory=list)


OUTER: TypeAdapter[Outer] = TypeAdapter(Outer)


def read(tmp_path: Path, text: str) -> tuple[Outer | None, list[str]]:
    (tmp_path / "x.yaml").write_text(text)
    findings = Findings()
    document = open_document(tmp_path / "x.yaml", findings)
    assert document is not None
    found = Reader(document, {}, findings).read(OUTER, document.data)
    return found, [f"{each.line}:{each.column} {each.path}: {each.message}. {each.hint}" for each in findings]


def test_a_sound_document_is_a_model(tmp_path: Path) -> None:
    assert read(tmp_path, "inner: {name: a, size: 2}\nnames: [b]\n") == (
        Outer(inner=Inner(name="a", size=2), names=["b"]),
        [],
    )


def test_all_mistakes_are_reported_each_with_its_place(tmp_path: Path) -> None:
    found, messages = read(tmp_path, "inner: {nmae: a, size: x}\nnames: [b, 5]\nmore: 1\n")
    assert found is None
    assert set(messages) == {
        "1:9 inner.nmae: unknown key `nmae`. Did you mean `name`?",
        "1:24 inner.size: `size` must be a whole number, not the text `x`. ",
        '2:12 names[1]: `names[1]` must be text, not the number 5. Quote it: "5".',
        "3:1 more: unknown key `more`. Known here: `inner`, `names`.",
    }


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff", "this is not UTF-8 text"),
        (b"x" * 101, "is larger than 0 KiB"),
        (None, "cannot be read: No such file or directory"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path, data: bytes | None, message: str) -> None:
    if data is not None:
        (tmp_path / "x").write_bytes(data)
    findings = Findings()
    assert read_text(tmp_path / "x", findings, limit=100) is None
    assert [found.message for found in findings] == [message]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    findings = Findings()
    assert read_text(tmp_path / "pipe", findings) is None
    assert [found.message for found in findings] == ["is not a regular file"]


def test_lines_have_numbers_and_blank_ones_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xef\xbb\xbfa\n\n \xc3\xa9\n\xff\n")
    findings = Findings()
    assert list(read_lines(tmp_path / "x", findings)) == [(1, "a\n"), (3, " é\n")]
    assert [(found.line, found.message) for found in findings] == [(4, "this is not UTF-8 text")]
