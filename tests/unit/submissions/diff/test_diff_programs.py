"""Diffs as diff and git write them apply exactly."""

from __future__ import annotations

import difflib
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from diff_bench import NO_NEWLINE, patched, refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradebox.graders.submissions.diff import DiffError, apply, parse


def unified(old: bytes, new: bytes, context: int) -> bytes:
    def split(text: bytes) -> list[bytes]:
        lines = [line + b"\n" for line in text.split(b"\n")]
        lines[-1] = lines[-1][:-1]
        return [line for line in lines if line]

    def closed(line: bytes) -> bytes:
        return line if line.endswith(b"\n") else line + b"\n" + NO_NEWLINE

    made = difflib.diff_bytes(difflib.unified_diff, split(old), split(new), b"a/f", b"b/f", n=context)
    return b"".join(map(closed, made))


# Few different lines, so that texts have much in common and hunks have neighbours.
line = st.sampled_from(
    [b"", b"a", b"b", b"b\r", b"-- x", b"++ y", b"@@ -1 +1 @@", b"\\ z", b" ", b"\x00\xff", b"d\x0ce"]
)
text = st.tuples(st.lists(line, max_size=30), st.booleans()).map(lambda t: b"\n".join(t[0]) + b"\n" * t[1])


@given(old=text, new=text, context=st.integers(0, 4))
def test_the_difference_of_two_texts_makes_one_of_the_other(old: bytes, new: bytes, context: int) -> None:
    diff = unified(old, new, context)
    if old == new:
        refused(diff)
    else:
        assert patched(diff, {"f": old}) == {"f": new}


@given(old=text, new=text, other=text)
def test_a_diff_applies_to_another_text_only_where_all_its_old_lines_stand_in_it(
    old: bytes, new: bytes, other: bytes
) -> None:
    diff = unified(old, new, 1)
    if old == new:
        return
    try:
        result = patched(diff, {"f": other})["f"]
    except DiffError:
        assert other != old
        return
    back = unified(new, old, 1)
    assert patched(back, {"f": result})["f"] == other


needs_diff = pytest.mark.skipif(shutil.which("diff") is None, reason="compares with the program diff")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="compares with the program git")


@needs_diff
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=text, new=text, context=st.integers(0, 3))
def test_what_the_program_diff_writes_applies(old: bytes, new: bytes, context: int, tmp_path: Path) -> None:
    for name, content in (("old", old), ("new", new)):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "f").write_bytes(content)
    made = subprocess.run(
        ["diff", "-a", f"-U{context}", "old/f", "new/f"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        env={"LC_ALL": "C"},
    ).stdout
    if old != new:
        assert patched(made, {"f": old}) == {"f": new}


@needs_diff
def test_what_the_program_diff_writes_for_trees_applies_whatever_the_time_zone(tmp_path: Path) -> None:
    old = {"same": b"1\n", "gone": b"2\n", "changed": b"3\n", "tab\there": b"4\n", "emptied": b"5\n"}
    new = {"same": b"1\n", "changed": b"three\n", "tab\there": b"four\n", "sub/made": b"6\n", "emptied": b""}
    write(tmp_path / "old", old)
    write(tmp_path / "new", new)
    for zone in ("UTC", "America/Los_Angeles", "Asia/Kolkata"):
        made = subprocess.run(
            ["diff", "-ruN", "old", "new"],
            cwd=tmp_path,
            capture_output=True,
            check=False,
            env={"LC_ALL": "C", "TZ": zone},
        ).stdout
        assert patched(made, old) == new


names = st.sampled_from(["a", "x/y", "x/z", "with blank", "ümlaut", 'quo"te', "new\nline", "b/a", "\udcff"])
content = st.tuples(st.lists(line, min_size=1, max_size=12), st.booleans()).map(
    lambda t: b"\n".join([b"begin", *t[0]]) + b"\n" * t[1]
)
trees = st.dictionaries(names, st.tuples(st.one_of(st.just(b""), content), st.booleans()), max_size=5)
Files = dict[str, tuple[bytes, bool]]


def write(root: Path, files: Mapping[str, bytes | tuple[bytes, bool]]) -> None:
    root.mkdir(exist_ok=True)
    for path, value in files.items():
        data, executable = value if isinstance(value, tuple) else (value, False)
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        place.chmod(0o755 if executable else 0o644)


def git_diff(root: Path, old: Files, new: Files, options: Iterable[str]) -> bytes:
    """Return git's difference of two trees."""

    def run(*words: str) -> bytes:
        environment = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"]}
        return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, env=environment).stdout

    shutil.rmtree(root, ignore_errors=True)
    write(root, old)
    run("init", "-q")
    run("add", "-A")
    before = run("write-tree").decode().strip()
    for path in old:
        (root / path).unlink()
    write(root, new)
    run("add", "-A")
    return run("diff", "--cached", "--text", *options, before)


@needs_git
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    old=trees,
    new=trees,
    moved=st.booleans(),
    options=st.sampled_from(
        [
            ["-M"],
            ["-M", "-C", "--find-copies-harder"],
            ["--no-renames"],
            ["--no-prefix"],
            ["--src-prefix=before/", "-B", "-M"],
        ]
    ),
)
def test_what_git_writes_for_trees_applies(
    old: Files, new: Files, moved: bool, options: list[str], tmp_path: Path
) -> None:
    if moved:
        # Something for git to find renames and copies in.
        new = {**new, **{f"moved/{index}": value for index, value in enumerate(old.values())}}
    diff = git_diff(tmp_path / "tree", old, new, options)
    if old == new:
        assert not diff
        return
    tree = {path: data for path, (data, _) in old.items()}
    modes = {path: executable for path, (_, executable) in old.items()}
    changes = apply(parse(diff), tree.get)
    for change in changes:
        if change.content is None:
            del tree[change.path], modes[change.path]
    for change in changes:
        if change.content is not None:
            tree[change.path] = change.content
            kept = old[change.origin][1] if change.origin else modes.get(change.path, False)
            modes[change.path] = kept if change.mode is None else change.mode == 0o755
    assert {path: (data, modes[path]) for path, data in tree.items()} == new
