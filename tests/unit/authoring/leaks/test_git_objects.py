"""Objects of git, read without git."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted_leaks import ANSWER, git, packed, repository

from gradebox.graders.authoring.leaks import git_objects

MOST = 1_000_000


@pytest.fixture
def pack(tmp_path: Path) -> bytes:
    packed(tmp_path)
    (place,) = (tmp_path / "repo/.git/objects/pack").glob("*.pack")
    return place.read_bytes()


def test_all_blobs_and_commits_of_a_pack_are_read_deltas_too(pack: bytes) -> None:
    found = list(git_objects.packed(pack, MOST))
    texts = [each.data.decode() for each in found if each.type == "blob"]
    assert sorted(texts) == sorted(["Intervals.\n", ANSWER, ANSWER + "\nLIMIT = 3\n", "pass\n"])
    assert sum(each.type == "commit" for each in found) == 4


def test_an_id_is_that_of_git(tmp_path: Path) -> None:
    place = repository(tmp_path / "repo")
    git(place, "cat-file", "-e", "HEAD:README")
    paths = [path for path in (place / ".git/objects").rglob("*") if git_objects.is_loose(str(path))]
    found = [each for path in paths for each in git_objects.loose(path.read_bytes(), MOST)]
    assert sorted(each.type for each in found) == ["blob", "commit"]
    assert all(any(str(path).replace("/", "").find(each.id) >= 0 for path in paths) for each in found)


@pytest.mark.parametrize("end", [0, 11, 13, 40, -200])
def test_a_damaged_pack_yields_what_is_whole(pack: bytes, end: int) -> None:
    assert len(list(git_objects.packed(pack[:end], MOST))) < len(list(git_objects.packed(pack, MOST)))


def test_no_more_is_unpacked_than_allowed(pack: bytes) -> None:
    assert not list(git_objects.packed(pack, 10))
    bomb = zlib.compress(b"blob 9000000\0" + bytes(9_000_000))
    assert not list(git_objects.loose(bomb, MOST))


@given(st.binary(max_size=300))
def test_any_data_are_read(data: bytes) -> None:
    list(git_objects.packed(b"PACK\0\0\0\2\0\0\0\4" + data, MOST))
    list(git_objects.loose(data, MOST))
