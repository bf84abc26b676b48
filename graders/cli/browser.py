"""Opens pages in the user's browser.

Every user of a machine can read the command lines of its programs. So an address that holds a secret is not put on the
browser's command line. The browser opens a file that only this user can read, and that file redirects to the address.
"""

from __future__ import annotations

import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

_REDIRECT = (
    '<!DOCTYPE html><meta charset="utf-8"><title>gradebox</title><meta http-equiv="refresh" content="0; url={}">\n'
)


def open_file(path: Path) -> str:
    """Open a file in the browser. Return a sentence that says why this failed; empty if it succeeded."""
    try:
        opened = webbrowser.open(path.resolve().as_uri())
    except webbrowser.Error:
        opened = False
    return "" if opened else "There is no browser to open it with."


@contextmanager
def opened_privately(address: str) -> Iterator[str]:
    """Open an address that holds a secret. Yield a sentence that says why this failed; empty if it succeeded.

    An empty address opens nothing.
    """
    if not address:
        yield ""
        return
    # The directory has mode 700.
    with TemporaryDirectory(prefix="gradebox-") as directory:
        file = Path(directory, "open.html")
        file.write_text(_REDIRECT.format(escape(address)), "utf-8")
        yield open_file(file)
