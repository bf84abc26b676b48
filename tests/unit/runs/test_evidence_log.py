"""The log of evidence: what is read back, what a crash leaves, and what an ordinary tool makes of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gradebox.graders.runs.evidence_log import (
    LOG,
    KeptFile,
    Owner,
    SavedEvidence,
    cut_torn,
    members,
    owner_of_work,
    packed,
    works_in,
)

FIRST = Owner(Path("evidence/case/one"), "01")
SECOND = Owner(Path("evidence/case/two"), "02")
FILES = {"a.stdout": b"out\xff" * 1000, "b.jsonl": b"{}\n", "empty": b""}


def log(root: Path, *owners: Owner) -> bytes:
    data = b"".join(packed(owner, FILES.items(), 1e9) for owner in owners)
    (root / LOG).write_bytes(data)
    return data


def read(root: Path, owner: Owner, max_bytes: int = 1 << 20) -> list[KeptFile]:
    return list(SavedEvidence(root).files(owner, lambda _: max_bytes))


def test_each_verdict_has_its_own_files(tmp_path: Path) -> None:
    log(tmp_path, FIRST, SECOND)
    whole = [KeptFile(name, len(data), data) for name, data in FILES.items()]
    assert read(tmp_path, FIRST) == read(tmp_path, SECOND) == whole
    assert read(tmp_path, Owner(FIRST.place, "another grading")) == []
    saved = SavedEvidence(tmp_path)
    assert saved.read(SECOND, "b.jsonl", 2) == b"{}"
    assert saved.read(SECOND, "none", 2) is None
    assert saved.place(FIRST) == f"evidence/case/one in {tmp_path / LOG}"


def test_of_a_long_file_begin_and_end_are_read(tmp_path: Path) -> None:
    log(tmp_path, FIRST)
    (found, *_) = read(tmp_path, FIRST, 6)
    assert found == KeptFile("a.stdout", 4000, b"out", b"ut\xff")


def test_tar_unpacks_it(tmp_path: Path) -> None:
    long = Owner(Path("evidence", "c" * 120, "s" * 120), "03")
    log(tmp_path, FIRST, long)
    done = subprocess.run(["tar", "-xzf", LOG], cwd=tmp_path, capture_output=True, check=True)
    assert done.stderr == b""
    for owner in (FIRST, long):
        assert {path.name: path.read_bytes() for path in (tmp_path / owner.place).iterdir()} == FILES
    # The directories of version 0.1 are read in the same way.
    (tmp_path / LOG).unlink()
    assert read(tmp_path, long) == [KeptFile(name, len(data), data) for name, data in FILES.items()]


def test_nothing_is_written_where_there_is_nothing() -> None:
    assert packed(FIRST, []) == b""


@pytest.mark.parametrize("left", [1, 20, 100, -20, -1])
def test_what_a_crash_left_behind_the_last_whole_piece_is_cut_off(tmp_path: Path, left: int) -> None:
    whole = log(tmp_path, FIRST)
    half = packed(SECOND, FILES.items())[:left]
    (tmp_path / LOG).write_bytes(whole + half)
    assert read(tmp_path, FIRST)
    assert read(tmp_path, SECOND) == []
    cut_torn(tmp_path / LOG)
    assert (tmp_path / LOG).read_bytes() == whole


@pytest.mark.parametrize("left", [40, 80])
def test_a_last_piece_of_which_the_middle_was_lost_is_cut_off(tmp_path: Path, left: int) -> None:
    whole = log(tmp_path, FIRST)
    piece = packed(SECOND, FILES.items())
    (tmp_path / LOG).write_bytes(whole + piece[: len(piece) - left] + bytes(left))
    cut_torn(tmp_path / LOG)
    assert (tmp_path / LOG).read_bytes() == whole
    cut_torn(tmp_path / "none")


def test_of_two_pieces_that_were_written_together_none_stays_if_the_first_is_torn(tmp_path: Path) -> None:
    whole = log(tmp_path, FIRST)
    submission = packed(owner_of_work("a" * 64), FILES.items())
    torn = submission[:-60] + bytes(20) + submission[-40:]
    (tmp_path / LOG).write_bytes(whole + torn + packed(SECOND, FILES.items()))
    assert list(works_in(tmp_path / LOG)) == ["a" * 64]
    cut_torn(tmp_path / LOG)
    assert (tmp_path / LOG).read_bytes() == whole


@pytest.mark.parametrize("place", range(70, 200, 10))
def test_damage_is_an_error_of_the_verdict_that_it_concerns(tmp_path: Path, place: int) -> None:
    data = bytearray(log(tmp_path, FIRST, SECOND))
    data[place : place + 10] = b"\xff" * 10
    (tmp_path / LOG).write_bytes(data)
    with pytest.raises(OSError, match=r"damaged|CRC|gzip"):
        read(tmp_path, FIRST)
    assert len(read(tmp_path, SECOND)) == len(FILES)


@pytest.mark.parametrize("data", [b"", b"\x1f\x8b\x08\x04" + bytes(100), b"x" * 5000])
def test_another_file_has_no_pieces(tmp_path: Path, data: bytes) -> None:
    (tmp_path / LOG).write_bytes(data)
    with (tmp_path / LOG).open("rb") as stream:
        assert list(members(stream)) == []
