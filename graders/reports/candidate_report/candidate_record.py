"""What a candidate may see of a verdict: a small record, built only from fields that the case makes visible.

This is an allow-list. One line here fills each field of the record, from a field that `Seen` names, and all output for
candidates is made from the record alone. Since nothing is removed from a full verdict, a field that verdicts get later
stays hidden until a line here shows it.

A program's output may contain anything that the program could read, so it is withheld for:

- a check that was judged in-process, where the submission shares a process or a user with its grader;
- a case with services, in which a hidden test may have left data;
- a test whose input is hidden, since the program may print its input.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gradebox.graders.model.plan import Role
from gradebox.graders.model.verdict import HIDDEN, Shown
from gradebox.graders.model.verdict_document import CheckDocument, VerdictDocument
from gradebox.graders.reports.escaping import plain
from gradebox.graders.runs.saved_evidence import Output, SavedStep, steps_of
from gradebox.graders.runs.saved_run import SavedRun
from gradebox.sandbox.records import dataclass

STREAM_BYTES = 8 * 1024
"""How many bytes of one stream of a command are shown."""
_MESSAGE_MAX = 2000
_RUN_VERDICTS = {
    "AC": "accepted", "WA": "wrong answer", "TLE": "time limit exceeded", "MLE": "memory limit exceeded",
    "OLE": "output limit exceeded", "RTE": "run-time error", "CE": "compile error", "-": "not run",
}  # fmt: skip
_WORDS = {"passed": "passed", "failed": "failed", "error": "could not be graded", "not_judged": "not judged"}
IN_PROCESS = "Output is withheld: the program ran together with its tests and could have printed them."
SERVICES = "Output is withheld: the program could read services that hidden tests use as well."
UNSEEN_INPUT = "Output is withheld: the program has read an input that is not shown."
_TAMPERED = "The submission interfered with its grading, so it gets no points."
_REQUIRED = "A required check failed, so the submission gets no points."


@dataclass(frozen=True, slots=True)
class CandidateTest:
    """The visible part of one test. Text that must not be seen is empty."""

    name: str
    verdict: str = ""
    input: str = ""
    output: str = ""
    expected: str = ""
    message: str = ""
    withheld: str = ""  # A sentence that says why the output is not shown.


@dataclass(frozen=True, slots=True)
class CandidateGroup:
    """The visible part of a group of tests."""

    name: str
    points: float | None = None
    of: float | None = None


@dataclass(frozen=True, slots=True)
class CandidateCheck:
    """The visible part of a check. Points are None if they must not be seen, or there are none."""

    name: str
    verdict: str = ""
    points: float | None = None
    of: float | None = None
    message: str = ""
    output: str = ""
    withheld: str = ""
    groups: tuple[CandidateGroup, ...] = ()
    tests: tuple[CandidateTest, ...] = ()
    hidden_tests: int = 0


@dataclass(frozen=True, slots=True)
class CandidateRecord:
    """The visible part of one verdict. A check gives up to its weight in points; None without a score."""

    case: str
    submission: str
    verdict: str
    points: float | None
    of: float
    told: tuple[str, ...] = ()
    checks: tuple[CandidateCheck, ...] = ()
    hidden_checks: int = 0
    hidden_points: float | None = None
    hidden_of: float = 0.0
    attempt: str = ""


def points(score: float | None, of: float) -> float | None:
    """Return the points for a score; None without one."""
    return None if score is None else round(score * of, 4)


def most_points(verdict: VerdictDocument) -> float:
    """Return the most points that a verdict can have: the sum of the weights of its checks."""
    return round(sum(check.weight for check in verdict.checks), 4)


def candidate_record(run: SavedRun, verdict: VerdictDocument, *, after: bool) -> CandidateRecord:
    """Return what a candidate may see of a verdict; `after` adds what becomes visible after the deadline."""
    listed = [(check, check.seen.fields(after=after)) for check in verdict.checks]
    steps = steps_of(run, verdict, max_bytes=STREAM_BYTES) if any(fields for _, fields in listed) else []
    shared = SERVICES if verdict.services else ""
    shown = [
        _check(check, number, fields, steps, shared, after=after) for number, (check, fields) in enumerate(listed, 1)
    ]
    hidden = [check for check, fields in listed if not fields]
    scores = [points(check.score, check.weight) for check in hidden]
    of = most_points(verdict)
    return CandidateRecord(
        case=verdict.case,
        submission=verdict.submission,
        verdict=_WORDS[verdict.verdict],
        points=points(verdict.gated_score, of),
        of=of,
        told=tuple(_told(verdict)),
        checks=tuple(one for one in shown if one is not None),
        hidden_checks=len(hidden),
        hidden_points=None if None in scores else round(sum(filter(None, scores)), 4),
        hidden_of=round(sum(check.weight for check in hidden), 4),
        attempt=str(verdict.origin.get("attempt") or ""),
    )


def _told(verdict: VerdictDocument) -> Iterator[str]:
    yield from (plain(sentence)[:_MESSAGE_MAX] for sentence in verdict.told)
    if verdict.tampering:
        yield _TAMPERED
    elif verdict.missed:
        yield _REQUIRED


def _check(
    check: CheckDocument, number: int, fields: frozenset[Shown], steps: Iterable[SavedStep], shared: str, *, after: bool
) -> CandidateCheck | None:
    """Return the visible part of a check; `shared` says why all output of the case is withheld, empty if it is not."""
    if not fields:
        return None
    own = [step for step in steps if step.check == check.name]
    has_tests = any(step.role in (Role.TEST, Role.ITEM, Role.BUILD) for step in own)
    why_not = shared or (IN_PROCESS if check.judged == "in-process" else "")
    # A check with tests shows only the output of its build, since its own message may name any test.
    printed = [step for step in own if step.role == (Role.BUILD if has_tests else Role.CHECK)]
    wants_output = Shown.OUTPUT in fields and bool(printed)
    says = Shown.MESSAGE in fields and not has_tests and _is_own_reason(check)
    verdict = Shown.VERDICT in fields
    tests = tuple(_tests(check, own, why_not, after=after))
    return CandidateCheck(
        name=check.name if Shown.NAME in fields else f"check {number}",
        verdict=_WORDS[check.verdict] if verdict else "",
        points=points(check.score, check.weight) if verdict else None,
        of=check.weight if verdict else None,
        message=_message(check.reason) if says and not why_not else "",
        output="\n".join(map(_printed, printed)).strip("\n") if wants_output and not why_not else "",
        withheld=why_not if wants_output or says else "",
        groups=tuple(_groups(check, after=after)),
        tests=tests,
        hidden_tests=len(_every_test(check, own)) - len(tests),
    )


def _is_own_reason(check: CheckDocument) -> bool:
    """Return whether a check itself gave its reason, and not something that kept it from running."""
    return check.verdict in ("passed", "failed") and bool(check.reason) and not check.reason.startswith("not run: ")


def _groups(check: CheckDocument, *, after: bool) -> Iterator[CandidateGroup]:
    for number, row in enumerate(_rows(check, "groups"), 1):
        fields = check.seen.groups.get(str(row.get("group")), HIDDEN).fields(after=after)
        if fields:
            verdict = Shown.VERDICT in fields
            yield CandidateGroup(
                name=str(row["group"]) if Shown.NAME in fields else f"group {number}",
                points=_number(row.get("points")) if verdict else None,
                of=_number(row.get("of")) if verdict else None,
            )


def _every_test(check: CheckDocument, steps: Iterable[SavedStep]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the names of a check's tests, each with its row in the details, empty without one."""
    rows = _rows(check, "tests")
    if check.type == "io":
        return [(str(row.get("test")), row) for row in rows]
    return [(step.name, {}) for step in steps if step.role == Role.ITEM]


def _rows(check: CheckDocument, kind: str) -> list[dict[str, Any]]:
    found = check.details.get(kind)
    return [row for row in found if isinstance(row, dict)] if check.type == "io" and isinstance(found, list) else []


def _tests(check: CheckDocument, steps: list[SavedStep], why_not: str, *, after: bool) -> Iterator[CandidateTest]:
    ran = {step.name: step for step in steps if step.role in (Role.TEST, Role.ITEM)}
    for number, (name, row) in enumerate(_every_test(check, steps), 1):
        fields = check.seen.tests.get(name, HIDDEN).fields(after=after)
        if fields:
            step = ran.get(name)
            of_program = _of_program(row, fields) if row else _of_item(step, fields)
            yield _test(name if Shown.NAME in fields else f"test {number}", fields, step, of_program, why_not)


def _of_program(row: Mapping[str, Any], fields: frozenset[Shown]) -> dict[str, str]:
    """Return the visible texts of a test of a program."""
    verdict = _RUN_VERDICTS.get(str(row.get("verdict")), "")
    # The reason for a wrong output contains the expected one, and a program's error message may contain its input.
    says = row.get("reason") if {Shown.INPUT, Shown.EXPECTED} <= fields else ""
    return {
        "verdict": verdict,
        "input": str(row.get("input") or ""),
        "expected": str(row.get("expected") or ""),
        "message": str(says or ""),
    }


def _of_item(step: SavedStep | None, fields: frozenset[Shown]) -> dict[str, str]:
    """Return the visible texts of an item, whose input is its source."""
    if step is None:
        return {}
    source = step.argv[-1] if len(step.argv) == 3 else ""
    says = step.reason if Shown.INPUT in fields else ""
    return {"verdict": "passed" if step.passed else "failed", "input": source, "message": says}


def _test(
    name: str, fields: frozenset[Shown], step: SavedStep | None, found: Mapping[str, str], together: str
) -> CandidateTest:
    wants_output = Shown.OUTPUT in fields and step is not None
    why_not = together or ("" if Shown.INPUT in fields else UNSEEN_INPUT)
    told = {of: found.get(of, "") if Shown(of) in fields else "" for of in ("verdict", "input", "expected", "message")}
    if together:
        told["message"] = ""
    return CandidateTest(
        name=name,
        output=_printed(step) if step is not None and wants_output and not why_not else "",
        withheld=why_not if wants_output else "",
        **{of: _message(text, STREAM_BYTES) for of, text in told.items()},
    )


def _printed(step: SavedStep) -> str:
    streams = [step.stdout, step.stderr]
    return "\n".join(_text(stream) for stream in streams if stream.total_bytes)


def _text(stream: Output) -> str:
    return plain(stream.text()).rstrip("\n")


def _message(text: str, most: int = _MESSAGE_MAX) -> str:
    clean = plain(text)
    return clean if len(clean) <= most else f"{clean[:most]}\n[...]"


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
