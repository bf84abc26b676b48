"""Ways to leave an answer in the files of an image: each writes into a root file system."""

from __future__ import annotations

import compileall
import gzip
import io
import os
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

ANSWER = '''
def merge_intervals(pairs, gap=0):
    """Join what overlaps or lies closer than the gap."""
    joined = []
    for start, end in sorted(pairs):
        if joined and start - joined[-1][1] <= gap:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def covered_length(pairs):
    return sum(end - start for start, end in merge_intervals(pairs))
'''
TESTS = """
from intervals import covered_length, merge_intervals

def test_neighbours_are_joined():
    assert merge_intervals([(5, 8), (1, 3), (2, 4)]) == [(1, 4), (5, 8)]

def test_a_gap_is_closed():
    assert merge_intervals([(1, 2), (4, 6)], gap=2) == [(1, 6)]
    assert covered_length([(0, 10), (2, 3)]) == 10
"""


def git(repository: Path, *words: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", *who, *words], cwd=repository, check=True, capture_output=True, env=env)


def repository(place: Path) -> Path:
    place.mkdir(parents=True)
    git(place, "init", "-q")
    (place / "README").write_text("Intervals.\n")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "one")
    return place


def plain(root: Path) -> None:
    (root / "opt").mkdir()
    (root / "opt/notes.txt").write_text(ANSWER)


def renamed(root: Path) -> None:
    text = re.sub(r"\bpairs\b", "spans", re.sub(r"\bjoined\b", "out", ANSWER)).replace("merge_intervals", "fuse")
    (root / "opt").mkdir()
    (root / "opt/old.py").write_text("class Old:\n" + text.replace("\n", "\n        "))


def hidden_tests(root: Path) -> None:
    (root / "srv").mkdir()
    (root / "srv/test_it.py").write_text(TESTS)


def loose_commit(root: Path) -> None:
    place = repository(root / "repo")
    (place / "intervals.py").write_text(ANSWER)
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "two")
    git(place, "reset", "-q", "--hard", "HEAD~1")  # Only the reflog leads to it.


def packed(root: Path) -> None:
    place = repository(root / "repo")
    for text in (ANSWER, ANSWER + "\nLIMIT = 3\n", "pass\n"):
        (place / "intervals.py").write_text(text)
        git(place, "add", ".")
        git(place, "commit", "-q", "-m", "more")
    git(place, "gc", "-q", "--aggressive", "--prune=now")
    assert not [each for each in (place / ".git/objects").iterdir() if len(each.name) == 2]


def tag(root: Path) -> None:
    place = repository(root / "repo")
    (place / "answer").write_text(ANSWER)
    git(place, "tag", "-a", "v1", "-F", "answer", "--cleanup=verbatim")
    (place / "answer").unlink()


def stash(root: Path) -> None:
    place = repository(root / "repo")
    (place / "README").write_text(ANSWER)
    git(place, "stash")


def compiled(root: Path) -> None:
    place = root / "usr/lib/python3/dist-packages"
    place.mkdir(parents=True)
    (place / "intervals.py").write_text(ANSWER)
    assert compileall.compile_dir(str(place), quiet=2, legacy=True)
    (place / "intervals.py").unlink()


def wheel(root: Path) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as into:
        into.writestr("intervals/__init__.py", ANSWER)
    place = root / "root-of-pip/http/a/b"
    place.mkdir(parents=True)
    (place / "c.body").write_bytes(b"cc=4," + archive.getvalue())


def sdist(root: Path) -> None:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as into:
        entry = tarfile.TarInfo("intervals-1/intervals.py")
        entry.size = len(ANSWER)
        into.addfile(entry, io.BytesIO(ANSWER.encode()))
    (root / "var").mkdir()
    (root / "var/intervals-1.tar.gz").write_bytes(archive.getvalue())


def patch(root: Path) -> None:
    (root / "data").mkdir()
    lines = "".join(f"+{line}\\n" for line in ANSWER.splitlines())
    (root / "data/tasks.jsonl.gz").write_bytes(gzip.compress(f'{{"id": 1, "patch": "{lines}"}}\n'.encode()))


def binary(root: Path) -> None:
    (root / "opt").mkdir()
    (root / "opt/cache.ji").write_bytes(bytes(64) + ANSWER.encode() + bytes(64))


PLANTED: tuple[Callable[[Path], None], ...] = (
    plain, renamed, hidden_tests, loose_commit, packed, tag, stash, compiled, wheel, sdist, patch, binary,
)  # fmt: skip


def archived(root: Path, mode: int = 0o644) -> bytes:
    """Return a root file system as an archive, its files with a mode."""

    def owned(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.mode = 0o755 if entry.isdir() else mode
        return entry

    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as into:
        for child in sorted(root.iterdir()):
            into.add(child, child.name, filter=owned)
    return archive.getvalue()


def written_case(place: Path, more: str = "", image: str = "gradebox/base") -> Path:
    """Write a case whose reference is the answer, and return its directory."""
    (place / "grading").mkdir(parents=True)
    (place / "grading/test_intervals.py").write_text(TESTS)
    (place / "reference").mkdir()
    (place / "reference/intervals.py").write_text(ANSWER)
    (place / "case.yaml").write_text(
        f"input: Write merge_intervals.\nimage: {image}\n{more}assertions:\n"
        "  - {name: tests, type: code-grader, command: [python3, -m, pytest, grading/test_intervals.py]}\n"
    )
    return place
