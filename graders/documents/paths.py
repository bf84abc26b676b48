"""Questions about paths that a case file wrote (whatever is wrong with one, the answer is no), and safe file names."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

# What Linux takes at most, in bytes.
LONGEST_PATH = 4096
_NAME_MAX = 120

# pathlib raises for names that are too long or cannot be looked up; these do not.


def exists(path: Path) -> bool:
    """Return whether something exists there, a dangling link included."""
    return os.path.lexists(path)


def is_directory(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112


def is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113


def file_name(text: str) -> str:
    """Return a name that is safe on any file system, and readable where the text allows it.

    It never holds a separator, never begins with a dot, and is at most 120 characters long. Different texts have
    different names: what had to be cut ends with a part of the text's hash.
    """
    raw = text.encode("utf-8", "surrogatepass")
    # Blanks become plus signs, and plus signs are quoted; a percent sign stands before two digits, unless we cut.
    quoted = quote(raw, safe=" (),=@#").replace(" ", "+")
    if quoted.startswith("."):
        quoted = "%2E" + quoted[1:]
    if len(quoted) > _NAME_MAX:
        digest = sha256(raw).hexdigest()[:16]
        quoted = f"{quoted[: _NAME_MAX - len(digest) - 2]}%-{digest}"
    return quoted or "%"
