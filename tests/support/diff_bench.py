"""What tests of diffs share: what a tree becomes, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gradebox.graders.submissions.diff import DiffError, apply, parse

NO_NEWLINE = b"\\ No newline at end of file\n"
ONE_LINE = b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
F = b"--- f\n+++ f\n"


def patched(diff: bytes, tree: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return what `tree` becomes."""
    result = dict(tree)
    for change in apply(parse(diff), tree.get):
        if change.content is None:
            del result[change.path]
        else:
            result[change.path] = change.content
    return result


def refused(diff: bytes, tree: Mapping[str, bytes] | None = None) -> DiffError:
    with pytest.raises(DiffError) as caught:
        patched(diff, tree or {})
    assert caught.value.message.endswith(".")
    assert len(str(caught.value)) < 500
    return caught.value


def git(header: str) -> bytes:
    return b"diff --git " + header.encode()


def change(header: str) -> bytes:
    return git("a/f b/f\n" + header)
