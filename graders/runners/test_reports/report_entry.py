"""A case's entry for a test report: its path, and the listed tests, in the case or in a file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from posixpath import normpath
from typing import Annotated, Any, Literal, Self, cast

from pydantic import AfterValidator, Field, Tag, TypeAdapter

from gradebox.graders.documents.diagnostics import DocumentPath, shown
from gradebox.graders.documents.entries import Entry, WrittenAs, by_shape
from gradebox.graders.documents.fields import Flag, Name, Several, Texts, Weight, WorkspaceFile
from gradebox.graders.documents.paths import named_file
from gradebox.graders.documents.reader import Reader, open_document, read_text
from gradebox.graders.documents.validators import refused

_SPLIT = "Divide it among several checks."
# A report can have this many tests, too.
_MOST_LISTED = 50_000


class ListFile(Entry):
    """A list of tests in a file beside the case."""

    file: Name = Field(description="The path. A file `*.json` has a JSON list; any other file has one test a line.")


Tests = Annotated[
    tuple[str, ...],
    WrittenAs(
        Annotated[
            Annotated[Texts, Tag("|text")] | Annotated[Texts, Tag("|list")] | Annotated[ListFile, Tag("|mapping")],
            by_shape("must be a list of tests, or `{file: PATH}`", "text", "list", "mapping"),
        ]
    ),
]


class ReportGroup(Entry):
    """Tests that are scored together."""

    name: Name = Field(description="Unique in the report.")
    weight: Weight = Field(default=1.0, description="Its weight in the score.")
    required: Flag = Field(default=False, description="Whether the verdict is `failed` unless all of its tests pass.")
    tests: Tests = Field(description="The tests of the group, each once; `{file: PATH}` reads them from a file.")


def _writable(path: str) -> str:
    if path.partition("/")[0] == "grading":
        raise refused("must not lie in `grading`, where no command can write", "Write it to the workspace itself.")
    return path


class ReportEntry(Entry):
    """A report with the result of each test; the command writes it."""

    format: Literal["junit", "ctrf", "tap"] = Field(description="The format of the report.")
    path: Annotated[WorkspaceFile, AfterValidator(normpath), AfterValidator(_writable)] = Field(
        description="Path of the report, relative to the workspace. A file there is removed before the command runs."
    )
    # Empty if all tests count.
    must_pass: Tests = Field(
        default=(), description="The only tests that count, all required. `{file: PATH}` reads the list from a file."
    )
    must_exist: Tests = Field(default=(), description="Tests that count as failed if they did not run.")
    groups: Several[ReportGroup] = Field(
        default=(),
        description="Groups of tests, in place of `must_pass`. The score is the weighted mean of the groups' shares.",
    )

    @property
    def listed(self) -> tuple[ReportGroup, ...]:
        """The groups that count; `must_pass` becomes a required group."""
        if self.must_pass and not self.groups:
            return (ReportGroup.model_construct(name="", weight=1.0, required=True, tests=self.must_pass),)
        return self.groups

    @property
    def required(self) -> tuple[str, ...]:
        """The tests that must pass, or the verdict is `failed`."""
        return tuple(dict.fromkeys(chain.from_iterable(group.tests for group in self.listed if group.required)))

    def completed(self, reader: Reader, path: DocumentPath, *, negated: bool) -> Self:
        """Return the report with the lists read from the files that it names; report mistakes in the lists."""
        lists = {field: _read(getattr(self, field), reader, (*path, field)) for field in ("must_pass", "must_exist")}
        groups = tuple(
            group.but(tests=_read(group.tests, reader, (*path, "groups", number, "tests")))
            for number, group in enumerate(self.groups)
        )
        found = self.but(groups=groups, **lists)
        if groups and (self.must_pass or self.must_exist):
            message = "`groups` takes the place of `must_pass` and `must_exist`"
            reader.error((*path, "groups"), message, "Make a group of each list, one with `required: true`.")
        if groups and not any(group.weight for group in groups):
            reader.error((*path, "groups"), "no group has a weight", "Give one of them a weight above 0.")
        for number, group in enumerate(groups):
            if group.name in (other.name for other in groups[:number]):
                message = f"two groups are named `{shown(group.name)}`"
                reader.error((*path, "groups", number, "name"), message, "Rename one of them.")
            if not self.groups[number].tests:
                reader.error((*path, "groups", number, "tests"), "the group lists no test", "List its tests.")
        if negated and found.required:
            message = "tests that must pass cannot be negated, since they are required"
            reader.error((*path[:-1], "negate"), message, "Remove it, or list the tests in `must_exist`.")
        if not (self.must_pass or self.must_exist or groups):
            message = "no test is listed: tests of the submission count, and one file that does not load scores 0"
            reader.warning(path, message, "List the decisive tests in `must_pass`, `must_exist` or `groups`.")
        return found


def _read(written: Any, reader: Reader, path: DocumentPath) -> tuple[str, ...]:
    """Return a list of tests, read from a file if one is named; report tests that are listed twice."""
    if isinstance(written, ListFile):
        tests = _of_file(written.file, reader, (*path, "file"))
        repeated = next(iter(_repeated(tests)), None)
        if repeated is not None:
            reader.error((*path, "file"), f"`{shown(tests[repeated])}` is listed twice in it", "Remove one of them.")
        return tests
    listed = cast("tuple[str, ...]", written)
    for number in _repeated(listed):
        reader.error((*path, number), f"`{shown(listed[number])}` is listed twice", "Remove one of them.")
    return listed


def _repeated(tests: Sequence[str]) -> list[int]:
    first = {test: number for number, test in reversed(list(enumerate(tests)))}
    return [number for number, test in enumerate(tests) if first[test] != number]


def _of_file(name: str, reader: Reader, path: DocumentPath) -> tuple[str, ...]:
    directory = reader.document.file.parent.absolute()
    file = named_file(name, (directory,))
    if file is None:
        reader.error(path, f"the file `{shown(name)}` does not exist", f"It is looked up from {directory}.")
        return ()
    if file.suffix == ".json":
        document = open_document(file, reader.findings)
        inner = None if document is None else Reader(document, {}, reader.findings)
        tests = inner.read(TypeAdapter(Several[Name]), inner.document.data) if inner else None
    else:
        text = read_text(file, reader.findings)
        tests = None if text is None else tuple(filter(None, map(str.strip, text.split("\n"))))
    if tests is None:
        return ()
    if not tests:
        reader.error(path, f"the file `{shown(name)}` lists no test", "Write one test a line.")
    if len(tests) > _MOST_LISTED:
        reader.error(path, f"the file `{shown(name)}` lists more than {_MOST_LISTED} tests", _SPLIT)
    return tests
