"""Unified diffs, applied strictly and without git.

    parse    bytes -> file patches (`syntax`, `headers`; data in `gradebox.graders.model.patch`)
    apply    file patches and a way to read files -> changes of the tree (`application`)

Both are pure, and raise only `DiffError`, whatever the bytes are. Strict means: every line that a hunk keeps or deletes
must be in the file exactly where the hunk says, and every part of the diff is applied or the diff is refused.
"""

from gradebox.graders.model.patch import FilePatch, Hunk, Operation
from gradebox.graders.submissions.diff.application import Change, apply
from gradebox.graders.submissions.diff.diff_error import DiffError
from gradebox.graders.submissions.diff.syntax import parse

__all__ = ["Change", "DiffError", "FilePatch", "Hunk", "Operation", "apply", "parse"]
