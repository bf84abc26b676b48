"""The members of zip archives, as they are written."""

from __future__ import annotations

import io
import zipfile

import pytest

from gradebox.graders.submissions.archive import archive_limits as limits
from gradebox.graders.submissions.archive.archive_limits import ArchiveRefused
from gradebox.graders.submissions.archive.zip_members import MAGIC, zip_members


def archive_of(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, name.encode())
    return stream.getvalue()


def test_members_have_their_contents_and_permissions() -> None:
    data = archive_of("a", "d/b")
    assert data.startswith(MAGIC)
    found = [(one.path, one.directory, one.mode & 0o777, one.read()) for one in zip_members(data)]
    assert found == [("a", False, 0o600, b"a"), ("d/b", False, 0o600, b"d/b")]


def test_an_empty_archive_has_no_members() -> None:
    assert not list(zip_members(archive_of()))


def test_members_are_counted_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_MEMBERS", 2)
    with pytest.raises(ArchiveRefused, match="more than 2 members"):
        list(zip_members(archive_of("a", "b", "c", "d", "e")))
