"""``grade doctor``: what it prints and ends with, whatever it finds."""

from __future__ import annotations

import json

import pytest

from graders import doctor
from graders.cli.main import run
from graders.doctor import Finding, Health
from graders.errors import ExitCode


@pytest.mark.parametrize(
    ("health", "code"),
    [(Health.OK, ExitCode.PASSED), (Health.WARNING, ExitCode.PASSED), (Health.BROKEN, ExitCode.NOT_GRADED)],
)
def test_only_what_is_broken_ends_with_4(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], health: Health, code: ExitCode
) -> None:
    asked: list[str | None] = []

    def examine(host: str | None) -> list[Finding]:
        asked.append(host)
        return [Finding("disk", health, "It is full.", "Make room.")]

    monkeypatch.setattr(doctor, "examine", examine)
    assert run(["doctor", "--json", "--host", "tcp://there"]) == code
    found = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in found["findings"]] == ["disk"]
    assert found["ok"] is (code is ExitCode.PASSED)
    assert asked == ["tcp://there"]
    assert run(["doctor"]) == code
    assert "It is full." in capsys.readouterr().out
