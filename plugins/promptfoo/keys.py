"""The keys of promptfoo's files, in one spelling."""

from __future__ import annotations

import re

_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")


def snake_case(key: str) -> str:
    """Return a key in AgentV's spelling: promptfoo's ``defaultTest`` becomes ``default_test``."""
    return _CAPITAL.sub(lambda letter: f"_{letter[0].lower()}", key)
