"""What a build gets, and what it is worth as a hash."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import pytest

from gradebox.sandbox.errors import ImageUnavailable
from gradebox.sandbox.images import context
from gradebox.sandbox.images.context import DOCKERFILE, BuildContext


@pytest.fixture
def made(tmp_path: Path) -> BuildContext:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.txt").write_text("hello")
    (tmp_path / "link").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe")
    return BuildContext(b"FROM x\n", tmp_path, ("a", "a/b.txt", "link", "pipe"))


def members(of: BuildContext) -> dict[str, tarfile.TarInfo]:
    file = io.BytesIO()
    of.write(file)
    file.seek(0)
    return {member.name: member for member in tarfile.open(fileobj=file)}


def test_links_stay_links_and_pipes_are_left_out(made: BuildContext) -> None:
    found = members(made)

    assert found["link"].linkname == "/etc/passwd"
    assert sorted(found) == [".dockerignore", DOCKERFILE, "a", "a/b.txt", "link"]
    assert {member.uid for member in found.values()} == {0}


def test_the_same_files_have_the_same_hash_whenever_they_were_written(made: BuildContext) -> None:
    before = made.digest()
    assert made.directory is not None
    os.utime(made.directory / "a" / "b.txt", (1, 1))

    assert made.digest() == before


def test_content_mode_link_and_dockerfile_change_the_hash(made: BuildContext) -> None:
    assert made.directory is not None
    file, link = made.directory / "a" / "b.txt", made.directory / "link"
    found = {made.digest(), BuildContext(b"FROM y\n", made.directory, made.paths).digest()}
    file.write_text("other")
    found.add(made.digest())
    file.chmod(0o755)
    found.add(made.digest())
    link.unlink()
    link.symlink_to("elsewhere")
    found.add(made.digest())

    assert len(found) == 5


def test_further_files_come_along_and_do_not_count(made: BuildContext) -> None:
    more = BuildContext(made.dockerfile, made.directory, made.paths, {"install": b"#!/bin/sh\n"})

    assert members(more)["install"].mode == 0o755
    assert more.digest() == made.digest()


def test_a_context_that_is_too_large_is_refused(made: BuildContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "MOST_BYTES", 4)

    with pytest.raises(ImageUnavailable, match=r"\.dockerignore"):
        made.digest()
