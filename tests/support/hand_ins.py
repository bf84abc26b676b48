"""A folder of 60 hand-ins, as a class hands them in: of every shape, some right and some not."""

from __future__ import annotations

import io
import json
import tarfile
import unicodedata
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

FILE = "words.py"
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n\0\n"
Shape = Callable[[Path, bytes], None]


def zipped(files: Mapping[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return data.getvalue()


def tarred(files: Mapping[str, bytes]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for path, content in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return data.getvalue()


def _directory(name: str, *paths: str) -> Shape:
    def write(root: Path, right: bytes) -> None:
        (root / name).mkdir()
        for path in paths:
            (root / name / path).parent.mkdir(parents=True, exist_ok=True)
            (root / name / path).write_bytes(right if path.endswith(".py") else b"About it.\n")

    return write


def notebook(right: bytes) -> bytes:
    """Return a notebook whose cells are a program, with what no program may hold beside it."""
    lines = right.decode().splitlines(keepends=True)
    sources = [
        ["# Words\n"],
        ["%matplotlib inline\n", "!pip install x\n"],
        lines,
        "raise SystemExit('a test')",
        "%%bash\nls",
    ]
    kinds = ["markdown", "code", "code", "code", "code"]
    cells = [{"cell_type": kind, "source": source, "metadata": {}} for kind, source in zip(kinds, sources, strict=True)]
    cells[3]["metadata"] = {"nbgrader": {"grade": True, "solution": False, "locked": True}}
    return json.dumps({"cells": cells, "nbformat": 4, "metadata": {"kernelspec": {"language": "python"}}}).encode()


def _file(name: str, made: Callable[[bytes], bytes]) -> Shape:
    return lambda root, right: (root / name).write_bytes(made(right)) and None


def _mac(right: bytes) -> bytes:
    """Return a zip of the Finder: names in a normal form of its own, in UTF-8 without saying so."""
    name = unicodedata.normalize("NFD", "Übung").encode()
    junk = {f"__MACOSX/{'_' * len(name)}/._{FILE}": b"\0\5\26\7", f"{'_' * len(name)}/.DS_Store": b"\0\0\0\1"}
    return zipped({f"{'_' * len(name)}/{FILE}": right, **junk}).replace(b"_" * len(name) + b"/", name + b"/")


def _windows(right: bytes) -> bytes:
    """Return a zip with backslashes and umlauts in code page 437."""
    files = {f"L_sung\\{FILE}": right, "L_sung\\Thumbs.db": b"\xd0\xcf"}
    return zipped(files).replace(b"L_sung", b"L\x94sung")


# What is right, by the name of the submission.
RIGHT: dict[str, Shape] = {
    "flat": _directory("flat", FILE),
    "deep": _directory("deep", f"project/{FILE}", "project/notes.txt"),
    "beside": _directory("beside", f"project/{FILE}", "report.pdf"),
    "zip-flat": _file("zip-flat.zip", lambda right: zipped({FILE: right})),
    "zip-deep": _file("zip-deep.zip", lambda right: zipped({f"project/{FILE}": right})),
    "mac": _file("mac.zip", _mac),
    "windows": _file("windows.zip", _windows),
    "tar": _file("tar.tar.gz", lambda right: tarred({f"project/{FILE}": right})),
    "loose": _file("loose.py", lambda right: right),
    "Jörg Müller": _directory("Jörg Müller", f"Lösung/{FILE}"),
    "Jürgen": _file("Jürgen.py", lambda right: right),
    "other-name": _directory("other-name", "solution.py", "notes.txt"),
    "other-name-deep": _file("other-name-deep.zip", lambda right: zipped({"x/main.py": right})),
    "answer": _file("answer.md", lambda right: b"So:\n```python\n" + right + b"```\n"),
    "notebook": _file("notebook.ipynb", notebook),
    "finder": _directory("finder", FILE, ".DS_Store", f"._{FILE}", "Thumbs.db"),
}

# What is not, and a part of what is said about it.
NOT: dict[str, tuple[Shape, str]] = {
    "broken": (_file("broken.zip", lambda right: zipped({FILE: right})[:-30]), "broken: .* Pack it again"),
    "cut": (_file("cut.tar.gz", lambda right: tarred({FILE: right})[:-9]), "unreadable: .* Pack it again"),
    "linked": (_file("linked.zip", lambda _: zipped({"../words.py": b"x"})), "unreadable: .* Pack it again"),
    "report": (_file("report.pdf", lambda _: PDF), "unreadable: .* Submit a directory"),
    "sheet": (_file("sheet.csv", lambda _: b"a;b\n"), "unreadable: .* Submit source code"),
    "chat": (_file("chat.jsonl", lambda _: b"{}\n"), "unreadable: .*transcript.* Submit a directory"),
    "nothing": (_directory("nothing"), "is empty: submit words.py"),
    "empty": (_file("empty.zip", lambda _: zipped({})), "is empty: submit words.py"),
    "void": (_file("void.py", lambda _: b""), "is empty: submit words.py"),
    "too-deep": (_directory("too-deep", f"a/b/{FILE}"), "submit a/b, where words.py lies"),
    "two": (_directory("two", f"v1/{FILE}", f"v2/{FILE}"), "submit one of them"),
    "names": (_directory("names", "main.py", "util.py"), "it has main.py, util.py, so rename"),
    "packed": (_directory("packed", "mine.zip"), "submit mine.zip itself"),
    "language": (_directory("language", "words.rb"), "it has words.rb, so rename"),
}


def write_hand_ins(root: Path, right: bytes) -> None:
    """Write two hand-ins of each shape into a directory, of which the second is named `NAME 2`."""
    for shape in (*RIGHT.values(), *(shape for shape, _ in NOT.values())):
        for number in (1, 2):
            half = root.parent / f"{root.name} {number}"
            half.mkdir(parents=True, exist_ok=True)
            shape(half, right)
    root.mkdir(exist_ok=True)
    for number in (1, 2):
        half = root.parent / f"{root.name} {number}"
        for place in half.iterdir():
            stem, dot, suffix = place.name.partition(".")
            place.rename(root / (place.name if number == 1 else f"{stem} 2{dot}{suffix}"))
        half.rmdir()
