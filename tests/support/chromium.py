"""Where the browser is that the tests of the report drive."""

from __future__ import annotations

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def chromium() -> str:
    """Return the path of a Chromium or Chrome.

    Raises:
        LookupError: If there is none.
    """
    named = os.environ.get("GRADEBOX_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        raise LookupError(
            "There is no Chromium to open the report with. `make browser` installs it on Debian as root; elsewhere "
            "install Chromium or Chrome, or name its program in GRADEBOX_CHROMIUM."
        )
    return found
