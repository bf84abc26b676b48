"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# How long an example takes is for benchmarks; a slow machine must not turn a pass into a failure.
settings.register_profile("gradebox", deadline=None)
settings.load_profile("gradebox")
