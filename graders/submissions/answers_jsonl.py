"""``--answers FILE.jsonl``: one submission per line, each for the case with its id.

    {"case": "fix-null", "answer": "```python ...", "name": "model-a", "target": "baseline"}
    {"case": "fix-null", "answer": "...", "model": "org/model-x:7b", "prompt_label": "AsIs", "prompt_strategy": "1SHOT"}
    {"case": "fix-null", "path": "work/fix-null", "messages": [{"role": "assistant", "content": "Done."}]}

Several lines without a `name` may answer the same case: they are samples 1, 2 and so on of one model and prompt.

The file is hostile input: nothing in it is interpolated, and its paths must stay below its directory. It is read line
by line, so it is never in memory as a whole, and twice: once to report mistakes, and once to grade it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from gradebox.graders.documents.diagnostics import Findings, shown
from gradebox.graders.documents.paths import exists
from gradebox.graders.documents.positions import Document
from gradebox.graders.documents.reader import Reader, parsed, read_lines
from gradebox.graders.documents.suggest import suggestion
from gradebox.graders.errors import GraderError, SubmissionRefused
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.submission import Submission, encodable
from gradebox.graders.model.transcript import Transcript
from gradebox.graders.submissions.answer import read_answer
from gradebox.graders.submissions.answer_line import AnswerEntry, read_line
from gradebox.graders.submissions.limited_files import stays_below
from gradebox.graders.submissions.source import ANSWERS, read_transcript, read_work
from gradebox.graders.submissions.transcript_fields import TranscriptError, TranscriptTooLong
from gradebox.graders.submissions.transcript_json import parse_transcript
from gradebox.sandbox.records import dataclass

MAX_LINE_BYTES = 32 * 1024 * 1024
_MOST_NAMED = 10
_OF_MESSAGES = ("token_usage", "cost_usd", "duration_ms")


_ENTRY: TypeAdapter[AnswerEntry] = TypeAdapter(AnswerEntry)


@dataclass(frozen=True, slots=True)
class Answers:
    """A file of answers after validation."""

    file: Path
    cases: Mapping[str, tuple[Case, ...]]  # By id; a case with several targets appears once for each.
    count: int  # Number of gradings that the file requests.
    refused: frozenset[int]  # Numbers of lines that cannot be graded; `findings` say why.
    findings: Findings
    left_out: Container[str] = ()  # Ids of cases that exist but are not selected.

    def pairs(self) -> Iterator[tuple[Case, Submission]]:
        """Read the file again, and yield each case with its submission in the order of the lines.

        Raises SubmissionRefused if a line has changed since the first reading.
        """
        lines = _Lines(self.file, self.cases, self.left_out, look_for_files=False)
        for number, text in read_lines(self.file, lines.findings, limit=MAX_LINE_BYTES):
            if number in self.refused:
                continue
            read = lines.read(number, text)
            if read is None:
                raise SubmissionRefused(f"{self.file} was changed while its answers were graded.")
            submission = replace(_submission(self.file, read), origin=read.origin, target=read.entry.target)
            for case in read.cases:
                yield case, submission


def read_answers(file: Path, cases: Iterable[Case], left_out: Container[str] = ()) -> Answers:
    """Validate a file of answers. The findings report mistakes; lines without a mistake can be graded.

    Lines that answer `left_out` cases, which exist but are not selected, are skipped.
    """
    by_id: dict[str, tuple[Case, ...]] = {}
    for case in cases:
        by_id[case.id] = (*by_id.get(case.id, ()), case)
    lines = _Lines(file, by_id, left_out)
    count = 0
    refused_lines: set[int] = set()
    answered: set[str] = set()
    number = 0
    for number, text in read_lines(file, lines.findings, limit=MAX_LINE_BYTES):
        read = lines.read(number, text)
        if read is None:
            refused_lines.add(number)
        else:
            count += len(read.cases)
            answered.update(case.id for case in read.cases)
    if not number and not lines.findings.failed:
        lines.findings.error(Place(file), "this file has no answers", hint="Write one JSON object per line.")
    if number:
        warn_of_unanswered(lines.findings, file, by_id, answered)
    return Answers(file, by_id, count, frozenset(refused_lines), lines.findings, left_out)


def warn_of_unanswered(findings: Findings, file: Path, cases: Iterable[str], answered: Container[str | None]) -> None:
    """Warn about cases that a file of answers does not answer."""
    listed = list(cases)
    missing = [case_id for case_id in listed if case_id not in answered]
    if missing:
        named = ", ".join(missing[:_MOST_NAMED]) + (", ..." if len(missing) > _MOST_NAMED else "")
        message = f"{len(missing)} of {len(listed)} cases have no answer here and are not graded: {named}"
        findings.warning(Place(file), message)


class _Line(NamedTuple):
    """A line, the cases that it answers, and its submission's name.

    `sample` is 0 if the line has a `name`. `unreadable` says why what the candidate wrote cannot be read.
    """

    entry: AnswerEntry
    cases: tuple[Case, ...]
    name: str
    sample: int
    unreadable: str = ""

    @property
    def origin(self) -> dict[str, Any]:
        return {**self.entry.origin, **({"sample": self.sample} if self.sample else {})}


@dataclass(slots=True)
class _Lines:
    """Reads the lines of one file, and reports mistakes within and between lines."""

    file: Path
    cases: Mapping[str, tuple[Case, ...]]
    left_out: Container[str] = ()
    look_for_files: bool = True
    findings: Findings = field(default_factory=Findings)
    _first: dict[tuple[str, str | None, str], int] = field(default_factory=dict)
    _samples: Counter[tuple[str, str | None, str]] = field(default_factory=Counter)

    def read(self, number: int, text: str) -> _Line | None:
        """Read one line. Return None if it has a mistake, which the findings then report."""
        before = self.findings.errors
        unreadable: list[str] = []
        line = parsed(self.file, self.findings, partial(read_line, text.rstrip(), unreadable, first_line=number))
        if line is None:
            return None
        reader = Reader(Document(self.file, line.root, (f"line {number}",)), {}, self.findings)
        value = line.data
        if not isinstance(value, dict):
            reader.error((), "an answer must be an object", "Write `case` and `answer`, and so on.")
            return None
        entry = reader.read(_ENTRY, value)
        if entry is None:
            return None
        found = self._named(entry, self._cases(reader, entry))._replace(unreadable="".join(unreadable))
        self._check(reader, entry)
        if self.findings.errors == before:
            self._refuse_duplicates(reader, found, number)
        return found if self.findings.errors == before else None

    def _named(self, entry: AnswerEntry, cases: tuple[Case, ...]) -> _Line:
        if entry.name is not None:
            return _Line(entry, cases, entry.name, 0)
        maker = entry.maker(self.file)
        sample = 1 + max((self._samples[case.id, case.target or entry.target, maker] for case in cases), default=0)
        # The first one keeps its name when a second one is added.
        return _Line(entry, cases, maker if sample == 1 else f"{maker} sample {sample}", sample)

    def _cases(self, reader: Reader, entry: AnswerEntry) -> tuple[Case, ...]:
        found = self.cases.get(entry.case, ())
        if not found and entry.case not in self.left_out:
            reader.error(("case",), f"no case has the id `{shown(entry.case)}`", suggestion(entry.case, self.cases))
        elif found and entry.target is not None:
            targets = [case.target for case in found if case.target is not None]
            if targets:
                found = tuple(case for case in found if case.target == entry.target)
            if not found:
                message = f"the case `{shown(entry.case)}` has no target `{shown(entry.target)}`"
                reader.error(("target",), message, suggestion(entry.target, targets) or "Remove `target`.")
        return found

    def _check(self, reader: Reader, entry: AnswerEntry) -> None:
        if entry.transcript is not None and entry.messages is not None:
            message = "`messages` and `transcript` are two names of one field"
            reader.error(("messages",), message, "Keep one of the two.")
        if entry.path is not None and entry.path.endswith(ANSWERS) and entry.answer is not None:
            reader.error(("path",), "`path` is an answer, and this line has another one", "Keep one of the two.")
        if all(getattr(entry, key) is None for key in ("answer", "path", "transcript", "messages")):
            reader.error((), "this line has no answer", "Write `answer`, `path`, `transcript` or `messages`.")
        for key in ("path", "transcript"):
            written = getattr(entry, key)
            if written is not None and self.look_for_files:
                self._check_path(reader, key, written)
        self._check_messages(reader, entry)

    def _check_messages(self, reader: Reader, entry: AnswerEntry) -> None:
        if entry.messages is not None:
            try:
                _parsed(entry)
            except TranscriptTooLong:
                # How much was said, the candidate decided: its submission is unreadable.
                return
            except TranscriptError as error:
                reader.error(("messages",), str(error).rstrip("."))
        else:
            for key in _OF_MESSAGES:
                if getattr(entry, key) is not None:
                    reader.error((key,), f"`{key}` belongs to `messages`, which is missing", "Write both or none.")

    def _check_path(self, reader: Reader, key: str, written: str) -> None:
        directory = self.file.parent
        path = directory / written
        if not exists(path):
            reader.error((key,), f"`{shown(written)}` does not exist", f"It is looked up from {directory}.")
        elif not stays_below(directory, path):
            reader.error((key,), f"`{shown(written)}` leads out of the directory of this file", "Put it below that.")

    def _refuse_duplicates(self, reader: Reader, found: _Line, number: int) -> None:
        keys = [(case.id, case.target or found.entry.target) for case in found.cases]
        for case, target in keys:
            first = self._first.setdefault((case, target, encodable(found.name)), number)
            if first != number:
                message = f"the case `{case}` already has an answer by `{shown(found.name)}` in line {first}"
                reader.error((), message, "Give each answer of a case a `name` of its own, or none.")
                return
        for case, target in keys if found.sample else ():
            self._samples[case, target, found.entry.maker(self.file)] = found.sample


def _submission(file: Path, line: _Line) -> Submission:
    """Read the submission of a line; its `fault` is set if a file that it names cannot be read."""
    if line.unreadable:
        return Submission(line.name, unreadable=line.unreadable)
    try:
        return _read(file, line.entry, line.name)
    except (TranscriptTooLong, GraderError) as error:
        for why in (error, error.__cause__):
            if isinstance(why, TranscriptTooLong):
                return Submission(line.name, unreadable=str(why))
        return Submission(line.name, fault=str(error))


def _read(file: Path, entry: AnswerEntry, name: str) -> Submission:
    for written in filter(None, (entry.path, entry.transcript)):
        if not stays_below(file.parent, file.parent / written):
            return Submission(name, fault=f"{file.parent / written} no longer exists.")
    submission = read_work(file.parent / entry.path, name) if entry.path is not None else Submission(name)
    if entry.transcript is not None:
        submission = replace(submission, transcript=read_transcript(file.parent / entry.transcript))
    elif entry.messages is not None:
        submission = replace(submission, transcript=_parsed(entry))
    if entry.answer is None:
        return submission
    if entry.path is not None:
        return replace(submission, output=entry.answer)
    return replace(read_answer(name, entry.answer), transcript=submission.transcript)


def _parsed(entry: AnswerEntry) -> Transcript:
    whole = {key: getattr(entry, key) for key in ("messages", *_OF_MESSAGES) if getattr(entry, key) is not None}
    return parse_transcript(json.dumps(whole))
