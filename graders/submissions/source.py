"""Reads submissions from paths. The content of a file decides what kind of submission it is.

All input here is hostile. This module opens only the named files, reads each up to a limit, and runs no other program.
The plug-in of a foreign format (`gradebox.graders.formats`) reads its recorded answers.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol, runtime_checkable

from gradebox.graders.documents.plugins import plugins
from gradebox.graders.documents.suggest import did_you_mean
from gradebox.graders.errors import SubmissionRefused, UsageRefused
from gradebox.graders.model.case import Case
from gradebox.graders.model.submission import Form, HandIn, Submission, unused
from gradebox.graders.model.transcript import Transcript
from gradebox.graders.submissions.answer import ANSWER_FILES, extract_code, read_answer
from gradebox.graders.submissions.directory import read_directory
from gradebox.graders.submissions.limited_files import MAX_BYTES, limited, opened, text_of_file
from gradebox.graders.submissions.recent_submissions import RecentSubmissions
from gradebox.sandbox.records import dataclass

STDIN = "-"
ANSWERS = (".md", ".txt", ".jl")
DIFFS = (".diff", ".patch")
TRANSCRIPTS = (".jsonl", ".json")
REFERENCE = "reference"
_MOST_NAMED = 10
_COMPRESSED = (".gz", ".bz2", ".xz")
_NO_SUBMISSION = "It is not a diff, archive, answer, transcript or source file."
_FORMS = (
    "Submit a directory, a unified diff, a zip or tar archive, an answer in markdown, a transcript in JSON, or a "
    "source file."
)


@runtime_checkable
class AnswerFormat(Protocol):
    """A foreign format whose recorded answers can be submissions: a plug-in of ``gradebox.formats``."""

    def recorded_answer(self, file_name: str, data: bytes) -> str | None:
        """Return the answer in a JSON file of this name, None if the file is not of this format.

        Raises SubmissionRefused if the file is of this format but cannot be read.
        """


def read_submission(path: str | Path, *, name: str | None = None) -> Submission:
    """Read a submission: a directory, a file, or ``-`` for a file on stdin.

    The content of a file decides its kind (`kind`): a unified diff, an archive (zip, tar), an answer in markdown, a
    transcript, or a source file. A recorded answer of a foreign format is an answer. A file of any other kind becomes
    a submission that is `unreadable`. Raises SubmissionRefused if the path does not exist or cannot be opened.
    """
    if str(path) == STDIN:
        return _readable(name or "stdin", lambda: _of_file(name or "stdin", "", sys.stdin.buffer.read(MAX_BYTES + 1)))
    place = Path(path)
    try:
        if place.is_dir():
            return read_directory(name or place.resolve().name, place)
        return _readable(name or _stem(place), partial(_of_place, name or _stem(place), place))
    except OSError as error:
        raise SubmissionRefused(
            f"The submission {place} cannot be read: {error.strerror or error}.", remedy=did_you_mean(place) or ""
        ) from error
    except ValueError as error:
        raise SubmissionRefused(f"The submission {place} cannot be read: {error}.") from error


def _of_place(name: str, place: Path) -> Submission:
    with opened(place) as stream:
        data = stream.read(MAX_BYTES + 1)
    recorded = _recorded_answer(place, data)
    return _of_file(name, place.name, data) if recorded is None else read_answer(name, recorded)


def _readable(name: str, read: Callable[[], Submission]) -> Submission:
    try:
        return read()
    except SubmissionRefused as refused:
        # The submitter chose this content: it must not end the run of the others, and earns no more than a zero.
        return Submission(name, unreadable=f"{refused.message} {refused.remedy or _FORMS}")


def read_work(path: Path, name: str) -> Submission:
    """Read a submission; a file whose name ends in ``.txt`` is an answer, whatever it holds.

    Raises SubmissionRefused if the path does not exist or cannot be opened.
    """
    if path.suffix == ".txt" and not path.is_dir():
        return read_answer_file(path, name)
    return read_submission(path, name=name)


def read_answer_file(path: Path, name: str) -> Submission:
    """Read a file as an answer, whatever it holds. Raises SubmissionRefused if it cannot be read."""
    return read_answer(name, text_of_file(limited(path)))


def read_transcript(path: Path) -> Transcript:
    """Read a transcript. Raises SubmissionRefused if the file cannot be read, or is not a transcript."""
    from gradebox.graders.submissions.transcript_fields import TranscriptError  # noqa: PLC0415 - few submissions are transcripts
    from gradebox.graders.submissions.transcript_json import parse_transcript  # noqa: PLC0415 - few submissions are transcripts

    try:
        return parse_transcript(limited(path))
    except TranscriptError as error:
        raise SubmissionRefused(f"{path} cannot be read as a transcript. {error}") from error


def read_reference(case: Case) -> Submission | None:
    """Read the reference of a case: a submission beside the case, or text inside it. Return None if there is none.

    Raises SubmissionRefused if it cannot be read.
    """
    if case.reference is not None:
        reference = read_submission(case.reference, name=REFERENCE)
        if reference.unreadable:
            raise SubmissionRefused(f"The reference {case.reference} is refused. {reference.unreadable}")
        return extract_code(case, reference)
    if case.reference_text is None:
        return None
    # If checks read the whole answer, the reference text is code, not markdown.
    file = ANSWER_FILES[".jl" if case.whole_answer else ".md"]
    return extract_code(case, read_answer(REFERENCE, case.reference_text, file=file))


@dataclass(frozen=True, slots=True)
class Readers:
    """The submissions of a command line, each read on demand by its index. Ten thousand take little memory."""

    paths: Sequence[str]
    renamed: Mapping[int, str]  # By index: names that differ from the last component of the path.
    read: Callable[[int], Submission]

    def __len__(self) -> int:
        return len(self.paths)

    def __iter__(self) -> Iterator[tuple[str, Callable[[], Submission]]]:
        return (
            (self.renamed.get(place, _last(path)), partial(self.read, place)) for place, path in enumerate(self.paths)
        )


def submission_readers(
    paths: Sequence[str], describe_bug: Callable[[Exception], str], of_class: Sequence[HandIn] = ()
) -> Readers:
    """Return the submissions of a command line; `of_class` names them if they come from a folder.

    `describe_bug` describes an internal error, which becomes the `fault` of that one submission. Raises UsageRefused if
    a path is empty or named twice, and SubmissionRefused if a path does not exist.
    """
    if "" in paths:
        # Probably an unset shell variable. As a path, the empty string would be the working directory.
        raise UsageRefused("--submission is empty.", remedy="Name a directory or a diff.")
    for path, count in Counter(paths).items():
        if count > 1:
            raise UsageRefused(f"The submission {path} is named twice.", remedy="Name it once.")
    names = [_name(path) for path in paths]
    held = Counter(names)
    # Submissions with equal names get their paths as names.
    chosen = [path if held[name] > 1 and path != STDIN else name for name, path in zip(names, paths, strict=True)]
    if of_class:
        chosen = [hand_in.name for hand_in in of_class]
    taken: dict[str, None] = {}
    for name in chosen:
        taken[unused(name, taken)] = None
    renamed = {place: name for place, name in enumerate(taken) if name != _last(paths[place])}
    _refuse_missing(paths)
    piped = read_submission(STDIN) if STDIN in paths else None

    def read(place: int) -> Submission:
        path = paths[place]
        if piped is not None and path == STDIN:
            return piped
        hand_in = of_class[place] if of_class else None
        return _read_one(path, renamed.get(place, _last(path)), hand_in, describe_bug)

    return Readers(paths, renamed, RecentSubmissions(read))


def _read_one(path: str, name: str, hand_in: HandIn | None, describe_bug: Callable[[Exception], str]) -> Submission:
    origin = hand_in.origin if hand_in else {}
    if hand_in and hand_in.unreadable:
        return Submission(name, unreadable=hand_in.unreadable, origin=origin)
    try:
        return replace(read_submission(path, name=name), origin=origin)
    except SubmissionRefused as error:
        # The path existed when the run began. One submission of ten thousand must not end the run of the others.
        return Submission(name, fault=str(error), origin=origin)
    except Exception as bug:  # noqa: BLE001 - an internal error about one submission must not end the run either
        return Submission(name, fault=describe_bug(bug), origin=origin)


def _refuse_missing(paths: Iterable[str]) -> None:
    """Refuse paths that do not exist before anything is graded: they are mistakes in the command."""
    missing = [path for path in paths if path != STDIN and not os.path.lexists(path)]
    if len(missing) == 1:
        raise SubmissionRefused(
            f"The submission {missing[0]} cannot be read: No such file or directory.",
            remedy=did_you_mean(Path(missing[0])) or "",
        )
    if missing:
        more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
        listed = ", ".join(missing[:_MOST_NAMED])
        raise SubmissionRefused(f"{len(missing)} submissions do not exist: {listed}{more}.")


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _name(path: str) -> str:
    """Return the name of a submission as `read_submission` gives it."""
    if path == STDIN:
        return "stdin"
    # Paths stay text: pathlib interns each of ten thousand names, and the intern table never shrinks.
    return os.path.basename(os.path.realpath(path)) if os.path.isdir(path) else _stem(Path(path))  # noqa: PTH112, PTH119


def _stem(place: Path) -> str:
    """Return the name of a file without its suffix, or without both suffixes, such as `.tar.gz`."""
    return place.stem.removesuffix(".tar") if place.suffix in _COMPRESSED else place.stem


def _of_file(name: str, file_name: str, data: bytes) -> Submission:
    # Most submissions are directories.
    from gradebox.graders.submissions.archive import read_archive  # noqa: PLC0415
    from gradebox.graders.submissions.kind import FileKind, recognise  # noqa: PLC0415
    from gradebox.graders.submissions.source_file import read_source_file  # noqa: PLC0415

    match recognise(file_name, data):
        case FileKind.DIFF:
            return _diff(name, data)
        case FileKind.EMPTY:
            return Submission(name, Form.DIFF)
        case None:
            raise SubmissionRefused(_NO_SUBMISSION, remedy=_FORMS)
        case FileKind.ANSWER:
            return read_answer(name, text_of_file(data))
        case _ if len(data) > MAX_BYTES:
            raise SubmissionRefused(f"It is larger than {MAX_BYTES} bytes.")
        case FileKind.ARCHIVE:
            return read_archive(name, data)
        case FileKind.TRANSCRIPT:
            return _of_json(name, file_name, data)
        case FileKind.SOURCE_FILE:
            return read_source_file(name, file_name, data)


def _of_json(name: str, file_name: str, data: bytes) -> Submission:
    from gradebox.graders.submissions.source_file import read_source_file  # noqa: PLC0415 - most are directories
    from gradebox.graders.submissions.transcript_fields import TranscriptError  # noqa: PLC0415 - few submissions are transcripts
    from gradebox.graders.submissions.transcript_json import parse_transcript  # noqa: PLC0415 - few submissions are transcripts

    try:
        return Submission(name, transcript=parse_transcript(data))
    except TranscriptError as error:
        if file_name.endswith(".json"):
            # The workspace may have a file of that name.
            return read_source_file(name, file_name, data)
        raise SubmissionRefused(f"It is JSON and no transcript. {error}") from error


def _diff(name: str, data: bytes) -> Submission:
    from gradebox.graders.submissions import diff  # noqa: PLC0415 - most submissions are directories

    if len(data) > MAX_BYTES:
        return Submission(name, Form.DIFF, problem=f"The diff is larger than {MAX_BYTES} bytes.")
    try:
        return Submission(name, Form.DIFF, patches=diff.parse(data))
    except diff.DiffError as error:
        return Submission(name, Form.DIFF, problem=f"The diff cannot be read: {error}")


def _recorded_answer(place: Path, data: bytes) -> str | None:
    if place.suffix != ".json":
        return None
    formats = (plugin.load() for plugin in plugins("gradebox.graders.formats", "gradebox.formats").values())
    answers = (found.recorded_answer(place.name, data) for found in formats if isinstance(found, AnswerFormat))
    return next((answer for answer in answers if answer is not None), None)
