"""One test of a program as a document writes it, and lists of them: inline, from a directory, from JSON lines."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import Tag, TypeAdapter
from pydantic.json_schema import SkipJsonSchema

from gradebox.graders.checks.base import Reading, Visible
from gradebox.graders.checks.io.data_directory import pairs
from gradebox.graders.documents.diagnostics import DocumentPath, shown
from gradebox.graders.documents.entries import WrittenAs, by_shape, optional
from gradebox.graders.documents.fields import Name, Several, Weight, WorkspaceFile, WrittenText
from gradebox.graders.documents.json import read_json
from gradebox.graders.documents.positions import Document
from gradebox.graders.documents.reader import Reader, parsed, read_lines
from gradebox.graders.model.expectation import Content
from gradebox.sandbox.protocol.frames import STDIN_MAX

MOST_TESTS = 2000
CAPTURE_MAX = STDIN_MAX
"""The most bytes kept of an output: as many as a checker can read on its stdin."""
_NOTHING = Content.of(b"")


class ProgramTest(Visible):
    """One input of a program, and the expected output."""

    internal = frozenset({"input", "answer"})

    name: Name = optional("Shown in reports. Default: its number.", default_factory=str)
    stdin: WrittenText = optional("What the program reads on stdin.", default="")
    stdout: WrittenText | None = optional("What the program must print on stdout.")
    args: Several[WrittenText] = optional("Arguments after those of `run`.", default=())
    files: dict[WorkspaceFile, WrittenText] = optional(
        "Files that the program finds in the workspace: contents by path.", default_factory=dict
    )
    weight: Weight = optional("Its weight in the check, or in its group.", default=1.0)
    group: Name = optional("The group that it belongs to.", default_factory=str)
    input: SkipJsonSchema[Annotated[Content, WrittenAs(Any)]] = _NOTHING
    answer: SkipJsonSchema[Annotated[Content | None, WrittenAs(Any)]] = None


TestsForm = Annotated[
    Annotated[Name, Tag("|text")] | Annotated[Several[ProgramTest], Tag("|list")],
    by_shape("must be a list of tests, or the path of a directory or of a file of JSON lines", "text", "list"),
]
_ADAPTER: TypeAdapter[ProgramTest] = TypeAdapter(ProgramTest)


def program_tests(
    written: str | tuple[ProgramTest, ...], reading: Reading, *, answers: bool
) -> tuple[ProgramTest, ...]:
    """Return tests with names and contents; report mistakes, and return none if there are any.

    `answers` states that each test needs an expected output.
    """
    path: DocumentPath = ("tests",)
    listed = _from_place(written, reading) if isinstance(written, str) else tuple(map(_with_contents, written))
    if listed is None:
        return ()
    if not listed or len(listed) > MOST_TESTS:
        message = "there are no tests here" if not listed else f"there are more than {MOST_TESTS} tests"
        reading.error(path, message, "Write one." if not listed else "Make several checks of them.")
        return ()
    names: set[str] = set()
    found = []
    for index, test in enumerate(listed):
        at = path if isinstance(written, str) else (*path, index)
        name = test.name or f"#{index + 1}"
        if name in names:
            reading.error(at, f"two tests are called `{shown(name)}`", "Give each a name of its own, or none.")
        if answers and test.answer is None:
            reading.error(at, f"the test {shown(name)} does not say what must be printed", "Write its `stdout`.")
        if test.input.size > STDIN_MAX:
            message = f"the input of {shown(name)} has {test.input.size:,} bytes, and stdin takes {STDIN_MAX:,}"
            reading.error(at, message, "Give it as one of its `files`.")
        if test.answer and test.answer.size > CAPTURE_MAX:
            message = f"{shown(name)} expects {test.answer.size:,} bytes, and a test may print {CAPTURE_MAX:,}"
            reading.error(at, message, "Use a checker, or a smaller test.")
        names.add(name)
        found.append(test.but(name=name))
    if not any(test.weight for test in found):
        reading.error(path, "the weights of all tests are 0", "Give one of them a weight.")
    return tuple(found)


def _with_contents(test: ProgramTest) -> ProgramTest:
    answer = None if test.stdout is None else Content.of(test.stdout.encode())
    return test.but(input=Content.of(test.stdin.encode()), answer=answer)


def _from_place(written: str, reading: Reading) -> tuple[ProgramTest, ...] | None:
    """Return the tests of a directory or a file beside the document; None if it cannot be read."""
    place = Path(reading.reader.document.file.parent, written)
    if place.is_dir():
        return _from_directory(place, reading)
    if place.suffix == ".jsonl" and place.is_file():
        return _from_lines(place, reading.reader)
    message = f"there is no directory `{shown(written)}` beside the case, and no such file of JSON lines"
    reading.error(("tests",), message, "Correct the path, or list the tests here.")
    return None


def _from_directory(place: Path, reading: Reading) -> tuple[ProgramTest, ...] | None:
    try:
        found = pairs(place)
        for pair in found:
            if pair.answer is None:
                reading.error(("tests",), f"{pair.name}.in has no .ans and no .out beside it", "Write one.")
        return tuple(
            ProgramTest.model_construct(
                name=pair.name,
                group=pair.group,
                input=_content(pair.input),
                answer=pair.answer and _content(pair.answer),
            )
            for pair in found
        )
    except OSError as error:
        reading.error(("tests",), f"{error.filename} cannot be read: {error.strerror}", "Correct its permissions.")
        return None


def _content(file: Path) -> Content:
    return Content.of(file.read_bytes(), file)


def _from_lines(file: Path, reader: Reader) -> tuple[ProgramTest, ...] | None:
    errors, found = reader.findings.errors, []
    for number, text in read_lines(file, reader.findings):
        line = parsed(file, reader.findings, partial(read_json, text, first_line=number))
        if line is None:
            continue
        document = Document(file, line.root, (f"line {number}",))
        test = Reader(document, reader.environ, reader.findings).read(_ADAPTER, document.data)
        found += [] if test is None else [_with_contents(test)]
    return tuple(found) if reader.findings.errors == errors else None
