"""What the tests of the commands share: a sound case, and what a command line leaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

CASE = """
image: image
assertions:
  - {name: answer, type: code-grader, command: [look], required: true}
"""
RIGHT = {"case/reference/answer": "right"}


class Ran(NamedTuple):
    """What a command line left."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Grade = Callable[..., Ran]
