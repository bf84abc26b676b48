"""What a line of a file of answers holds, as a pydantic model. Nothing is interpolated: it is not the author's file."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from graders.documents.entries import Entry
from graders.documents.fields import Id, refused


def _not_blank(text: str) -> str:
    if not text.strip():
        raise refused("must not be empty")
    return text


def _below(text: str) -> str:
    parts = PurePosixPath(text).parts
    if not parts or text.startswith("/") or ".." in parts or "\\" in text or "\0" in text:
        raise refused("must lie below the file of answers", "Write a path relative to its directory, without `..`.")
    return text


Words = Annotated[str, AfterValidator(_not_blank)]
Below = Annotated[str, AfterValidator(_below)]


class AnswerEntry(Entry):
    """One line."""

    case: Id | None = Field(default=None, description="The id of the case; `id` too.")
    id: Id | None = None
    answer: str | None = Field(default=None, description="The answer's text; without `path`, its code is the work.")
    output: str | None = Field(default=None, description="Another name of `answer`.")
    path: Below | None = Field(
        default=None, description="A directory, a diff or an answer, below this file's directory."
    )
    transcript: Below | None = Field(default=None, description="A file that says how the answer came about.")
    messages: list[Any] | None = Field(default=None, description="The same, here.")
    token_usage: dict[str, Any] | None = None
    cost_usd: float | None = None
    duration_ms: float | None = None
    name: Words | None = Field(default=None, description="Of the submission; else that of the file.")
    target: Words | None = Field(default=None, description="Which of the case's targets made it; else all of them.")

    @property
    def text(self) -> str | None:
        """The answer's text, by whichever name."""
        return self.output if self.answer is None else self.answer
