"""Measures a reference for a new case file: limits with a reserve, and the tests that passed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from gradebox.graders.model.result import Result
from gradebox.graders.model.time_limit import spent_seconds
from gradebox.sandbox.limits import MIB

# Multiples of what the reference used: other solutions may need more, and machines differ.
_MEMORY, _SECONDS = 3, 5
_LEAST_MEMORY, _MEMORY_STEP, _LEAST_SECONDS = 256, 64, 10


def measured(result: Result, processors: float) -> Mapping[str, str]:
    """Return `memory` and `seconds`, and for each check, by name, a JSON list of its passed tests.

    Args:
        result: A grading of the reference.
        processors: How many processors the case allows at once.
    """
    done = result.outcomes.done.values() if result.outcomes else ()
    seconds = max((spent_seconds(one.outcome.usage, processors) for steps in done for one in steps), default=0.0)
    mebibytes = _MEMORY * (result.memory.memory_peak_bytes or 0) / MIB
    memory = max(_LEAST_MEMORY, _MEMORY_STEP * math.ceil(mebibytes / _MEMORY_STEP))
    found = {"memory": f"{memory}m", "seconds": str(max(_LEAST_SECONDS, math.ceil(_SECONDS * seconds)))}
    for check in result.verdict.checks:
        tests = [one["name"] for one in check.details.get("tests", []) if one.get("state") == "passed"]
        if tests:
            found[check.name] = json.dumps(tests, ensure_ascii=False)
    return found
