"""Everything of ours that reads bytes which somebody else wrote, and what it may raise."""

from __future__ import annotations

from collections.abc import Mapping

import foreign
import loading
import submissions
import supervisor
import whole
from fuzzing import Target

TARGETS: Mapping[str, Target] = {
    target.name: target
    for target in (*loading.TARGETS, *foreign.TARGETS, *submissions.TARGETS, *whole.TARGETS, *supervisor.TARGETS)
}
