"""What tests of checks share: cases, trees and transcripts made on the spot, and commands that have ended."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gradebox.graders.checks import evaluation
from gradebox.graders.checks.base import Check
from gradebox.graders.checks.text.text_check import TextCheck
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.model.evidence import Evidence, StepOutcome
from gradebox.graders.model.plan import Role, Step
from gradebox.graders.model.transcript import ToolCall, Transcript
from gradebox.graders.model.tree import Tree
from gradebox.graders.model.verdict import CheckResult, Status
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry
from gradebox.sandbox.types import Capture, Ending, Outcome

PLACE = Place(Path("case.yaml"))
COMMAND = CommandSpec(("judge",))
LOST = Outcome(Ending.SANDBOX_LOST, detail="The container is gone.")
SLOW = Outcome(Ending.TIMED_OUT, detail="It was still running after 5 s of wall time.")


def make(kind: type[Check], name: str = "it", **fields: Any) -> Any:
    """Return a check of a type, also one that no document could say: judges rely on no validation."""
    return kind.model_construct(name=name, place=PLACE, **fields)


def case(*specs: Check, **fields: Any) -> Case:
    return Case("case", PLACE, Path("/case"), specs, **fields)


def tree(files: Mapping[str, str | bytes | None] | None = None, **links: str) -> Tree:
    """Return a tree of these files (None for a directory) and symbolic links."""
    made = {
        path: ArchiveEntry(path, EntryKind.DIRECTORY) if data is None else file_entry(path, _bytes(data))
        for path, data in (files or {}).items()
    }
    made |= {path: ArchiveEntry(path, EntryKind.LINK, target=target) for path, target in links.items()}
    return Tree({path: made[path] for path in sorted(made)})


def _bytes(data: str | bytes) -> bytes:
    return data if isinstance(data, bytes) else data.encode()


def exited(status: int = 0, stdout: str = "") -> Outcome:
    data = stdout.encode()
    return Outcome(Ending.EXITED, status, stdout=Capture(data, total_bytes=len(data)))


def done(outcome: Outcome, name: str = "it", *, cut_off: bool = False) -> StepOutcome:
    return StepOutcome(Step(Role.CHECK, name, ("judge",), "/workspace", 5.0), outcome, cut_off)


def called(*names: str, **stated: Any) -> Transcript:
    """Return a transcript with calls of these tools."""
    return Transcript(tool_calls=tuple(ToolCall(name, {}) for name in names), **stated)


def judge(spec: Check, evidence: Evidence | None = None, **fields: Any) -> CheckResult:
    return evaluation.judge(spec, case(spec, **fields), evidence or Evidence())


def result(score: float | None = 1.0, name: str = "other", status: Status | None = None, **fields: Any) -> CheckResult:
    """Return a result such as judges make, with a threshold of 0.8."""
    fits = Status.NOT_JUDGED if score is None else Status.PASSED if score >= 0.8 else Status.FAILED
    return CheckResult(name, "contains", status or fits, score, 0.8, **fields)


def text_is_judged(kind: type[TextCheck], fields: Mapping[str, Any], text: str, *, met: bool) -> None:
    """Assert what a check of text makes of an answer, with `negate`, and of the same text in a file."""
    assert judge(make(kind, **fields), Evidence(output=text)).score == float(met)
    assert judge(make(kind, negate=True, **fields), Evidence(output=text)).score == float(not met)
    in_file = Evidence(tree=tree({"a.txt": text}))
    assert judge(make(kind, file="a.txt", **fields), in_file).score == float(met)


def text_cannot_be_judged(kind: type[TextCheck], fields: Mapping[str, Any], text: str) -> None:
    """Assert that a check of text is an error, also with `negate`, and soon."""
    for negate in (False, True):
        found = judge(make(kind, negate=negate, **fields), Evidence(output=text))
        assert found.status is Status.ERROR
        assert found.reason
