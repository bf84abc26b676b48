"""The base of every judge: a name, a role, and a way to reply to messages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Protocol

from pydantic.json_schema import SkipJsonSchema

from gradebox.graders.documents.diagnostics import DocumentPath
from gradebox.graders.documents.entries import Entry, WrittenAs, optional
from gradebox.graders.documents.fields import Name
from gradebox.graders.documents.reader import Reader
from gradebox.graders.model.case import Place
from gradebox.graders.model.judgment import Question
from gradebox.sandbox.archive import ArchiveEntry
from gradebox.sandbox.limits import Network
from gradebox.sandbox.types import Outcome

Messages = Sequence[Mapping[str, str]]


# Fields that do not affect a judge's replies.
_IN_COMMON = frozenset(
    {"place", "name", "role", "timeout_seconds", "retries", "api_key_env", "file", "replies"}
    | {"input_usd_per_million", "output_usd_per_million"}
)


class JudgeFailed(Exception):
    """A judge gave no reply; the message is a clause that says why.

    This is never the candidate's fault, and never a score.
    """


class RawReply(NamedTuple):
    """A reply, usable or not; token counts are None if the server does not state them."""

    text: str
    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class Host(Protocol):
    """What this machine offers to a judge."""

    @property
    def environ(self) -> Mapping[str, str]: ...
    @property
    def stopped(self) -> bool:
        """Whether the run has stopped, so that replies are no longer needed."""

    def run(
        self,
        image: str,
        network: Network,
        files: Iterable[ArchiveEntry],
        argv: Sequence[str],
        env: Mapping[str, str],
        stdin: bytes,
        seconds: float,
    ) -> Outcome:
        """Run a program in its own sandbox. Raises GraderError or SandboxError if it could not run."""


class Judge(Entry):
    """One judge: its settings in a document, and how to ask it."""

    internal = frozenset({"place"})
    attempts: ClassVar[int] = 3  # How often it is asked until a reply is usable.

    place: SkipJsonSchema[Annotated[Place, WrittenAs(Any)]] = Place(Path())
    name: Name = optional("Shown in verdicts. Default: its provider.", default="")
    role: Literal["judge", "audit"] = optional(
        "`audit`: searches the submission for cheating and only flags it.", default="judge"
    )

    def completed(self, reader: Reader, path: DocumentPath) -> Judge | None:  # noqa: ARG002 - for those that read files
        """Return the judge with the content of its files; None if there is a mistake, which is then reported."""
        return self

    def unready(self, environ: Mapping[str, str]) -> str:  # noqa: ARG002 - most need nothing
        """Return why the judge cannot be asked, a sentence; empty if it can."""
        return ""

    def identity(self) -> str:
        """Return a text that is equal for judges that reply alike."""
        return repr([(name, getattr(self, name)) for name in type(self).model_fields if name not in _IN_COMMON])

    def priced(self) -> bool:
        """Return whether the cost of a request is known."""
        return True

    @abstractmethod
    def reply(self, question: Question, messages: Messages, host: Host) -> RawReply:
        """Return the judge's reply. Raises JudgeFailed if there is none."""
