"""Fuzzed here: the log of evidence of a run, which may come from another machine."""

from __future__ import annotations

import gzip
import tempfile
from functools import cache
from pathlib import Path

from fuzzing import Target

from gradebox.graders.runs.evidence_log import _HEADER, _MAGIC, _OURS, LOG, Owner, SavedEvidence, cut_torn, packed

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


_PIECE = packed(_OWNER, _FILES.items())
_ARCHIVE = gzip.decompress(_PIECE)
TARGETS = (
    Target("evidence", [_PIECE, _PIECE * 2, _PIECE[:-9]], (_MAGIC, _OURS), pieces),
    Target("evidence-archives", [_ARCHIVE], (b"././@LongLink", b"ustar", b"0777", b"S", b"30 size=99\n"), archives),
)
