"""Recognises the kind of a submitted file, by its content first, and by its name if the content is ambiguous. Pure.

archive       the signature of zip, tar, gzip, bzip2 or xz
diff          begins with a header of a diff; or, unless its name is that of code, has a header before any fence
transcript    JSON in a file with a name of JSON or without a name
answer        markdown by name; text with fences; a `.txt` file
source file   any other text; its place in the workspace is decided later, when the case is known
empty         only white space, in a file that could have been a diff
"""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import PurePath

from gradebox.graders.languages import of_fence
from gradebox.graders.submissions.archive import is_archive

MARKDOWN = frozenset({".md", ".markdown"})
TRANSCRIPTS = frozenset({".json", ".jsonl"})
DIFFS = frozenset({".diff", ".patch"})
_TEXT = ".txt"

_BOM = b"\xef\xbb\xbf"
_HEADER = re.compile(
    rb"^(?:diff --(?:git|cc|combined) |--- [^\n]*\n\+\+\+ |@@ -\d[^\n]*@@|GIT binary patch)", re.MULTILINE
)
# Sentences of `diff -r` about files that it does not compare. An answer in prose may begin like this too.
_SENTENCE = re.compile(rb"Only in [^\n:]+: |(?:Binary files|Files) [^\n]* differ\r?$", re.MULTILINE)
# Lines that tools write before the first header.
_PREAMBLE = re.compile(
    rb"From [0-9a-f]{40} |commit [0-9a-f]{7,64}(?: \([^\n]*\))?\r?$|Index: [^\n]*\n={20}", re.MULTILINE
)
_FENCE = re.compile(rb"^[ >]*(?:```|~~~)", re.MULTILINE)


class FileKind(StrEnum):
    """The kind of a submitted file."""

    ARCHIVE = "archive"
    DIFF = "diff"
    TRANSCRIPT = "transcript"
    ANSWER = "answer"
    SOURCE_FILE = "source file"
    EMPTY = "empty"


def recognise(file_name: str, data: bytes) -> FileKind | None:
    """Return the kind of a file, None if it is not a submission. The file name of stdin is empty."""
    suffix = PurePath(file_name).suffix.lower()
    if is_archive(data):
        return FileKind.ARCHIVE
    text = data.removeprefix(_BOM).lstrip()
    if _begins_as_diff(text, suffix):
        return FileKind.DIFF
    if suffix in MARKDOWN:
        return FileKind.ANSWER
    if not text:
        return FileKind.EMPTY if suffix in {"", *DIFFS} else FileKind.SOURCE_FILE
    if of_fence(suffix.removeprefix(".")) is None and suffix in {"", _TEXT, *DIFFS} and _is_ahead(text):
        return FileKind.DIFF
    if suffix in DIFFS or b"\0" in data:
        return None
    if suffix in TRANSCRIPTS or (not file_name and text.startswith((b"{", b"["))):
        return FileKind.TRANSCRIPT
    if of_fence(suffix.removeprefix(".")) is None and (suffix == _TEXT or _FENCE.search(text)):
        return FileKind.ANSWER
    return FileKind.SOURCE_FILE if file_name else None


def _begins_as_diff(text: bytes, suffix: str) -> bool:
    # Programs may contain something like a header, but do not begin with one.
    if _HEADER.match(text) or (_PREAMBLE.match(text) and _HEADER.search(text)):
        return True
    return bool(_SENTENCE.match(text)) and (suffix in DIFFS or (suffix not in MARKDOWN and _is_ahead(text)))


def _is_ahead(text: bytes) -> bool:
    """Return whether a header of a diff comes before any fence."""
    header, fence = _HEADER.search(text), _FENCE.search(text)
    return header is not None and (fence is None or header.start() < fence.start())
