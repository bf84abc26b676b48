"""Submissions are read by what their path is."""

from __future__ import annotations

import gzip
import io
import os
import re
import sys
import tarfile
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import Tree, content
from gradebox.graders.submissions import source
from gradebox.graders.submissions.overlay import lay
from gradebox.graders.submissions.source import read_reference, read_submission
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry

CHANGE = b"--- a/greet.py\n+++ b/greet.py\n@@ -1,2 +1,2 @@\n def greet():\n-    return 1\n+    return 2\n"
NEW = b"--- /dev/null\n+++ b/src/new.py\n@@ -0,0 +1 @@\n+new\n"
GONE = (
    b"diff --git a/d/old.py b/d/old.py\ndeleted file mode 100644\n--- a/d/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n"
)
EXECUTABLE = b"diff --git a/run.sh b/run.sh\nnew file mode 100755\n--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+true\n"


def workspace(**files: bytes) -> Tree:
    found = {path: file_entry(path, data) for path, data in files.items()}
    found["greet.py"] = file_entry("greet.py", b"def greet():\n    return 1\n", mode=0o755)
    found["d"] = ArchiveEntry("d", EntryKind.DIRECTORY, 0o755)
    found["d/old.py"] = file_entry("d/old.py", b"old\n")
    return Tree({path: found[path] for path in sorted(found)})


def diff_in(directory: Path, data: bytes) -> Submission:
    (directory / "fix.diff").write_bytes(data)
    return read_submission(directory / "fix.diff")


def files(tree: Tree) -> dict[str, bytes]:
    return {entry.path: content(entry) for entry in tree.files()}


def test_a_directory_that_is_named_by_where_it_is_has_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    assert read_submission(".").name == "work"
    assert read_submission(".", name="given").name == "given"


def test_a_diff_without_end_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_BYTES", 20)
    assert "larger than 20 bytes" in diff_in(tmp_path, CHANGE).problem


def test_stdin_is_a_diff(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(CHANGE)))
    found = read_submission("-")
    assert (found.name, found.form) == ("stdin", Form.DIFF)
    assert files(lay(workspace(), found).tree)["greet.py"].endswith(b"return 2\n")


def test_what_is_not_there_is_refused_and_what_is_neither_file_nor_directory_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(SubmissionRefused, match="No such file"):
        read_submission(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe")
    assert "neither a directory nor a file" in read_submission(tmp_path / "pipe").unreadable


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000])
def test_a_path_that_no_file_can_have_is_refused(path: str) -> None:
    with pytest.raises(SubmissionRefused, match="cannot be read"):
        read_submission(path)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("fix.diff", b"This is not a diff.\n"),
        ("fix.diff", b"\0\xff" * 50),
        ("logo.png", b"\x89PNG\r\n\x1a\n\0"),
        ("chat.jsonl", b"{}\n"),
        ("work.zip", b"PK\x03\x04 and no more"),
        ("work.tar.gz", gzip.compress(b"no tar", mtime=0)),
    ],
)
def test_what_is_no_submission_is_unreadable_and_says_what_to_do(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    found = read_submission(tmp_path / name)
    assert (found.name, found.form, found.tree) == (name.partition(".")[0], Form.NOTHING, Tree())
    assert re.search(r"\. (Submit|Pack) |transcript", found.unreadable)
    assert "\n" not in found.unreadable


def test_a_file_on_stdin_is_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    for data, form in ((b"```python\nx\n```\n", Form.ANSWER), (b"", Form.DIFF)):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        assert read_submission("-").form is form
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"Only words.\n")))
    assert "not a diff, archive, answer" in read_submission("-").unreadable


def test_a_reference_that_is_unreadable_is_refused(tmp_path: Path) -> None:
    (tmp_path / "words.zip").write_bytes(b"PK\x03\x04 and no more")
    case = Case("fix", Place(Path("case.yaml")), tmp_path, (), reference=tmp_path / "words.zip")
    with pytest.raises(SubmissionRefused, match=r"words\.zip is refused\. The archive is broken"):
        read_reference(case)


def test_archives_transcripts_and_source_files_are_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "work.zip", "w") as archive:
        archive.writestr("greet.py", "two")
    found = read_submission(tmp_path / "work.zip")
    assert (found.name, files(lay(workspace(), found).tree)["greet.py"]) == ("work", b"two")
    with tarfile.open(tmp_path / "other.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "work.zip", "w.zip")
    assert read_submission(tmp_path / "other.tar.gz").name == "other"
    (tmp_path / "chat.json").write_text('[{"role": "assistant", "content": "Done."}]')
    transcript = read_submission(tmp_path / "chat.json").transcript
    assert transcript is not None
    assert transcript.output == "Done."
    (tmp_path / "package.json").write_text('{"name": "x"}')
    assert read_submission(tmp_path / "package.json").form is Form.SOURCE_FILE


@pytest.mark.parametrize("count", [0, 100])
def test_all_that_are_not_there_are_named_before_anything_is_read(tmp_path: Path, count: int) -> None:
    paths = [str(tmp_path / str(number)) for number in range(count)]
    for path in paths:
        Path(path).write_bytes(b"\0")
    (tmp_path / "wor").mkdir()
    with pytest.raises(SubmissionRefused, match="No such file or directory") as refused:
        source.submission_readers([*paths, str(tmp_path / "work")], str)
    assert refused.value.remedy == f"Did you mean {tmp_path / 'wor'}?"
    with pytest.raises(SubmissionRefused, match=r"^12 submissions do not exist: a0, .*, a9 and 2 more\.$"):
        source.submission_readers([*paths, *(f"a{number}" for number in range(12))], str)


@pytest.mark.parametrize("count", [0, 100])
def test_one_that_cannot_be_read_does_not_keep_from_reading_the_others(tmp_path: Path, count: int) -> None:
    for number in range(count):
        (tmp_path / f"{number}.py").write_text("x")
    (tmp_path / "bad.pdf").write_bytes(b"%PDF\0")
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere")
    (tmp_path / "good.py").write_text("x")
    found = {name: read() for name, read in source.submission_readers([*map(str, tmp_path.iterdir())], str)}
    assert found["good"].form is Form.SOURCE_FILE
    assert "not a diff" in found["bad"].unreadable
    # Nobody chose that by what was handed in.
    assert "No such file" in found["gone"].fault


@pytest.mark.parametrize("count", [1, 100])
def test_only_names_that_paths_do_not_end_in_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.chdir(tmp_path)
    paths = [f"work/{number}" for number in range(count)] + ["work/slash/", "more/same", "work/same", "."]
    for path in paths:
        Path(path).mkdir(parents=True, exist_ok=True)
    Path("answer.md").write_text("Yes.\n")
    found = source.submission_readers([*paths, "answer.md"], str)
    assert list(found.renamed.values()) == ["slash", "more/same", "work/same", tmp_path.name, "answer"]
    assert [name for name, _ in found][:count] == [str(number) for number in range(count)]
    assert all(read().name == name for name, read in found)
