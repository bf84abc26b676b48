"""What an author should change in a case if a cheat passes: a sentence for each check that it raised. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from gradebox.graders import languages
from gradebox.graders.checks import evaluation
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.items import Items
from gradebox.graders.model import scoring
from gradebox.graders.model.case import Case, CaseCheck
from gradebox.graders.model.result import Result
from gradebox.graders.runners.adapter import recognise

_APART = "say `isolation: apart`, start the submission with `candidate`, and compare what it prints"
_IN_DATA = "objects decide what `<`, `+` and `in` mean; keep a reference, and compare data: its `type`, then its value"
# Remedies for checks that are already judged apart.
_IF_APART = MappingProxyType(
    {
        "equal": _IN_DATA,
        "peer": _IN_DATA,
        "mock": "compare what functions return, and keep texts of assertions in callbacks free of what is expected",
        "link": "take files of the submission back with `candidate --reclaim` before you open them",
    }
)
_OF_FAMILY = MappingProxyType(
    {
        "nothing": "add a required check, or an item, for what the workspace does not do yet",
        "read": "keep what is expected in grading/, and say `isolation: apart` (scripts use `candidate`)",
        "report": "read the result from the exit status, or from a report that nobody but the grader can write",
        "daemon": "read the result from the exit status, or from a file that nobody but the grader can write",
        "path": "name programs by their full path, and keep directories of the workspace out of PATH",
        "plant": "start interpreters without the workspace on their path (python3 -I), and `protect:` such files",
        "home": "say `isolation: apart`, and start the submission with `candidate`, which has a HOME of its own",
        "star": "import by name (`from m import f`), or list the tests that count in `must_pass`",
        "nan": "refuse numbers that are not finite (`math.isfinite`, `Number.isFinite`) before you compare them",
        "words": "compare the whole text (`equals`, `expect: {stdout: ...}`) instead of looking for a part of it",
    }
)


def bent(case: Case, result: Result, untouched: Result) -> tuple[CaseCheck, ...]:
    """Return the checks whose scores a cheat raised above those of the untouched workspace; all if there are none."""
    before = {check.name: check.score or 0.0 for check in untouched.verdict.checks}
    gained = {
        check.name
        for check in result.verdict.checks
        if check.weight and check.score and not scoring.reaches(before.get(check.name, 0.0), check.score)
    }
    return tuple(check for check in case.checks if check.name in gained or not gained)


def remedies(family: str, case: Case, checks: tuple[CaseCheck, ...]) -> Iterator[str]:
    """Yield a remedy for each check of a case whose score a cheat of this family raised."""
    for check in checks:
        yield f"{check.place}: {check.name}: {_remedy(family, case, check)}."


def _remedy(family: str, case: Case, check: CaseCheck) -> str:
    if family in _OF_FAMILY:
        return _OF_FAMILY[family]
    whole = (check, *evaluation.members(check))
    if family in _IF_APART and any(isinstance(each, Items | CodeGrader) and each.is_apart(case) for each in whole):
        return _IF_APART[family]
    if items := next((each for each in whole if isinstance(each, Items)), None):
        return f"its items call the submission in their own process; {_in(items.language)}"
    grader = next((each for each in whole if isinstance(each, CodeGrader)), None)
    if grader is None:
        return _OF_FAMILY["words"]
    if runner := recognise(grader.command.argv, grader.adapter):
        return f"its tests call the submission in the test runner's process; {_in(runner.runner.language)}"
    if family == "mixed":
        return _APART
    if family in ("exit", "print", "patch") and grader.control is None:
        return f"give it a `control:` that must fail, run a test runner as one plain command, or {_APART}"
    return f"its grader calls the submission in its own process; {_APART}"


def _in(language: str) -> str:
    return "say `isolation: apart`" if languages.get(language).apart else _APART
