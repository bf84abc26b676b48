"""A run survives the way to another machine, and a hostile archive becomes nothing."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from pathlib import Path

import pytest
from world import World, the_run, verdicts

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode, RunRefused
from gradebox.graders.runs.history import run_archive
from gradebox.graders.runs.history.run_archive import export_run, import_run
from gradebox.graders.runs.history.run_names import find_run
from gradebox.graders.runs.history.run_removal import remove
from gradebox.graders.runs.saved_run import read_run

FILE, THERE = Path("run.tar.gz"), Path("there")
RECORD = json.dumps({"asked": {}, "version": "1"})


def pack(*members: tuple[str, str | bytes | None], kind: bytes = tarfile.REGTYPE) -> Path:
    with tarfile.open(FILE, "w:gz") as archive:
        for path, content in members:
            info = tarfile.TarInfo(path)
            data = (content or "").encode() if not isinstance(content, bytes) else content
            info.size = len(data)
            if content is None:
                info.type, info.linkname, info.size = kind, "/etc/passwd", 0
            archive.addfile(info, io.BytesIO(data))
    return FILE


def test_a_run_comes_back_with_its_evidence(world: World) -> None:
    run([*world.arguments, "-q"])
    export_run(the_run(), FILE)
    directory = import_run(FILE, THERE)
    assert directory == THERE / the_run().name
    assert verdicts(directory) == verdicts(the_run())
    before, after = read_run(the_run()), read_run(directory)
    for key, verdict in before.verdicts.items():
        assert after.outcomes(after.verdicts[key]) == before.outcomes(verdict)
    assert [path.name for path in THERE.iterdir()] == [directory.name]
    with pytest.raises(RunRefused, match="exists"):
        import_run(FILE, THERE)
    assert verdicts(import_run(FILE, THERE, "copy")) == verdicts(the_run())


def test_an_archive_holds_nothing_of_the_person_or_the_lock(world: World) -> None:
    run(["-c", "a", "-q"])
    (the_run() / "notes.txt").write_text("private")
    export_run(the_run(), FILE)
    with tarfile.open(FILE) as archive:
        members = archive.getmembers()
    assert [member.name.partition("/")[2] for member in members] == ["run.json", "results.jsonl", "evidence.tar.gz"]
    assert {(member.uid, member.gid, member.uname, member.gname) for member in members} == {(0, 0, "", "")}


@pytest.mark.parametrize(
    "members",
    [
        [],
        [("run.json", RECORD)],
        [("a/results.jsonl", "")],
        [("a/run.json", RECORD), ("b/run.json", RECORD)],
        [("a/run.json", RECORD), ("a/.bashrc", "x")],
        [("a/run.json", RECORD), ("a/lock", "")],
        [("a/run.json", RECORD), ("../x", "x")],
        [("a/run.json", RECORD), ("/x", "x")],
        [("a/run.json", RECORD), ("a/run.json", RECORD)],
        [("a/run.json", "{}")],
        [("a/run.json", RECORD), ("a/results.jsonl", "{}\n")],
        [("2026/run.json", RECORD)],
        [("latest/run.json", RECORD)],
    ],
    ids=str,
)
def test_what_is_not_one_run_becomes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, members: list[tuple[str, str]]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunRefused):
        import_run(pack(*members), THERE)
    assert list(THERE.glob("*")) == []
    assert {path.name for path in tmp_path.iterdir()} <= {FILE.name, THERE.name}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_no_link_and_no_special_file_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: bytes) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunRefused, match="only files and directories are taken"):
        import_run(pack(("a/run.json", RECORD), ("a/results.jsonl", None), kind=kind), THERE)
    assert not THERE.exists()


def test_an_archive_that_is_none_or_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunRefused, match=r"run\.tar\.gz cannot be read: No such file"):
        import_run(FILE, THERE)
    FILE.write_bytes(b"\x1f\x8bnothing")
    with pytest.raises(RunRefused, match="is not an archive of a run"):
        import_run(FILE, THERE)
    pack(("a/run.json", RECORD), ("a/results.jsonl", bytes(300 * 1024 * 1024)))
    with pytest.raises(RunRefused, match="unpacks to more than"):
        import_run(FILE, THERE)
    monkeypatch.setattr(run_archive, "MAX_UNPACKED_BYTES", 10)
    with pytest.raises(RunRefused, match="is larger than 10 bytes"):
        import_run(FILE, THERE)
    assert not THERE.exists()


def test_an_archive_that_cannot_be_written_leaves_nothing(world: World) -> None:
    run(["-c", "a", "-q"])
    with pytest.raises(RunRefused, match="cannot be written: No such file"):
        export_run(the_run(), Path("absent/run.tar.gz"))
    Path("taken").mkdir()
    with pytest.raises(RunRefused, match="taken cannot be written"):
        export_run(the_run(), Path("taken"))
    assert not [path for path in Path().iterdir() if path.name.startswith(".taken")]


def test_a_verdict_that_somebody_sent_is_not_reused(world: World) -> None:
    run(["-c", "a", "-s", "work/one", "-q"])
    export_run(the_run(), FILE)
    shutil.rmtree(the_run())
    directory = import_run(FILE, Path("runs"))
    assert run(["-c", "a", "-s", "work/one", "--reuse", "-q"]) == ExitCode.PASSED
    assert world.graded == 2
    export_run(find_run("latest"), FILE)
    remove(directory)
    run(["-c", "a", "-s", "work/one", "--reuse", "-q"])
    assert world.graded == 2
