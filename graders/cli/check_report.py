"""The output of ``grade check`` about a case: for people, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gradebox.graders.cli import console
from gradebox.graders.cli.commands import mutants as of_mutants
from gradebox.graders.reports.escaping import visible

if TYPE_CHECKING:
    from rich.text import Text

    from gradebox.graders.authoring.case_quality import CheckedCase
    from gradebox.graders.authoring.margins import Margin

TITLES = {
    "proven": "proven", "fair": "fair", "cheated": "cheated", "unfair": "unfair", "not_graded": "not graded",
}  # fmt: skip
_COLOURS = {
    "proven": "green", "fair": "green", "cheated": "red", "unfair": "red", "not_graded": "magenta", "warning": "yellow",
}  # fmt: skip


def show(checked: CheckedCase, *, repeat: int = 0) -> None:
    """Print the findings about a case, for people or, if `repeat` is not 0, as a line of JSON."""
    from rich.console import Group

    from gradebox.graders.reports.terminal import output, print_trimmed

    if repeat:
        print(json.dumps(_described(checked, repeat)), flush=True)
    else:
        print_trimmed(output(), Group(*_report(checked)))


def _described(checked: CheckedCase, repeat: int) -> dict[str, Any]:
    from gradebox.graders.authoring.leaks import case_search as of_leaks
    from gradebox.graders.authoring.quality_gradings import Subject

    results, tried = checked.results, checked.tried
    return {
        "case": checked.case.id,
        "place": str(checked.case.place),
        "outcome": checked.quality,
        "repeat": repeat,
        "isolation": checked.case.crossing and checked.case.crossing.isolation,
        "findings": [asdict(finding) for finding in checked.findings],
        "runs": [
            {
                "subject": one.subject,
                "submission": one.result.submission,
                "repeat": one.repeat,
                "verdict": one.result.verdict.status,
                "score": one.result.verdict.score,
                "written": one.expected.verdict if one.expected else None,
                "checks": {check.name: check.score for check in one.result.verdict.checks},
            }
            for one in results
        ],
        "margins": _margins(checked.margins()),
        **({"margins_under_load": _margins(loaded)} if (loaded := checked.margins(Subject.UNDER_LOAD)) else {}),
        "cheats": {each.cheat: each.outcome for each in tried},
        **({"leaks": of_leaks.described(checked.search)} if checked.search else {}),
        **({"mutants": of_mutants.described(checked.noticed)} if checked.noticed else {}),
        "wall_seconds": round(
            sum(one.result.wall_seconds for one in results) + sum(each.wall_seconds for each in tried), 3
        ),
    }


def _margins(found: Iterable[Margin]) -> dict[str, Any]:
    return {one.name: {"used": one.used, "limit": one.allowed, "unit": one.unit} for one in found}


def _report(checked: CheckedCase) -> Iterator[Text]:
    from rich.text import Text

    from gradebox.graders.authoring.quality_gradings import Level

    kind = checked.quality
    noticed = checked.noticed
    rate = f", {noticed.rate.passed} of {noticed.rate.judged} mutants caught" if noticed and noticed.graded else ""
    title = (TITLES[kind].upper(), f"bold {_COLOURS[kind]}")
    yield Text.assemble(title, rate, "  ", (visible(checked.case.id), "bold"))
    wrong = {finding.submission for finding in checked.findings if finding.level is not Level.WARNING}
    for line in _observations(checked, wrong):
        yield Text(f"  {visible(line)}")
    if fitting := [each for each in checked.tried if each.outcome != "did not fit"]:
        passed = sum(each.outcome == "passed" for each in fitting)
        yield Text(f"  {passed} of {console.counted(len(fitting), 'cheat')} passed.")
    yield from of_mutants.lines(noticed) if noticed and noticed.graded else ()
    for finding in checked.findings:
        word = "warning" if finding.level is Level.WARNING else "error"
        yield Text.assemble((f"  {word}: ", _COLOURS[finding.level]), visible(finding.message))
        if finding.remedy:
            yield Text(f"    {visible(finding.remedy)}", "dim")


def _observations(checked: CheckedCase, wrong: set[str]) -> Iterator[str]:
    """Yield a sentence about each thing that was run and observed."""
    from gradebox.graders.authoring.case_quality import (
        NOT_AS_IT_IS,
        controls,
        of_crossing,
        of_isolation,
        of_judging,
        of_surroundings,
    )
    from gradebox.graders.authoring.leaks.case_search import sentences
    from gradebox.graders.authoring.quality_gradings import Subject
    from gradebox.graders.authoring.tried_outputs import of_outputs
    from gradebox.graders.reports import wording

    for subject in Subject:
        if not (found := [one for one in checked.results if one.subject is subject]):
            continue
        if subject in {Subject.APART, Subject.ELSEWHERE}:
            yield of_isolation(found[0]) if subject is Subject.APART else of_surroundings(found)
            continue
        if subject is Subject.SUBMISSION:
            as_written = sum(one.result.submission not in wrong for one in found)
            kept = console.counted(len(found), "submission")
            yield f"{as_written} of {kept} got the verdict that is written in verdicts.yaml."
            continue
        if subject is Subject.UNDER_LOAD:
            listed = ", ".join(map(str, checked.margins(subject))) or "unknown"
            yield f"With all processors busy, limits as multiples of what the reference used: {listed}."
            continue
        name = "reference" if subject is Subject.REFERENCE else "untouched workspace"
        scores = {one.result.verdict.score: None for one in found}
        listed = ", ".join("none" if score is None else wording.score(score) for score in scores)
        verb = "passed" if subject is Subject.REFERENCE else f"{checked.case.expect_untouched}ed"
        count = sum(one.result.verdict.status == verb for one in found)
        yield f"The {name} {verb} in {count} of {console.counted(len(found), 'run')} (score {listed})."
        ran, failed = controls(found[0])
        if subject is Subject.REFERENCE and ran:
            yield f"{failed} of {ran} controls failed on the reference, as they must."
        if subject is Subject.REFERENCE and (margins := checked.margins()):
            yield f"Limits, as multiples of what the reference used: {', '.join(map(str, margins))}."
    yield from of_outputs(checked.case)
    yield from sentences(checked.search) if checked.search else ()
    yield from of_crossing(checked.case)
    yield from of_judging(checked.case, [one for one in checked.results if one.subject not in NOT_AS_IT_IS])
