"""What the outcome of an attempt to exceed a limit means."""

from __future__ import annotations

import pytest

from graders.doctor import Health
from graders.doctor.trials import TRIALS
from sandbox.types import Ending, Outcome


@pytest.mark.parametrize(
    ("name", "outcome", "health"),
    [
        ("memory", Outcome(Ending.EXITED, 0), Health.BROKEN),
        ("memory", Outcome(Ending.EXITED, 7), Health.OK),
        ("memory", Outcome(Ending.OUT_OF_MEMORY), Health.OK),
        ("memory", Outcome(Ending.TIMED_OUT), Health.WARNING),
        ("deadline", Outcome(Ending.TIMED_OUT), Health.OK),
        ("workspace", Outcome(Ending.OUT_OF_MEMORY), Health.WARNING),
        ("memory", Outcome(Ending.EXITED, 127), Health.WARNING),
        ("memory", Outcome(Ending.SANDBOX_LOST, detail="Gone."), Health.WARNING),
    ],
)
def test_a_trial_is_read_by_how_it_ended(name: str, outcome: Outcome, health: Health) -> None:
    finding = next(trial for trial in TRIALS if trial.name == name).finding(outcome)
    assert finding.health is health
    assert (finding.message.startswith("This could not be tried.")) is (health is Health.WARNING)
