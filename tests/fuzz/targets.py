"""Everything of ours that reads bytes which somebody else wrote, and what it may raise."""

from __future__ import annotations

from collections.abc import Mapping

import apart
import apart_javascript
import calls
import foreign
import liars
import loading
import run_evidence
import submissions
import supervisor
import whole
from fuzzing import Target

TARGETS: Mapping[str, Target] = {
    target.name: target
    for room in (loading, foreign, apart, apart_javascript, calls, liars, submissions, run_evidence, whole, supervisor)
    for target in room.TARGETS
}
