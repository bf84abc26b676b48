"""Opens pages in the browser of whoever sits at this terminal.

What a program is started with can be read by every user of a machine. So an address with a secret in it is not given to
the browser's command line, but lies in a file that only this user can read, and that leads there.
"""

from __future__ import annotations

import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

_LEADS_ON = (
    '<!DOCTYPE html><meta charset="utf-8"><title>gradebox</title><meta http-equiv="refresh" content="0; url={}">\n'
)


def open_file(path: Path) -> str:
    """Open a file in the browser; return why that cannot be done, a sentence, empty if it was."""
    try:
        opened = webbrowser.open(path.resolve().as_uri())
    except webbrowser.Error:
        opened = False
    return "" if opened else "There is no browser to open it with."


@contextmanager
def opened_privately(address: str) -> Iterator[str]:
    """Open an address that holds a secret, if it is not empty; yield why that cannot be done, empty if it was."""
    if not address:
        yield ""
        return
    # Made with mode 700.
    with TemporaryDirectory(prefix="gradebox-") as directory:
        file = Path(directory, "open.html")
        file.write_text(_LEADS_ON.format(escape(address)), "utf-8")
        yield open_file(file)
