"""How progress is shown on stderr: live, in plain lines, as dots, or not at all."""

from __future__ import annotations

import os
import sys
from enum import StrEnum

from gradebox.graders.cli import console
from gradebox.graders.cli.progress import DotProgress, PlainProgress, Progress


class Display(StrEnum):
    AUTO = "auto"
    LIVE = "live"
    PLAIN = "plain"
    DOTS = "dots"
    NONE = "none"


def progress_on(*, count: int, display: Display = Display.AUTO, quiet: bool = False) -> Progress:
    """Return the display of a run on stderr.

    `Display.AUTO` is live on a terminal outside of CI, and plain otherwise.
    """
    if quiet or display is Display.NONE:
        return Progress()
    if display is Display.AUTO:
        live = console.on_terminal(sys.stderr) and not os.environ.get("CI")
        display = Display.LIVE if live else Display.PLAIN
    if display is Display.PLAIN:
        return PlainProgress(count)
    if display is Display.DOTS:
        return DotProgress(count)
    from gradebox.graders.cli.live_progress import LiveProgress

    return LiveProgress(count)
