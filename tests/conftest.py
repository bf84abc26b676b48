"""What all tests share."""

from __future__ import annotations

import signal

from hypothesis import settings

# How long an example takes is for benchmarks; a slow machine must not turn a pass into a failure.
settings.register_profile("gradebox", deadline=None)
settings.load_profile("gradebox")

# Tests that run in the background of a shell or under nohup inherit ignored signals. So would every command they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
