"""Events are values: they can be compared, kept and handed to another thread, and nobody can change them."""

from __future__ import annotations

from typing import get_args

import pytest

from gradebox.graders.model.events import CaseStarted, Event, StepStarted

KINDS = get_args(Event)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_event_can_be_changed(kind: type) -> None:
    event = kind(*range(len(getattr(kind, "_fields", ()))))
    for name in event._fields:
        with pytest.raises(AttributeError):
            setattr(event, name, None)


def test_a_grading_is_named_by_case_target_submission_and_repeat_in_all_its_events() -> None:
    started = CaseStarted("case", "work", "model", 2)
    step = StepStarted("case", "work", "check", 1, 3, "model", 2)
    assert (started.case, started.submission, started.target, started.repeat) == (
        step.case,
        step.submission,
        step.target,
        step.repeat,
    )
