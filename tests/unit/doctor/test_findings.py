"""How findings are printed, and which exit code they make."""

from __future__ import annotations

import json

import pytest

from graders.doctor import Finding, Health, print_findings, worst
from graders.errors import ExitCode


@pytest.mark.parametrize(
    ("healths", "code"),
    [
        ([], ExitCode.PASSED),
        ([Health.OK, Health.WARNING], ExitCode.PASSED),
        ([Health.OK, Health.BROKEN, Health.WARNING], ExitCode.NOT_GRADED),
    ],
)
def test_only_what_is_broken_makes_a_bad_exit_code(healths: list[Health], code: ExitCode) -> None:
    assert worst([Finding("x", health, "y") for health in healths]) is code


FINDINGS = [Finding("api", Health.OK, "Fine [bold]really[/]."), Finding("disk", Health.BROKEN, "Full.", "Make room.")]


def test_findings_for_people_carry_their_remedy_below(capsys: pytest.CaptureFixture[str]) -> None:
    print_findings(FINDINGS, as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=2) for line in lines] == [
        ["engine"],
        ["ok", "api", "Fine [bold]really[/]."],
        ["broken", "disk", "Full."],
        ["Make", "room."],
    ]


def test_findings_for_programs_are_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    print_findings(FINDINGS, as_json=True)
    assert json.loads(capsys.readouterr().out) == {
        "ok": False,
        "findings": [
            {"name": "api", "health": "ok", "message": "Fine [bold]really[/].", "remedy": "", "group": "engine"},
            {"name": "disk", "health": "broken", "message": "Full.", "remedy": "Make room.", "group": "engine"},
        ],
    }
