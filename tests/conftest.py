"""What all tests share."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

# How long an example takes is for benchmarks; a slow machine must not turn a pass into a failure.
# CI tries the same examples each time, so that a failure is the change's; `make fuzz` looks for new ones.
settings.register_profile("gradebox", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("gradebox")

# Tests that run in the background of a shell or under nohup inherit ignored signals. So would every command they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
