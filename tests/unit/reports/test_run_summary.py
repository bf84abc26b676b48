"""The end of a run: one screen, whatever the run was."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from fabricated import check, graded, many
from rich.console import Console

from gradebox.graders.model.result import Result
from gradebox.graders.reports import run_summary
from gradebox.graders.reports.run_summary import RunSummary, next_commands, reason_of, summary_lines
from gradebox.graders.reports.terminal import print_lines


def of(*results: Result) -> RunSummary:
    summary = RunSummary()
    for result in results:
        summary.add(result)
    return summary


def shown(*results: Result, width: int = 80) -> list[str]:
    console = Console(file=StringIO(), width=width, color_system=None)
    print_lines(console, summary_lines(of(*results), console))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().splitlines()


def one(case: str, score: float | None, submission: str = "work", reason: str = "wrong", **more: Any) -> Result:
    return replace(graded(case, check("it", score, reason)), submission=submission, **more)


def test_verdicts_of_one_candidate_are_a_row() -> None:
    lines = shown(one("a", 1.0), one("b", 0.0), one("c", 1.0))
    assert lines[1].split() == ["passed", "95", "%", "interval", "mean", "score"]
    assert lines[3].split() == ["all", "2", "of", "3", "21%", "to", "94%", "0.6667"]


def test_models_are_told_apart_and_then_categories() -> None:
    results = [
        one(case, score, f"{model} {case}", origin={"model": model}, category=category)
        for model, score in (("old", 0.0), ("new", 1.0))
        for case, category in (("a", "easy"), ("b", "hard"))
    ]
    lines = shown(*results)
    first = [line.split()[0] for line in lines if line and not line.startswith("─")]
    assert first[:6] == ["model", "old", "new", "category", "easy", "hard"]
    assert "2 of 2" in next(line for line in lines if line.startswith("new"))


def test_submissions_with_several_verdicts_and_tags_are_told_apart() -> None:
    results = [one(case, 1.0, name, tags=("x", case)) for name in ("ann", "ben") for case in "ab"]
    titles = [table.title for table in of(*results).tables()]
    assert titles == ["submission", "tag"]
    # What was printed one by one needs no table of its own.
    assert next(of(*results[::2]).tables()).title != "submission"


def test_an_error_is_no_failure_and_has_no_score() -> None:
    lines = shown(one("a", 1.0), one("b", None, reason="no engine"))
    assert lines[1].split()[-1] == "errors"
    assert lines[3].split() == ["all", "1", "of", "1", "21%", "to", "100%", "1.0000", "1"]


def test_the_same_reason_is_said_once_and_the_worst_first() -> None:
    results = [one(f"c{n}", 0.5, reason="half") for n in range(3)]
    results += [one("low", 0.0, reason="nothing"), one("lost", None, reason="no image"), one("fine", 1.0)]
    lines = shown(*results)
    assert lines[lines.index("not passed, the worst first") + 1 :] == [
        "  1  it: no image  (lost work)",
        "  1  it: nothing  (low work)",
        "  3  it: half  (first of them: c0 work)",
    ]


@pytest.mark.parametrize("width", [80, 200])
def test_a_large_run_ends_with_a_screen(width: int) -> None:
    results = [
        replace(
            result,
            target=None,
            submission=f"candidate-{n % 50}",
            verdict=replace(result.verdict, reasons=(f"reason {n}",)),
        )
        for n, result in enumerate(many(500))
    ]
    lines = shown(*results, width=width)
    assert len(lines) < 50
    assert "the lowest 20 of 50; `grade report` lists all" in lines
    tables = [line for line in lines if not line.startswith("  ")]
    assert max(map(len, tables)) <= width


def test_verdicts_with_other_answers_than_the_reference_are_named() -> None:
    title = "passed with answers that the reference did not give"
    passed = [one("a", 1.0, f"work{number}") for number in range(9)]
    assert title not in shown(*passed)
    for number in range(1, 9):
        (only,) = passed[number].verdict.checks
        details = {"answers": {"same": 1, "other": 1, "unknown": 0, "tests": ["test_x"]}}
        verdict = replace(passed[number].verdict, checks=(replace(only, judged="apart", details=details),))
        passed[number] = replace(passed[number], verdict=verdict)
    lines = shown(*passed)
    assert lines[lines.index(title) + 1] == "  8 of 9 passed: a work1, a work2, a work3, a work4, a work5, 3 more"
    assert title not in shown(passed[1])


def test_reasons_and_groups_without_end_need_no_memory_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_summary, "_MOST", 3)
    summary = of(*(one("a", 0.0, f"s{n}", reason=f"reason {n}") for n in range(10)))
    assert [(found.count, found.reason) for found in summary.failures()] == [
        (7, "other reasons"),
        (1, "it: reason 0"),
        (1, "it: reason 1"),
        (1, "it: reason 2"),
    ]
    assert summary.whole.count == 10


def test_a_reason_is_one_short_line_of_the_check_that_decided() -> None:
    result = graded("a", check("style", 0.0, "ugly"), check("tests", 0.0, "2 failed\ntrace", required=True))
    assert reason_of(result) == "tests: 2 failed"
    assert len(reason_of(one("a", 0.0, reason="x" * 999))) < 300
    assert "\x1b" not in "".join(shown(one("a", 0.0, reason="\x1b[31mred"), one("\x1b]0;b", 1.0)))


def test_commands_can_be_pasted() -> None:
    summary = of(one("add auth", 0.0, "it's"), one("b", 1.0), one("c", None, "ann"))
    assert list(next_commands("my run", summary, report=True)) == [
        "grade --resume 'my run' --rerun error",
        "grade show 'my run' c -s ann",
        "grade report 'my run' -f html -o report.html",
    ]
    assert list(next_commands("r", of(one("a b", 0.0, "it's")), report=False)) == ["grade show r 'a b' -s 'it'\"'\"'s'"]
    assert list(next_commands("r", of(one("a", 0.0, "\x1bx"), one("a", 0.0, "-x")), report=False)) == []
    assert list(next_commands("r", of(one("a", 1.0)), report=False)) == []
