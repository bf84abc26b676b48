"""Where the ``grade`` command begins: signals first, then everything that takes a while to import.

Python turns SIGINT into an exception, and loses it where one is swallowed: in an import, in a finaliser. Until
something runs that wants to be ended in good order, a signal therefore ends the process itself.
"""

from __future__ import annotations

import os
import signal
from types import FrameType

# `graders.errors.ExitCode.INTERRUPTED`, which is not imported yet.
_INTERRUPTED = 130


def _end(_number: int, _frame: FrameType | None) -> None:
    os.write(2, b"grade: Interrupted.\n")
    os._exit(_INTERRUPTED)


def main() -> None:
    """Run the command line of this process."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    from graders.cli.main import main as run  # noqa: PLC0415

    run()
