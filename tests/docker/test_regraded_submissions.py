"""Kept submissions in real sandboxes: what they get is what they got, links and permissions included."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from mixed_submissions import FORMS, WORKSPACE

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode

CASE = """
image: gradebox/base
language: bash
answer_file: calc.py
assertions: [{{type: code-grader, command: [sh, grading/describe.sh, "{}"]}}]
"""
# It prints every file with its kind, mode and content, and passes if a test wants it.
DESCRIBE = """
find . -path ./grading -prune -o -print | LC_ALL=C sort | while read -r path; do
  stat -c '%n %F %a' "$path"
  if [ -h "$path" ]; then readlink "$path"; elif [ -f "$path" ]; then od -c "$path"; fi
done
[ "$1" = first ]
"""


def described(directory: Path) -> list[tuple[str, str, str]]:
    """Return the name, verdict and content of each verdict, and the hashes of what its commands printed."""
    lines = [json.loads(line) for line in (directory / "results.jsonl").read_text().splitlines()]
    return sorted((line["submission"], line["verdict"], line["content"]) for line in lines)


def printed(directory: Path, into: Path) -> dict[str, bytes]:
    shutil.unpack_archive(directory / "evidence.tar.gz", into, filter="data")
    found = into / "evidence/case"
    return {str(path.relative_to(found)): path.read_bytes() for path in sorted(found.rglob("*.stdout"))}


def test_they_lie_in_the_sandbox_as_they_lay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path, text in {**WORKSPACE, "case/grading/describe.sh": DESCRIBE, "case/case.yaml": CASE.format("no")}.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    Path("work").mkdir()
    given = [word for number, form in enumerate(FORMS) for word in ("-s", form(Path("work"), number))]
    assert run(["-c", "case", *given, "-q", "--runs", "old"]) == ExitCode.FAILED
    (old,) = Path("old").glob("[!.]*")
    Path("case/case.yaml").write_text(CASE.format("first"))
    run(["-c", "case", *given, "-q", "--runs", "anew"])
    (anew,) = Path("anew").glob("[!.]*")
    shutil.rmtree("work")
    run(["regrade", str(old), "--execute", "-q", "--runs", "again"])
    (again,) = Path("again").glob("[!.]*")
    assert described(again) == described(anew)
    assert [verdict for _, verdict, _ in described(again)].count("passed") == len(FORMS) - 1
    outputs = printed(again, Path("of-again"))
    assert outputs == printed(anew, Path("of-anew"))
    assert any(b"symbolic link" in one and b"regular file 755" in one for one in outputs.values())
