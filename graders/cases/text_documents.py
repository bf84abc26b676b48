"""How checks of text and of files are written in a case file."""

from __future__ import annotations

import warnings
from typing import Annotated, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field

from graders.checks import patterns
from graders.cases.check_documents import CheckEntry
from graders.documents.fields import (
    Count,
    Free,
    Globs,
    Text,
    WorkspacePath,
    WrittenText,
    listed,
    refused,
)


def _not_empty(text: str) -> str:
    if not text:
        raise refused("must not be empty", "Every text holds the empty text.")
    return text


def _flags(text: str) -> str:
    try:
        patterns.compiled("", text)
    except patterns.PatternFault as fault:
        raise refused(f"is wrong: {fault}", "Write letters such as `i` or `im`.") from None
    return text


Part = Annotated[WrittenText, AfterValidator(_not_empty)]
Parts = Annotated[list[Part], Field(min_length=1), BeforeValidator(listed)]
SomeGlobs = Annotated[Globs, Field(min_length=1)]


class TextEntry(CheckEntry):
    """What every check of text may say."""

    file: WorkspacePath | None = Field(default=None, description="The workspace file to look at instead of the answer.")


class ContainsEntry(TextEntry):
    """The text holds `value`, or begins or ends with it."""

    kind: ClassVar[str] = "check"

    value: Part = Field(description="Letters count as they are written, except for `icontains`.")


class EqualsEntry(TextEntry):
    """The text is `value`; white space around either does not count."""

    kind: ClassVar[str] = "check"

    value: WrittenText


class ContainsManyEntry(TextEntry):
    """The text holds one of the values, or all of them."""

    kind: ClassVar[str] = "check"

    value: Parts


class RegexEntry(TextEntry):
    """A regular expression matches somewhere in the text."""

    kind: ClassVar[str] = "check"

    value: Annotated[Text, AfterValidator(_not_empty)] = Field(description="As Python's `re` reads it.")
    flags: Annotated[Text, AfterValidator(_flags)] = Field(default="", description="Letters out of `imsxgu`.")


with warnings.catch_warnings():
    # pydantic's own `schema` is a method that it has given up; the field's name is the format's.
    warnings.filterwarnings("ignore", message='Field name "schema"', category=UserWarning)

    class IsJsonEntry(TextEntry):
        """The text is one JSON value."""

        kind: ClassVar[str] = "is-json"

        schema: Free = Field(default=None, description="A JSON Schema (draft-07) that it must meet.")


class FileExistsEntry(CheckEntry):
    """Every glob matches a file; the score is the share of those that do."""

    kind: ClassVar[str] = "files"

    paths: SomeGlobs


class FileContainsEntry(CheckEntry):
    """For every glob there is a file that holds all values; the score is the share of those globs."""

    kind: ClassVar[str] = "files"

    paths: SomeGlobs
    value: Parts


class FileChangesEntry(CheckEntry):
    """What the submission changed, added or removed; the score is the share of the conditions that hold."""

    kind: ClassVar[str] = "files"

    paths: Globs = Field(default_factory=list, description="Each must match a changed file.")
    only: Globs = Field(default_factory=list, description="Nothing else may have changed.")
    forbidden: Globs = Field(default_factory=list, description="Nothing of these may have changed.")
    min_files: Annotated[Count, Field(ge=0)] | None = Field(default=None, description="So many at least must change.")
    max_files: Annotated[Count, Field(ge=0)] | None = Field(default=None, description="So many at most may change.")
