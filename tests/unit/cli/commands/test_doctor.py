"""``grade doctor``: what it prints and ends with, whatever it finds."""

from __future__ import annotations

import json

import pytest

from gradebox.graders import doctor
from gradebox.graders.cli.commands.doctor import exit_code, print_findings, print_problems
from gradebox.graders.cli.main import run
from gradebox.graders.doctor import Finding, Health
from gradebox.graders.errors import ExitCode


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


@pytest.mark.parametrize(
    ("healths", "code"),
    [
        ([], ExitCode.PASSED),
        ([Health.OK, Health.WARNING], ExitCode.PASSED),
        ([Health.OK, Health.BROKEN, Health.WARNING], ExitCode.NOT_GRADED),
    ],
)
def test_one_broken_finding_is_enough(healths: list[Health], code: ExitCode) -> None:
    assert exit_code([Finding("x", health, "y") for health in healths]) is code


FINDINGS = [Finding("api", Health.OK, "Fine [bold]really[/]."), Finding("disk", Health.BROKEN, "Full.", "Make room.")]


def test_findings_for_people_carry_their_remedy_below(capsys: pytest.CaptureFixture[str]) -> None:
    print_findings(FINDINGS)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=2) for line in lines] == [
        ["engine"],
        ["ok", "api", "Fine [bold]really[/]."],
        ["broken", "disk", "Full."],
        ["Make", "room."],
    ]


def test_without_a_problem_one_line_says_what_answers(capsys: pytest.CaptureFixture[str]) -> None:
    print_problems([Finding("engine", Health.OK, "Docker 28."), Finding("api", Health.OK, "Fine.")])
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["ok       Docker 28.", "2 of 2 tests found no problem. `grade doctor --all` lists them."]


def test_problems_are_listed_by_what_can_be_done_the_gravest_first(capsys: pytest.CaptureFixture[str]) -> None:
    found = [
        Finding("tmp", Health.WARNING, "Large.", "Use another engine."),
        Finding("api", Health.OK, "Fine."),
        Finding("images", Health.WARNING, "Old.", "Build them."),
        Finding("shm", Health.WARNING, "Larger.", "Use another engine."),
        Finding("pids", Health.BROKEN, "Endless.", "Use a service.", "sandbox"),
    ]
    print_problems(found)
    assert [line.strip() for line in capsys.readouterr().out.splitlines()] == [
        "broken   sandbox, pids: Endless.",
        "Use a service.",
        "warning  engine, tmp: Large.",
        "warning  engine, shm: Larger.",
        "Use another engine.",
        "warning  engine, images: Old.",
        "Build them.",
        "1 of 5 tests found no problem. `grade doctor --all` lists them.",
    ]
