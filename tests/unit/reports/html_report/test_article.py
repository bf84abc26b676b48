"""One verdict as the page shows it: which commands it lists, what it says of each, and what it omits in brief."""

from __future__ import annotations

from pathlib import Path

from fabricated import capture, check, graded, step, write

from gradebox.graders.model.result import Result
from gradebox.graders.reports.html_report.article import Article, article
from gradebox.graders.reports.html_report.rerun import CommandLines
from gradebox.graders.runs.evidence_log import LOG
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.types import Ending

DIFF = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n"


def article_of(root: Path, one: Result, characters: int = 90_000) -> Article:
    run = write(root, [one])
    (verdict,) = run.verdicts.values()
    return article(run, verdict, CommandLines(run.directory, run.requested), characters)


def test_a_command_is_described_in_words(tmp_path: Path) -> None:
    late = step("tests", "no end within 30 s", ending=Ending.TIMED_OUT, argv=("sh", "-c", "a b"), stdout=capture(b"x"))
    found = article_of(tmp_path, graded("a", check("tests", 0.0, "late", late), memory_limit_bytes=64 * MIB))
    (command,) = found.commands
    assert (command.brief, command.passed, command.name, command.role) == (False, False, "tests", "")
    assert (command.ending, command.memory, command.argv) == ("timed out", "40 MiB of 64 MiB", "sh -c 'a b'")
    assert (command.reason, command.usage) == ("no end within 30 s", "CPU 0.19 s, 1 process left over and killed")
    assert [(one.name, one.content) for one in command.streams] == [("stdout", "x")]
    assert found.memory == (120 * MIB, 64 * MIB)
    assert found.evidence == f"evidence/a/model-a in {next(tmp_path.iterdir())}/evidence.tar.gz"


def test_a_reason_that_is_the_ending_is_not_repeated(tmp_path: Path) -> None:
    (command,) = article_of(tmp_path, graded("a", check("t", 0.0, "", step("t", "exit status 1")))).commands
    assert (command.ending, command.reason) == ("exit status 1", "")


def test_of_many_commands_those_that_failed_are_listed_first(tmp_path: Path) -> None:
    steps = [step(f"#{number}", "no" if number == 49 else "") for number in range(50)]
    found = article_of(tmp_path, graded("a", check("t", 0.0, "", *steps)))
    assert (len(found.commands), found.commands_omitted) == (40, 10)
    assert [command.name for command in found.commands[-2:]] == ["#38", "#49"]


def test_changes_are_counted_and_shown_as_far_as_there_is_room(tmp_path: Path) -> None:
    passed = graded("a", check("t", 1.0, "", step("t", stdout=capture(b"x"))), changes=DIFF)
    whole = article_of(tmp_path / "1", passed)
    assert whole.changes is not None
    assert (whole.changes.added, whole.changes.removed) == (2, 1)
    assert '<span class="del">-a\n</span>' in whole.changes.lines
    brief = article_of(tmp_path / "2", passed, characters=1000)
    assert brief.changes is not None
    assert (brief.changes.added, brief.changes.lines, brief.evidence) == (2, "", None)
    assert [(command.brief, command.streams) for command in brief.commands] == [(True, [])]


def test_what_failed_is_in_full_where_there_is_little_room(tmp_path: Path) -> None:
    failed = graded("a", check("t", 0.0, "", step("t", "exit status 1", stdout=capture(b"x"))), changes=DIFF)
    found = article_of(tmp_path, failed, characters=1000)
    assert found.changes is not None
    assert found.changes.lines
    assert [command.brief for command in found.commands] == [False]
    assert found.evidence is not None


def test_evidence_that_is_gone_is_left_out(tmp_path: Path) -> None:
    one = graded("a", check("t", 1.0))
    run = write(tmp_path, [one])
    (verdict,) = run.verdicts.values()
    (run.directory / LOG).unlink()
    found = article(run, verdict, CommandLines(run.directory, run.requested), 90_000)
    assert (found.commands, found.changes, found.memory) == ([], None, (None, None))
