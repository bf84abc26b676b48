"""Verdicts as a run directory of AgentV 4, which its commands `compare` and `results` read.

    index.jsonl                     a row for each case and target
    graded/index.jsonl              the same without errors
    benchmark.json                  figures by target
    <suite>/<case>/[<target>/]
        grading.json                assertions, and the score of each check
        timing.json                 tokens and time of the answer
        outputs/answer.md           the answer, if there is one; response.md too
        outputs/transcript.jsonl    how it came about, if that is known

AgentV wants a number as the score of each row. So an `error` has 0 there, as in AgentV's own runs, and is marked as
``execution_error``. Its `compare` counts such a 0, so there is an index without them. Pure: nothing is written here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from datetime import UTC, datetime
from math import fsum, sqrt
from typing import Any, NamedTuple, Self

from gradebox.graders.documents.paths import file_name
from gradebox.graders.formats.agentv.assertions import assertions_of, judged_assertions
from gradebox.graders.model import scoring
from gradebox.graders.model.transcript import Transcript
from gradebox.graders.model.trials import Tried
from gradebox.graders.model.verdict_document import CheckDocument, VerdictDocument
from gradebox.graders.submissions.transcript_json import written_message
from gradebox.sandbox.records import dataclass

INDEX = "index.jsonl"
WITHOUT_ERRORS = "graded/index.jsonl"
BENCHMARK = "benchmark.json"
_STATUS = {"passed": "ok", "failed": "quality_failure", "error": "execution_error"}
_VERDICT = {"passed": "pass", "failed": "fail"}


@dataclass(frozen=True, slots=True)
class Graded:
    """A verdict with what is known of the submission."""

    verdict: VerdictDocument
    target: str  # The name under which its submission is compared.
    directory: str  # Of its files, relative to that of the run.
    answer: str | None = None
    transcript: Transcript | None = None
    # All verdicts of a case that is tried several times, of which this is the best; none otherwise.
    tries: tuple[VerdictDocument, ...] = ()
    tried: Tried | None = None  # What these come to.

    @property
    def score(self) -> float:
        score = self.tried.score if self.tried else self.verdict.gated_score
        return 0.0 if self.is_error else score or 0.0

    @property
    def status(self) -> str:
        return self.tried.status if self.tried else self.verdict.verdict

    @property
    def is_error(self) -> bool:
        return self.status == "error"


def target_names(verdicts: Iterable[VerdictDocument]) -> list[str]:
    """Return the name under which each verdict is compared: unique among the verdicts of a case, but for its tries.

    It is that of the target, otherwise of the model of a case that is tried several times, otherwise of the submission;
    and more of these where that names several.
    """
    # Verdicts may be long, and a run may have tens of thousands.
    names = [_Names.of(number, verdict) for number, verdict in enumerate(verdicts)]
    several = Counter((case, short) for case, short, _ in {(one.case, one.short, one.group) for one in names})
    return [one.short if several[one.case, one.short] == 1 else one.long for one in names]


class _Names(NamedTuple):
    case: tuple[str, str]
    short: str
    long: str
    group: str  # The same for the tries that count together.

    @classmethod
    def of(cls, number: int, verdict: VerdictDocument) -> Self:
        model = str(verdict.origin.get("model", ""))
        case, short = (verdict.suite, verdict.case), verdict.target or verdict.submission
        if verdict.trials:
            return cls(case, verdict.target or model or short, " ".join(filter(None, [verdict.target, model])), model)
        submission = "" if verdict.submission == verdict.target else verdict.submission
        repeat = f"repeat {verdict.repeat}" if verdict.repeat > 1 else ""
        return cls(case, short, " ".join(filter(None, [verdict.target, submission, repeat])), str(number))


def directory_of(verdict: VerdictDocument, target: str, *, alone: bool) -> str:
    """Return the directory of a verdict's files; `alone` says whether there is one target, which needs no name."""
    parts = [verdict.suite, verdict.case, "" if alone else target]
    return "/".join(file_name(part) for part in parts if part)


def row(graded: Graded) -> dict[str, Any]:
    verdict, transcript, directory = graded.verdict, graded.transcript, graded.directory
    stated: dict[str, Any] = {
        "timestamp": timestamp(verdict.started),
        "test_id": verdict.case,
        "suite": verdict.suite or None,
        "category": verdict.category or None,
        "score": graded.score,
        "target": graded.target,
        **(_usage(transcript) if transcript is not None else {}),
        "scores": [_score(check) for check in verdict.checks],
        **(_trials(graded, graded.tried) if graded.tried else {}),
        "execution_status": _STATUS[graded.status],
        "error": "; ".join(verdict.reasons) or None if graded.is_error else None,
        "failure_stage": "evaluator" if graded.is_error else None,
        "artifact_dir": directory,
        "grading_path": f"{directory}/grading.json",
        "timing_path": f"{directory}/timing.json",
        "metadata": {"submission": verdict.submission, "verdict": verdict.verdict, "reasons": verdict.reasons},
    }
    if graded.answer is not None:
        paths = {"output_path": "answer", "answer_path": "answer", "response_path": "response"}
        stated |= {key: f"{directory}/outputs/{name}.md" for key, name in paths.items()}
    if transcript is not None:
        stated["transcript_path"] = f"{directory}/outputs/transcript.jsonl"
    return {name: value for name, value in stated.items() if value is not None}


def _trials(graded: Graded, tried: Tried) -> dict[str, Any]:
    attempts = [
        {"attempt": number, "score": one.gated_score or 0.0, "verdict": _VERDICT.get(one.verdict, "fail")}
        | ({"execution_status": _STATUS["error"]} if one.verdict == "error" else {})
        for number, one in enumerate(graded.tries)
    ]
    return {"trials": attempts, "aggregation": {"strategy": tried.strategy, **tried.figures}}


def from_below(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row for an index that lies one directory below: its paths lead up."""
    return {name: f"../{value}" if name.endswith(("_path", "_dir")) else value for name, value in written.items()}


def files(graded: Graded) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file of a verdict."""
    yield f"{graded.directory}/grading.json", _document(_grading(graded))
    yield f"{graded.directory}/timing.json", _document(_timing(graded.transcript or Transcript()))
    if graded.answer is not None:
        for name in ("answer", "response"):
            yield f"{graded.directory}/outputs/{name}.md", graded.answer
    if graded.transcript is not None:
        lines = _transcript_lines(graded, graded.transcript)
        yield f"{graded.directory}/outputs/transcript.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines)


def timestamp(when: datetime) -> str:
    """Return a time as JavaScript writes it."""
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _score(check: CheckDocument) -> dict[str, Any]:
    return {
        "name": check.name,
        "type": check.type,
        "score": check.score or 0.0,
        "weight": check.weight,
        "verdict": _VERDICT.get(check.verdict, "skip"),
        "assertions": [one._asdict() for one in assertions_of(check)],
    }


def _grading(graded: Graded) -> dict[str, Any]:
    verdict = graded.verdict
    assertions = judged_assertions(verdict.checks)
    passed = sum(one.passed for one in assertions)
    calls = Counter(call.name for call in graded.transcript.tool_calls) if graded.transcript else Counter[str]()
    return {
        "assertions": [one._asdict() for one in assertions],
        "summary": {
            "passed": passed,
            "failed": len(assertions) - passed,
            "total": len(assertions),
            "pass_rate": round(passed / len(assertions), 3) if assertions else 0,
        },
        "execution_metrics": {
            "tool_calls": dict(calls),
            "total_tool_calls": calls.total(),
            "errors_encountered": int(graded.is_error),
        },
        "graders": [{**_score(check), "reasoning": check.reason, "details": check.details} for check in verdict.checks],
    }


def _timing(transcript: Transcript) -> dict[str, Any]:
    read, made, milliseconds = (
        number or 0 for number in (transcript.input_tokens, transcript.output_tokens, transcript.duration_ms)
    )
    return {
        "total_tokens": read + made,
        "duration_ms": milliseconds,
        "total_duration_seconds": round(milliseconds / 1000, 3),
        "token_usage": {"input": read, "output": made, "reasoning": 0},
    }


def _usage(transcript: Transcript) -> dict[str, Any]:
    tokens = {"input": transcript.input_tokens, "output": transcript.output_tokens}
    known = any(number is not None for number in tokens.values())
    return {
        "token_usage": {name: number or 0 for name, number in tokens.items()} if known else None,
        "cost_usd": transcript.cost_usd,
        "duration_ms": transcript.duration_ms,
    }


def _transcript_lines(graded: Graded, transcript: Transcript) -> Iterator[dict[str, Any]]:
    usage = {f"transcript_{name}": value for name, value in _usage(transcript).items() if value is not None}
    source = {"provider": graded.target, "session_id": graded.verdict.id}
    for number, message in enumerate(transcript.messages):
        names = {"test_id": graded.verdict.case, "target": graded.target, "message_index": number}
        yield {**names, **written_message(message), **usage, "source": source}


def _document(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2) + "\n"


@dataclass(slots=True)
class Benchmark:
    """The figures of a run, gathered verdict by verdict; errors are left out of those of quality."""

    _started: list[datetime] = field(default_factory=list)
    _cases: set[str] = field(default_factory=set)
    _figures: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    _checks: dict[str, list[float]] = field(default_factory=dict)
    _errors: int = 0

    def add(self, graded: Graded) -> None:
        verdict, transcript = graded.verdict, graded.transcript or Transcript()
        self._started.append(verdict.started)
        self._cases.add(verdict.case)
        self._errors += graded.is_error
        figures = self._figures.setdefault(graded.target, {"pass_rate": [], "time_seconds": [], "tokens": []})
        if not graded.is_error:
            judged = [check for check in verdict.checks if check.score is not None and check.verdict != "error"]
            reached = [scoring.reaches(check.score or 0.0, scoring.PASS_BAND) for check in judged]
            figures["pass_rate"].append(sum(reached) / len(reached) if reached else 0.0)
            for check in judged:
                self._checks.setdefault(f"{check.name}:{check.type}", []).append(check.score or 0.0)
        for name, value in (
            ("time_seconds", None if transcript.duration_ms is None else transcript.duration_ms / 1000),
            ("tokens", transcript.total_tokens),
            ("cost_usd", transcript.cost_usd),
        ):
            if value is not None:
                figures.setdefault(name, []).append(value)

    def document(self, run: str) -> str:
        """Return the file; `run` is the run's id."""
        note = f"{self._errors} test(s) had execution errors and are excluded from quality pass_rate"
        return _document(
            {
                "metadata": {
                    "eval_file": "",
                    "timestamp": timestamp(min(self._started, default=datetime.now(UTC))),
                    "targets": sorted(self._figures),
                    "tests_run": sorted(self._cases),
                    "experiment": run,
                },
                "run_summary": {
                    target: {name: _statistics(values) for name, values in figures.items()}
                    for target, figures in sorted(self._figures.items())
                },
                "per_grader_summary": {name: _statistics(values) for name, values in sorted(self._checks.items())},
                "notes": [note] if self._errors else [],
            }
        )


def _statistics(values: list[float]) -> dict[str, float]:
    if not values:
        return {"mean": 0.0, "stddev": 0.0}
    mean = fsum(values) / len(values)
    deviation = sqrt(fsum((value - mean) ** 2 for value in values) / len(values))
    return {"mean": round(mean, 3), "stddev": round(deviation, 3)}
