"""Submissions of every form to one case, and a judge whose verdict depends on every byte of what was laid."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

from fake_engine import FakeEnd, FakeRun

CASE = (
    "image: image\nlanguage: python\nanswer_file: calc.py\nassertions: [{{type: code-grader, command: [judge, {}]}}]\n"
)
WORKSPACE = {"case/workspace/calc.py": "def add(a, b):\n    return 0\n", "case/workspace/old.py": "x = 1\n"}

Form = Callable[[Path, int], str]


def judge(ran: FakeRun) -> FakeEnd:
    """Pass about half of all submissions, each test another half."""
    found = sha256(ran.argv[1].encode())
    for path in sorted(ran.files):
        found.update(path.encode() + b"\0" + ran.files[path])
    return FakeEnd(exit_code=found.digest()[0] & 1)


def mixed_submissions(root: Path, count: int) -> list[str]:
    """Write so many different submissions and return their paths."""
    root.mkdir(parents=True)
    return [FORMS[number % len(FORMS)](root, number) for number in range(count)]


def _files(number: int) -> Mapping[str, bytes]:
    return {
        "calc.py": f"def add(a, b):\n    return {number}\n".encode(),
        "data/table.bin": bytes([number % 256, 0, 255]),
    }


def _directory(root: Path, number: int) -> str:
    place = root / f"directory-{number}"
    for name, data in {**_files(number), ".git/config": b"secret", "bin/tool": b"#!/bin/sh\n"}.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(data)
    (place / "bin/tool").chmod(0o755)
    (place / "empty").mkdir()
    (place / "link").symlink_to("data/table.bin")
    (place / "outside").symlink_to("/etc/hostname")
    os.mkfifo(place / "pipe")
    return str(place)


def _diff(root: Path, number: int) -> str:
    text = (
        "diff --git a/calc.py b/calc.py\n--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n"
        f"-    return 0\n+    return {number}\n"
        "diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\nrename to new.py\n"
        "diff --git a/run b/run\nnew file mode 100755\n--- /dev/null\n+++ b/run\n@@ -0,0 +1 @@\n+caf\xe9\n"
    )
    return _file(root, f"change-{number}.diff", text.encode("latin-1"))


def _mode(root: Path, number: int) -> str:
    text = f"diff --git a/old.py b/old.py\nold mode 100644\nnew mode 100755\n{_created(f'n{number}.txt')}"
    return _file(root, f"mode-{number}.patch", text.encode())


def _created(name: str) -> str:
    return f"diff --git a/{name} b/{name}\nnew file mode 100644\n--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+new\n"


def _zip(root: Path, number: int) -> str:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in _files(number).items():
            archive.writestr(name, data)
    return _file(root, f"packed-{number}.zip", packed.getvalue())


def _tar(root: Path, number: int) -> str:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, data in _files(number).items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), 0o755
            archive.addfile(info, io.BytesIO(data))
    return _file(root, f"packed-{number}.tar.gz", packed.getvalue())


def _answer(root: Path, number: int) -> str:
    text = f"So:\n\n```python\ndef add(a, b):\n    return {number}\n```\n"
    return _file(root, f"answer-{number}.md", text.encode())


def _source_file(root: Path, number: int) -> str:
    return _file(root, f"source-{number}.py", _files(number)["calc.py"])


def _transcript(root: Path, number: int) -> str:
    said = '{{"role": "user", "content": "Add."}}\n{{"role": "assistant", "content": "```python\\nx = {}\\n```"}}\n'
    return _file(root, f"said-{number}.jsonl", said.format(number).encode())


def _broken(root: Path, number: int) -> str:
    return _file(root, f"broken-{number}.zip", b"PK\x03\x04" + bytes([number % 256]))


def _file(root: Path, name: str, data: bytes) -> str:
    (root / name).write_bytes(data)
    return str(root / name)


FORMS: tuple[Form, ...] = (
    _directory, _diff, _zip, _answer, _directory, _mode, _tar, _source_file, _transcript, _broken,
)  # fmt: skip
