"""Names of cases and submissions as names of files. Pure."""

from __future__ import annotations

from hashlib import sha256
from urllib.parse import quote

_NAME_MAX = 120


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
