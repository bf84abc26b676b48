"""Submissions out of a run directory that anybody may have written."""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from world import World, the_run

from gradebox.graders.cases import load
from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.graders.model.submission import Submission
from gradebox.graders.runs.evidence_log import LOG, members, owner_of_work, packed
from gradebox.graders.runs.kept import kept_submission as subject
from gradebox.graders.runs.kept.keeper import FILES, WORDS
from gradebox.graders.runs.kept.kept_submission import kept_submission
from gradebox.graders.runs.saved_run import read_run
from gradebox.graders.runs.store import RESULTS
from gradebox.graders.submissions.packed_submission import packed as packed_submission


@pytest.fixture
def directory(world: World) -> Path:
    run(["-c", "a", "-s", "work/one", "-q"])
    return the_run()


def found(directory: Path) -> Submission:
    saved = read_run(directory)
    (verdict,) = saved.verdicts.values()
    (case,) = load(Path("a")).cases
    return kept_submission(saved, verdict, case)


def without_submission(directory: Path) -> bytes:
    """Return the log without its submission."""
    log = (directory / LOG).read_bytes()
    with (directory / LOG).open("rb") as stream:
        kept = [piece for piece in members(stream) if not piece.key.startswith(b"submissions/")]
    return b"".join(log[piece.offset : piece.offset + piece.length] for piece in kept)


def put(directory: Path, *files: tuple[str, bytes], seconds: int = 0) -> None:
    hash_of_it = json.loads((directory / RESULTS).read_text())["submission_hash"]
    piece = packed(owner_of_work(hash_of_it), files, seconds)
    (directory / LOG).write_bytes(piece + without_submission(directory))


def test_it_has_its_name_and_says_where_it_comes_from(directory: Path) -> None:
    submission = found(directory)
    assert (submission.name, submission.fault, submission.origin) == ("one", "", {"run": directory.name})
    assert submission.tree.entries["answer"].data == b"right"


def test_a_submission_that_was_changed_is_refused(directory: Path) -> None:
    changed = found(directory)
    entries = {"answer": replace(changed.tree.entries["answer"], data=b"wrong")}
    words, files = packed_submission(replace(changed, tree=replace(changed.tree, entries=entries)))
    put(directory, (WORDS, words), (FILES, files))
    assert "It is not what was graded" in found(directory).fault


def test_a_damaged_one_is_refused_and_the_others_are_graded(world: World) -> None:
    run(["-c", "a", "-s", "work/one", "-s", "work/two", "-q"])
    log = bytearray((the_run() / LOG).read_bytes())
    with (the_run() / LOG).open("rb") as stream:
        piece = next(piece for piece in members(stream) if piece.key.startswith(b"submissions/"))
    log[piece.offset + piece.length - 6] ^= 1
    (the_run() / LOG).write_bytes(log)
    assert run(["regrade", str(the_run()), "--execute", "--runs", "again", "-q"]) == ExitCode.NOT_GRADED
    (again,) = Path("again").glob("[!.]*")
    one, two = read_run(again).verdicts.values()
    assert (one.verdict, two.verdict) == ("error", "failed")
    assert any("cannot give this submission. It is damaged" in reason for reason in one.reasons)


@pytest.mark.parametrize(
    "files", [((WORDS, b"{}"),), ((WORDS, b"{}"), (FILES, b"")), (("../" + WORDS, b"{}"), (FILES, b""))]
)
def test_what_holds_no_submission_is_refused(directory: Path, files: tuple[tuple[str, bytes], ...]) -> None:
    put(directory, *files)
    assert found(directory).fault.startswith(f"{directory.name} cannot give this submission. ")


def test_a_bomb_is_not_unpacked(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "_RATIO_FROM_BYTES", 1 << 20)
    unpacked: list[int] = []
    inflate = zlib.decompressobj

    class Watched:
        def __init__(self, **how: Any) -> None:
            self._inflate = inflate(**how)

        def decompress(self, data: bytes, most: int) -> bytes:
            piece = self._inflate.decompress(data, most)
            unpacked.append(len(piece))
            return piece

        @property
        def eof(self) -> bool:
            return self._inflate.eof

    put(directory, (WORDS, b"{}"), (FILES, bytes(64 << 20)))
    saved = read_run(directory)
    (verdict,) = saved.verdicts.values()
    compressed = len(saved.evidence.work(verdict.submission_hash).piece)
    monkeypatch.setattr(subject.zlib, "decompressobj", Watched)
    assert "unpacks to too much" in found(directory).fault
    assert unpacked == [200 * compressed]


def test_a_pipe_in_its_place_is_not_waited_for(directory: Path) -> None:
    (directory / LOG).unlink()
    os.mkfifo(directory / LOG)
    assert "not a regular file" in found(directory).fault


def test_why_it_is_not_kept_is_said(world: World) -> None:
    run(["-c", "a", "-s", "work/one", "-q", "--keep-submissions", "none"])
    assert "It is not kept: the run was told to keep no submissions" in found(the_run()).fault
