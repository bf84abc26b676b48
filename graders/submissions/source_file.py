"""Submissions that are one source file. Its place in the workspace depends on the case: see `layout`."""

from __future__ import annotations

from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import Tree
from gradebox.sandbox.archive import file_entry

MAX_SOURCE_BYTES = 4 * 1024 * 1024


def read_source_file(name: str, file_name: str, data: bytes) -> Submission:
    """Return the submission of a source file, which is not at its place in the workspace yet.

    The file name has no directories.
    """
    if len(data) > MAX_SOURCE_BYTES:
        return Submission(name, problem=f"The source file is larger than {MAX_SOURCE_BYTES} bytes.")
    mode = 0o755 if data.startswith(b"#!") else 0o644
    tree = Tree({file_name: file_entry(file_name, data, mode=mode)})
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    return Submission(name, Form.SOURCE_FILE, tree, output=text)
