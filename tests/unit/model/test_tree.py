"""Trees as values: scanned, laid over each other, read."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.model import tree
from gradebox.graders.model.tree import MAX_DEPTH, Tree, content, differs, overlay, pieces, remove, resolved, scan
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry

# Few names, so that trees meet in all ways.
NAMES = st.sampled_from(["a", "b", "a-b"])
LEAVES = st.one_of(st.binary(max_size=3), st.sampled_from(["target", "/etc/passwd"]))
TREES = st.recursive(
    st.dictionaries(NAMES, LEAVES, max_size=3), lambda inner: st.dictionaries(NAMES, inner | LEAVES, max_size=3)
)
WITHOUT_EMPTY_DIRECTORIES = st.dictionaries(
    NAMES, st.recursive(LEAVES, lambda inner: st.dictionaries(NAMES, inner, min_size=1, max_size=3)), max_size=3
)
Shape = dict[str, tuple[EntryKind, bytes]]


def write(place: Path, content: Mapping[str, Any]) -> None:
    """Write a tree as a person would: bytes are files, texts are links."""
    for name, inner in content.items():
        path = place / name
        if isinstance(inner, bytes):
            path.write_bytes(inner)
        elif isinstance(inner, str):
            path.symlink_to(inner)
        else:
            path.mkdir()
            write(path, inner)


def copy_over(source: Path, target: Path) -> None:
    """Copy what is in one directory over another, with whatever is in the way removed first."""
    for child in source.iterdir():
        there = target / child.name
        into_directory = child.is_dir() and not child.is_symlink() and there.is_dir() and not there.is_symlink()
        if os.path.lexists(there) and not into_directory:
            if there.is_dir() and not there.is_symlink():
                shutil.rmtree(there)
            else:
                there.unlink()
        if child.is_dir() and not child.is_symlink():
            there.mkdir(exist_ok=True)
            copy_over(child, there)
        else:
            shutil.copy2(child, there, follow_symlinks=False)


def shape(entries: Iterable[ArchiveEntry]) -> Shape:
    return {entry.path: (entry.kind, tree.content(entry)) for entry in entries}


def files_of(found: Shape) -> Shape:
    return {path: entry for path, entry in found.items() if entry[0] is not EntryKind.DIRECTORY}


def on_disk(base: Mapping[str, Any], over: Mapping[str, Any], lay: Callable[[Tree, Tree], Tree]) -> tuple[Shape, Shape]:
    """Return the shape of two trees laid over each other in memory, and of one really copied over the other."""
    with tempfile.TemporaryDirectory() as directory:
        places = [Path(directory, name) for name in ("base", "over")]
        for place, content in zip(places, (base, over), strict=True):
            place.mkdir()
            write(place, content)
        found = lay(*map(scan, places))
        assert list(found.entries) == sorted(found.entries), "a directory must come before what is in it"
        laid = shape(found.entries.values())
        copy_over(places[1], places[0])
        return laid, shape(scan(places[0]).entries.values())


@given(TREES, TREES)
def test_overlay_is_copying_one_tree_over_the_other(base: Mapping[str, Any], over: Mapping[str, Any]) -> None:
    laid, real = on_disk(base, over, overlay)
    assert laid == real


@given(TREES, WITHOUT_EMPTY_DIRECTORIES)
def test_directories_that_an_overlay_does_not_name_are_implied_by_what_is_in_them(
    base: Mapping[str, Any], over: Mapping[str, Any]
) -> None:
    laid, real = on_disk(base, over, lambda one, other: overlay(one, Tree({e.path: e for e in other.files()})))
    assert files_of(laid) == files_of(real)


@given(TREES)
def test_a_tree_laid_over_itself_or_over_nothing_is_the_same(content: Mapping[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        write(Path(directory), content)
        scanned = scan(Path(directory))
    assert overlay(scanned, scanned).entries == overlay(Tree(), scanned).entries == scanned.entries
    assert overlay(scanned, Tree()).entries == scanned.entries


@given(TREES, st.data())
def test_removing_leaves_what_unlinking_and_removing_empty_directories_leaves(
    content: Mapping[str, Any], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory, "tree")
        place.mkdir()
        write(place, content)
        scanned = scan(place)
        files = sorted(entry.path for entry in scanned.files())
        gone = data.draw(st.lists(st.sampled_from(files), unique=True)) if files else []
        found = remove(scanned, [*gone, "not/there"])
        for path in gone:
            (place / path).unlink()
            parent = (place / path).parent
            while parent != place and not any(parent.iterdir()):
                parent.rmdir()
                parent = parent.parent
        assert list(found.entries) == list(scan(place).entries)


def test_a_scan_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("s")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "directory").symlink_to("../outside")
    (tmp_path / "work" / "file").symlink_to("../outside/secret")
    (tmp_path / "work" / "broken").symlink_to("nowhere")
    assert shape(scan(tmp_path / "work").entries.values()) == {
        "broken": (EntryKind.LINK, b"nowhere"),
        "directory": (EntryKind.LINK, b"../outside"),
        "file": (EntryKind.LINK, b"../outside/secret"),
    }


def test_a_scan_takes_no_special_file_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    os.mkfifo(tmp_path / "d" / "pipe")
    (tmp_path / "d" / "file").touch()
    found = scan(tmp_path)
    assert list(found.entries) == ["d", "d/file"]
    assert found.left_out == ("d/pipe",)


def test_names_that_are_left_are_left_at_the_top_only(tmp_path: Path) -> None:
    write(tmp_path, {".git": {"config": b""}, "a": {".git": b"gitdir: elsewhere"}})
    assert list(scan(tmp_path, leave=[".git"]).entries) == ["a", "a/.git"]


def test_runs_are_in_no_tree(tmp_path: Path) -> None:
    run = {"run.json": b"{}", "results.jsonl": b"", "lock": b""}
    held = {"20261130-1": run, ".baselines": {"x": b""}, "notes": {"a": {"b": b""}}}
    write(tmp_path, {"a": b"", "runs": held, "deep": {"runs": held, "own": b""}, "own": {"e": run}})
    assert list(scan(tmp_path).entries) == ["a", "deep", "deep/own"]
    # Here, what lies beside the runs may be anything.
    assert list(scan(tmp_path / "runs").entries) == [".baselines", ".baselines/x", "notes", "notes/a", "notes/a/b"]


def test_a_directory_with_two_files_that_are_named_like_a_runs_is_none(tmp_path: Path) -> None:
    write(tmp_path, {"runs": {"one": {"run.json": b"", "results.jsonl": b""}}})
    assert len([*scan(tmp_path).files()]) == 2


def test_permissions_are_kept_but_neither_setuid_nor_what_its_owner_cannot_read(tmp_path: Path) -> None:
    (tmp_path / "run").touch()
    (tmp_path / "run").chmod(stat.S_ISUID | 0o755)
    (tmp_path / "closed").touch()
    (tmp_path / "closed").chmod(0o000)
    assert {entry.path: entry.mode for entry in scan(tmp_path).files()} == {"run": 0o755, "closed": 0o600}


def test_names_that_are_not_utf_8_are_taken(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")).write_bytes(b"x")
    assert list(scan(tmp_path).entries) == ["caf\udce9"]


def test_a_tree_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MAX_ENTRIES", 3)
    write(tmp_path, {"a": {"b": b"", "c": b""}})
    assert len(scan(tmp_path).entries) == 3
    (tmp_path / "d").touch()
    with pytest.raises(SubmissionRefused, match="more than 3"):
        scan(tmp_path)


def a_link(place: Path) -> None:
    place.symlink_to("/etc/passwd")


@pytest.mark.parametrize("turn", [a_link, os.mkfifo, os.mkdir])
def test_what_became_something_else_since_the_scan_is_not_read(tmp_path: Path, turn: Callable[[Path], None]) -> None:
    place = tmp_path / "file"
    place.write_text("x")
    (entry,) = scan(tmp_path).entries.values()
    place.unlink()
    turn(place)
    with pytest.raises(OSError, match=r"regular file|symbolic links|a directory"):
        tree.content(entry)


@pytest.mark.parametrize(
    ("one", "other", "different"),
    [
        (None, None, False),
        (file_entry("a", b"x"), None, True),
        (None, file_entry("a", b"x"), True),
        (file_entry("a", b"x"), file_entry("a", b"x"), False),
        (file_entry("a", b"x"), file_entry("a", b"y"), True),
        (file_entry("a", b"x"), file_entry("a", b"x", mode=0o755), True),
        (file_entry("a", b"x", mode=0o640), file_entry("a", b"x", mode=0o600), False),
        (ArchiveEntry("a", EntryKind.LINK, target="x"), ArchiveEntry("a", EntryKind.LINK, target="y"), True),
        (ArchiveEntry("a", EntryKind.LINK, target="x"), file_entry("a", b"x"), True),
        (ArchiveEntry("a", EntryKind.DIRECTORY), ArchiveEntry("a", EntryKind.LINK), True),
    ],
)
def test_differs(one: ArchiveEntry | None, other: ArchiveEntry | None, *, different: bool) -> None:
    assert differs(one, other) is different


def test_entries_below_a_directory_do_not_include_those_of_one_that_begins_alike() -> None:
    content = Tree({path: file_entry(path, b"12") for path in ("a", "a-b", "a/b", "a/c/d")})
    assert [entry.path for entry in content.below("a")] == ["a", "a/b", "a/c/d"]
    assert content.size_bytes == 8


def test_short_names_at_the_end_of_a_long_way_are_not_taken_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gradebox.graders.model.tree.MAX_PATH_CHARACTERS", 1000)
    way = tmp_path / ("d" * 200)
    way.mkdir()
    for number in range(4):
        (way / str(number)).touch()
    with pytest.raises(SubmissionRefused, match="more than 1000 characters"):
        scan(tmp_path)


def test_a_directory_is_not_listed_beyond_what_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradebox.graders.model.tree.MAX_ENTRIES", 5)
    for number in range(6):
        os.mkfifo(tmp_path / str(number))
    with pytest.raises(SubmissionRefused, match="more than 5 files"):
        scan(tmp_path)


@pytest.mark.parametrize(
    ("path", "leads"),
    [
        ("/w", "/w"), ("/w/d/e", "/w/d/e"), ("/w/way/e", "/w/d/e"), ("/w/d/up", "/w/d/e"), ("/w/far/x", "/usr/x"),
        ("/elsewhere/way", "/elsewhere/way"), ("/w/round/x", "/w/round/x"),
    ],
)  # fmt: skip
def test_links_of_a_tree_lead_where_the_kernel_would_go(tmp_path: Path, path: str, leads: str) -> None:
    write(tmp_path, {"d": {"e": {}, "up": "../way/e"}, "way": "/w/d", "far": "/usr", "round": "round"})
    assert resolved(scan(tmp_path), path, "/w") == leads


def test_of_a_file_that_has_grown_no_more_is_read_than_it_had(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    entry = scan(tmp_path).entries["a"]
    (tmp_path / "a").write_bytes(b"1234567890")
    assert content(entry) == b"".join(pieces(entry)) == b"12345"


def test_directories_in_directories_without_end_are_refused(tmp_path: Path) -> None:
    deep = tmp_path / "work"
    (deep / "/".join("a" for _ in range(MAX_DEPTH - 1))).mkdir(parents=True)
    assert len(scan(deep).entries) == MAX_DEPTH - 1
    (deep / "/".join("a" for _ in range(MAX_DEPTH)) / "b").mkdir(parents=True)
    with pytest.raises(SubmissionRefused, match=f"nested deeper than {MAX_DEPTH} levels"):
        scan(deep)


def test_another_order_turns_round_what_lies_side_by_side() -> None:
    paths = ["a.txt", "b", "b/y.txt", "c", "c/z.txt", "d.txt"]
    kinds = {path: EntryKind.FILE if "." in path else EntryKind.DIRECTORY for path in paths}
    found = Tree({path: ArchiveEntry(path, kind, 0o755) for path, kind in kinds.items()})
    assert [entry.path for entry in found.in_order()] == paths
    assert [entry.path for entry in found.in_order(reverse=True)] == ["d.txt", "c", "b", "a.txt", "c/z.txt", "b/y.txt"]


def test_overlay_takes_time_for_its_paths_and_no_more() -> None:
    # Without this bound, each of these files would look at all directories.
    names = [f"{number:06}" for number in range(20_000)]
    base = Tree({name: ArchiveEntry(name, EntryKind.DIRECTORY) for name in names})
    over = Tree({name: file_entry(name, b"") for name in names})
    begin = time.process_time()
    assert overlay(base, over).entries == over.entries
    assert time.process_time() - begin < 10
