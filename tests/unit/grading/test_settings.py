"""What gradings of a run share."""

from __future__ import annotations

import pytest

from gradebox.graders.errors import UsageRefused
from gradebox.graders.grading.settings import LIFETIME_GRACE_SECONDS, Outage, Settings, walls
from gradebox.sandbox.limits import Limits
from gradebox.sandbox.profiles import STRICT
from gradebox.sandbox.walls import Wall


def test_an_outage_lasts_from_the_first_failure_to_the_next_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("gradebox.graders.grading.settings.time.monotonic", lambda: now[0])
    outage = Outage()
    assert outage.note_failure() == 0.0
    now[0] = 107.0
    assert outage.note_failure() == 7.0
    outage.note_answer()
    assert outage.note_failure() == 0.0


def test_a_sandbox_has_the_profile_and_lives_longer_than_its_commands() -> None:
    settings = Settings(image_of=lambda _: "image", profile=STRICT, runtime="runsc")
    limits = Limits(cpus=0.5)
    spec = settings.sandbox_spec("image:1", limits, 60.0)
    assert (spec.image, spec.limits, spec.runtime, spec.masked) == ("image:1", limits, "runsc", STRICT.masked)
    assert spec.lifetime_seconds == 60.0 + LIFETIME_GRACE_SECONDS * limits.slowness
    assert limits.slowness > 1


def test_walls_that_may_be_missing_are_named() -> None:
    accepted = walls("files, ipc,")
    assert accepted == {Wall.FILES, Wall.IPC}
    assert Settings(image_of=lambda _: "image", accepted=accepted).sandbox_spec("a", Limits(), 1.0).accepted == accepted
    with pytest.raises(UsageRefused, match="no protection file;") as caught:
        walls("file")
    assert "files" in caught.value.remedy
