"""Fuzzed here: the log of evidence of a run, which may come from another machine."""

from __future__ import annotations

import gzip
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

from fuzzing import Target

from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import Tree, read
from gradebox.graders.runs.evidence_log import _HEADER, _MAGIC, _OURS, LOG, Owner, SavedEvidence, cut_torn, packed
from gradebox.graders.submissions import diff
from gradebox.graders.submissions.answer import read_answer
from gradebox.graders.submissions.overlay import lay
from gradebox.graders.submissions.packed_submission import packed as packed_submission
from gradebox.graders.submissions.packed_submission import unpacked
from gradebox.graders.submissions.transcript_json import parse_transcript
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry, pack

_OWNER = Owner(Path("evidence/case/work"), "01")
_FILES = {"steps.jsonl": b'{"check": null}\n', "001-check.stdout": b"out" * 300, "empty": b"", "n" * 120: b"x"}
_MAX = 1 << 16


@cache
def _run() -> Path:
    return Path(tempfile.mkdtemp(prefix="gradebox-fuzz-"))


def _read(log: bytes) -> list[str]:
    """Read a log and continue it, as `grade merge` and `grade --resume` do."""
    (_run() / LOG).write_bytes(log)
    saved = SavedEvidence(_run())
    saw = []
    try:
        for file in saved.files(_OWNER, lambda name: 64 if name.endswith("stdout") else _MAX):
            saw.append(f"{len(file.name)} {file.size > len(file.head)}")
            assert len(file.head) + len(file.tail) <= _MAX
    except OSError as error:
        saw.append(str(error).rpartition(": ")[2][:30])
    cut_torn(_run() / LOG)
    return saw


def pieces(data: bytes) -> object:
    """Read bytes as a log."""
    return _read(data)


def archives(data: bytes) -> object:
    """Read bytes as the archive in a whole piece of a log."""
    body = gzip.compress(data, 1, mtime=0)[10:]
    ours = 8 + len(_OWNER.key)
    header = _HEADER.pack(_MAGIC, 0, b"\0\xff", 4 + ours, _OURS, ours, _HEADER.size + len(_OWNER.key) + len(body))
    return _read(header + _OWNER.key + body)


def kept(data: bytes) -> object:
    """Read bytes as a kept submission, lay it over a workspace, and pack what came of it for a sandbox."""
    words, _, files = data.partition(_BETWEEN)
    try:
        submission = unpacked(words, files)
    except SubmissionRefused as refused:
        return refused.message[:60]
    laid = lay(Tree({"a": file_entry("a", b"x\n")}), submission)
    sent = b"".join(pack(laid.tree.entries.values(), read))
    return f"{submission.form} {laid.problem[:40]} {len(sent) > 1024}"


_KEPT_WORDS = (b"null", b"-1", b"1e999", b'"../x"', b"ustar", b"./", b"../", b'"body": "', b"directory", b"[" * 200)
_BETWEEN = b"\xff\0\xff"
_TREE = Tree({"a": file_entry("a", b"y\n"), "l": ArchiveEntry("l", EntryKind.LINK, 0o777, target="a")}, ("pipe",))
_DIFF = b"diff --git a/a b/b\nrename from a\nrename to b\n--- a/a\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n"
_KEPT = (
    Submission("directory", Form.DIRECTORY, _TREE, deleted=("a",)),
    Submission("diff", Form.DIFF, patches=diff.parse(_DIFF)),
    replace(read_answer("answer", "```\nx\n```\n"), transcript=parse_transcript(b'[{"role": "user", "content": "x"}]')),
)
_PIECE = packed(_OWNER, _FILES.items())
_ARCHIVE = gzip.decompress(_PIECE)
TARGETS = (
    Target("evidence", [_PIECE, _PIECE * 2, _PIECE[:-9]], (_MAGIC, _OURS), pieces),
    Target("kept-submissions", [_BETWEEN.join(packed_submission(one)) for one in _KEPT], _KEPT_WORDS, kept),
    Target("evidence-archives", [_ARCHIVE], (b"././@LongLink", b"ustar", b"0777", b"S", b"30 size=99\n"), archives),
)
