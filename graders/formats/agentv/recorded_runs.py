"""Recorded runs of AgentV as submissions: ``--answers DIR``, and of what AgentEvals writes.

    index.jsonl                                 a row for each case and target: `test_id`, `target`, `answer_path`, ...
    <suite>/<case>/outputs/answer.md            the answer
    <suite>/<case>/outputs/transcript.jsonl     how it came about

Older results are one file of rows that hold the answer themselves, as `answer`, `candidateAnswer` or `output`, which is
text or messages. Keys may be written in camelCase. The scores in the rows are not read. A file of imported transcripts
has a row for each message; the messages of a `test_id` are one recording. A row is hostile input: its paths stay below
the directory. One that cannot be graded is reported with its place, and the others are graded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any, NamedTuple

from gradebox.graders.documents import strict_json
from gradebox.graders.documents.diagnostics import Findings, shown
from gradebox.graders.documents.paths import is_file
from gradebox.graders.documents.reader import read_lines
from gradebox.graders.documents.suggest import suggestion
from gradebox.graders.errors import GraderError
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.submission import Submission, encodable
from gradebox.graders.model.transcript import Transcript
from gradebox.graders.submissions.answer import ANSWER_FILES, extract_code, read_answer
from gradebox.graders.submissions.answers_jsonl import MAX_LINE_BYTES, warn_of_unanswered
from gradebox.graders.submissions.limited_files import stays_below
from gradebox.graders.submissions.source import read_answer_file, read_transcript
from gradebox.graders.submissions.transcript_fields import TranscriptError
from gradebox.graders.submissions.transcript_json import parse_transcript
from gradebox.sandbox.records import dataclass

INDEX = "index.jsonl"
_OLDER = ("results.jsonl", "*.results.jsonl", "eval_*.jsonl")
_IDS = ("test_id", "eval_id")
_SUITES = ("suite", "dataset")
_ANSWER_PATHS = ("answer_path", "output_path", "response_path")
_DIRECTORIES = ("artifact_dir", "result_dir", "test_dir")
_ANSWERS = ("answer", "candidate_answer", "output", "response")
_MESSAGES = ("output_messages", "messages", "output")
_NUMBERS = ("token_usage", "cost_usd", "duration_ms")
_NO_WORKSPACE = "the recording holds no workspace"
_CAPITAL = re.compile(r"(?<=[a-z0-9])[A-Z]")


def files_of(path: Path) -> list[Path]:
    """Return the files of rows that a path is or holds, in their order; none if it is not a recorded run."""
    if path.is_dir():
        if is_file(path / INDEX):
            return [path / INDEX]
        older = sorted({file for pattern in _OLDER for file in path.glob(pattern) if is_file(file)})
        return older or sorted(file for file in path.rglob(INDEX) if is_file(file))
    if path.suffix != ".jsonl":
        return []
    first = next((text for _, text in read_lines(path, Findings(), limit=MAX_LINE_BYTES)), "")
    row = _row(first)
    return [path] if isinstance(row, dict) and "case" not in row and _text(row, _IDS) else []


class _Accepted(NamedTuple):
    name: str
    cases: tuple[Case, ...]


@dataclass(slots=True)
class RecordedRuns:
    """Recorded rows that were checked."""

    files: Sequence[Path]
    by_id: Mapping[str, tuple[Case, ...]]
    left_out: Container[str]
    count: int = 0  # Number of gradings that they request.
    findings: Findings = field(default_factory=Findings)  # Why the others cannot be graded.
    _accepted: dict[tuple[Path, int], _Accepted] = field(default_factory=dict)
    _taken: set[tuple[str, str | None, str]] = field(default_factory=set)

    def pairs(self) -> Iterator[tuple[Case, Submission]]:
        """Read the rows again, and yield each case with its submission in their order."""
        for file in self.files:
            for number, row in _rows(file, Findings()):
                accepted = self._accepted.get((file, number))
                if accepted is None:
                    continue
                submission = _submission(_base(file), accepted.name, row or {})
                for case in accepted.cases:
                    yield case, _with_code(case, submission)

    def check(self, file: Path, number: int, row: Mapping[str, Any] | None) -> str | None:
        """Accept a row, or report what is wrong with it; return the id of its case if it is accepted."""
        place = Place(file, number, 1)
        case_id = _text(row, _IDS) if row is not None else None
        if row is None or case_id is None:
            self.findings.error(place, "this is not a recorded result", hint="A row is a JSON object with `test_id`.")
            return None
        cases = self._cases(case_id, _text(row, _SUITES), row.get("target"))
        if not cases:
            if case_id not in self.left_out:
                message = f"no case has the id `{shown(case_id)}`"
                self.findings.error(place, message, hint=suggestion(case_id, self.by_id))
            return None
        if complaint := _complaint(_base(file), row):
            self.findings.error(place, f"the result of `{shown(case_id)}` {complaint}", hint="Record it again.")
            return None
        name = self._name(_text(row, ("target",)) or file.stem, cases)
        self._accepted[file, number] = _Accepted(name, cases)
        self.count += len(cases)
        return case_id

    def _cases(self, case_id: str, suite: str | None, target: object) -> tuple[Case, ...]:
        found = self.by_id.get(case_id, ())
        found = tuple(case for case in found if case.suite == suite) or found
        return tuple(case for case in found if case.target == target) or found

    def _name(self, wanted: str, cases: Iterable[Case]) -> str:
        """Return a name that no other answer of these cases has, as documents write it: attempts are numbered."""
        wanted = encodable(wanted)
        name, number = wanted, 1
        while any((case.id, case.target, name) in self._taken for case in cases):
            number += 1
            name = f"{wanted} {number}"
        self._taken.update((case.id, case.target, name) for case in cases)
        return name


def _with_code(case: Case, submission: Submission) -> Submission:
    """Return a submission with the code of its answer; without any, nothing is known of the workspace."""
    made = extract_code(case, submission)
    known = made.tree.entries.keys() - set(ANSWER_FILES.values())
    return made if known else replace(made, no_workspace=_NO_WORKSPACE)


def read_recorded_runs(files: Sequence[Path], cases: Iterable[Case], left_out: Container[str]) -> RecordedRuns:
    """Check the rows of recorded runs; those without a mistake can be graded."""
    by_id: dict[str, tuple[Case, ...]] = {}
    for case in cases:
        by_id[case.id] = (*by_id.get(case.id, ()), case)
    runs = RecordedRuns(files, by_id, left_out)
    answered = {runs.check(file, number, row) for file in files for number, row in _rows(file, runs.findings)}
    warn_of_unanswered(runs.findings, files[0], by_id, answered)
    return runs


def _rows(file: Path, findings: Findings) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Yield the rows of a file with their numbers; of transcripts, one for all messages of an id."""
    together: dict[str, tuple[int, dict[str, Any]]] = {}
    for number, text in read_lines(file, findings, limit=MAX_LINE_BYTES):
        row = _row(text)
        if row is None or "message_index" not in row or (case_id := _text(row, _IDS)) is None:
            yield number, row
            continue
        whole: dict[str, Any] = {"test_id": case_id, "target": row.get("target"), "messages": []}
        together.setdefault(case_id, (number, whole))[1]["messages"].append(row)
    yield from together.values()


def _row(text: str) -> dict[str, Any] | None:
    """Return a row with its keys in snake_case, None if it is none."""
    try:
        found = strict_json.loads(text)
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    return {_CAPITAL.sub(lambda capital: f"_{capital[0].lower()}", key): value for key, value in found.items()}


def _text(row: Mapping[str, Any], names: Iterable[str]) -> str | None:
    return next((value for name in names if isinstance(value := row.get(name), str) and value.strip()), None)


def _base(file: Path) -> Path:
    return file.parent.parent if file.parent.name == ".internal" else file.parent


def _complaint(base: Path, row: Mapping[str, Any]) -> str:
    """Return why a row cannot be graded, empty if it can."""
    named = _text(row, _ANSWER_PATHS)
    if _answer_file(base, row) or _transcript_file(base, row) or _text(row, _ANSWERS) or _messages(row) is not None:
        return ""
    if named is not None:
        return f"names the answer `{shown(named)}`, which is not a file below {base}"
    return "" if row.get("execution_status") == "execution_error" else "holds no answer"


def _file(base: Path, row: Mapping[str, Any], keys: Iterable[str], names: Iterable[str]) -> Path | None:
    """Return the first file that a row names by one of the keys, or that has one of the names in its directory."""
    written = [row[key] for key in keys if isinstance(row.get(key), str)]
    written += [f"{directory}/outputs/{name}" for directory in _directories(row) for name in names]
    paths = (base / path for path in written if "\0" not in path)
    return next((path for path in paths if is_file(path) and stays_below(base, path)), None)


def _directories(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield where the files of a row may lie: where it says so, otherwise where AgentV and gradebox write them."""
    if directory := _text(row, _DIRECTORIES):
        yield directory
        return
    suite, case, target = (_text(row, names) for names in (_SUITES, _IDS, ("target",)))
    for above in filter(None, (f"{suite}/{case}" if suite else "", case)):
        yield from ([f"{above}/{target}"] if target else [])
        yield above


def _answer_file(base: Path, row: Mapping[str, Any]) -> Path | None:
    return _file(base, row, _ANSWER_PATHS, ("answer.md", "response.md"))


def _transcript_file(base: Path, row: Mapping[str, Any]) -> Path | None:
    return _file(base, row, ("transcript_path",), ("transcript.jsonl",))


def _messages(row: Mapping[str, Any]) -> list[Any] | None:
    return next((value for name in _MESSAGES if isinstance(value := row.get(name), list) and value), None)


def _submission(base: Path, name: str, row: Mapping[str, Any]) -> Submission:
    """Return the submission of a row; its `fault` is set if it cannot be read, or AgentV could not make it."""
    answered = row.get("failure_stage") in ("evaluator", "teardown")
    lost = row.get("execution_status") == "execution_error" and not answered
    if lost:
        # What then stands for the answer is AgentV's own message.
        return Submission(name, fault=f"AgentV recorded an error: {_text(row, ('error',)) or 'no reason'}")
    try:
        transcript = _transcript(base, row)
        file, text = _answer_file(base, row), _text(row, _ANSWERS)
        if file is not None:
            submission = read_answer_file(file, name)
        elif text is not None:
            submission = read_answer(name, text)
        else:
            submission = Submission(name)
    except (GraderError, TranscriptError) as error:
        return Submission(name, fault=str(error))
    if transcript is None and submission.output is None:
        return Submission(name, fault=f"AgentV recorded no answer: {_text(row, ('error',)) or 'no reason'}")
    # What made it keeps the answers of several targets apart, and those of one together.
    made = {"model": _text(row, ("target",)), "timestamp": _text(row, ("timestamp",))}
    origin = {name: value for name, value in made.items() if value is not None}
    return replace(submission, transcript=transcript, origin=origin)


def _transcript(base: Path, row: Mapping[str, Any]) -> Transcript | None:
    """Return how the answer came about, None where the row tells neither messages nor that no tool was called."""
    numbers = {name: row[name] for name in _NUMBERS if row.get(name) is not None}
    file, messages = _transcript_file(base, row), _messages(row)
    if file is not None:
        return _with_numbers(read_transcript(file), numbers)
    summary: Mapping[str, Any] = next(
        (row[name] for name in ("trace", "trace_summary") if isinstance(row.get(name), dict)), {}
    )
    if messages is None and 0 not in (summary.get("event_count"), summary.get("eventCount")):
        return None
    messages = messages or [{"role": "assistant", "content": _text(row, _ANSWERS) or ""}]
    for name in (*_NUMBERS, "llm_call_count"):
        camel = re.sub(r"_(.)", lambda found: found[1].upper(), name)
        numbers.setdefault(name, summary.get(name, summary.get(camel)))
    known = {name: number for name, number in numbers.items() if number is not None}
    return parse_transcript(json.dumps({"messages": messages, **known}))


def _with_numbers(transcript: Transcript, numbers: Mapping[str, Any]) -> Transcript:
    """Return a transcript with the numbers that the row knows and it does not."""
    if not numbers:
        return transcript
    row = parse_transcript(json.dumps({"messages": [{"role": "assistant"}], **numbers}))
    known = ("input_tokens", "output_tokens", "total_tokens", "cost_usd", "duration_ms")
    missing = {name: getattr(row, name) for name in known if getattr(transcript, name) is None}
    return replace(transcript, **missing)
