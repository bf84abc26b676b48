"""The provider `recorded`: a file with the replies of a person or another tool, by the keys of the questions.

Each line of the file is ``{"key": "...", "reply": {...}}``. With ``judge``, the reply belongs only to the judge of that
name. Other keys, such as those that `grade export-judgments` writes, are for people. A question whose reply is missing
or null is still open.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from gradebox.graders.documents import strict_json
from gradebox.graders.documents.diagnostics import DocumentPath, Findings, shown
from gradebox.graders.documents.entries import WrittenAs, also, optional
from gradebox.graders.documents.fields import Name
from gradebox.graders.documents.reader import Reader, read_lines, read_text
from gradebox.graders.errors import UsageRefused
from gradebox.graders.judges.provider import Host, Judge, JudgeFailed, Messages, RawReply
from gradebox.graders.model.case import Place
from gradebox.graders.model.judgment import Judgment, Question, Reply

# Replies by key and by judge. The empty name stands for any judge.
Replies = Mapping[tuple[str, str], str]


class RecordedJudge(Judge):
    """A judge whose replies are in a file."""

    internal = frozenset({"place", "replies", "digest"})
    attempts: ClassVar[int] = 1

    provider: Literal["recorded"] = optional("A file of replies.", default="recorded")
    file: Name = Field(
        validation_alias=also("path"),
        description='JSON lines: `{"key": ..., "reply": ...}`. The path is relative to this file.',
    )
    replies: SkipJsonSchema[Annotated[Any, WrittenAs(Any)]] = Field(default=None, repr=False)
    digest: SkipJsonSchema[str] = ""

    def completed(self, reader: Reader, path: DocumentPath) -> Judge | None:  # noqa: ARG002 - the place is the file's
        findings = reader.findings
        errors = findings.errors
        replies = read_replies(reader.document.file.parent / self.file, findings)
        if findings.errors > errors:
            return None
        text = json.dumps(sorted((*key, reply) for key, reply in replies.items()))
        return self.but(replies=_Hidden(replies), digest=sha256(text.encode()).hexdigest())

    def reply(self, question: Question, messages: Messages, host: Host) -> RawReply:  # noqa: ARG002 - it is recorded
        key = question.key
        replies: Replies = self.replies.replies if self.replies else {}
        found = replies.get((key, self.name), replies.get((key, "")))
        if found is None:
            raise JudgeFailed(f"{self.file} has no reply to the question {key}; `grade export-judgments` writes it")
        return RawReply(found, input_tokens=0, output_tokens=0, cost_usd=0.0)


JUDGE = RecordedJudge


class _Hidden:
    """Replies whose `repr` is only a digest, so that they appear in no text."""

    def __init__(self, replies: Replies) -> None:
        self.replies = replies

    def __repr__(self) -> str:
        return ""


def read_replies(file: Path, findings: Findings) -> Replies:
    """Return the replies in a file of JSON lines, or in one object by their keys (``.json``).

    Mistakes in the file are added to `findings`.
    """
    found: dict[tuple[str, str], str] = {}
    lines_of: dict[tuple[str, str], int] = {}
    lines = [(1, read_text(file, findings) or "{}")] if file.suffix == ".json" else read_lines(file, findings)
    for number, line in lines:
        try:
            value = strict_json.loads(line)
        except ValueError as error:
            findings.error(Place(file, number, 1), f"this is not JSON: {error}", hint="Write one object a line.")
            continue
        if file.suffix == ".json" and isinstance(value, dict):
            return {(key, ""): _text(reply) for key, reply in value.items() if reply is not None}
        key = value.get("key") if isinstance(value, dict) else None
        judge = value.get("judge") or "" if isinstance(value, dict) else ""
        if not isinstance(key, str) or not isinstance(judge, str):
            hint = 'Write {"key": "...", "reply": {...}}.'
            findings.error(Place(file, number, 1), "this is not a reply: it has no `key`", hint=hint)
            continue
        reply = value.get("reply")
        if reply is None:
            continue
        first = lines_of.setdefault((key, judge), number)
        if first != number:
            message = f"the question `{shown(key)}` has a reply in line {first} already"
            findings.error(Place(file, number, 1), message, hint="Keep one of the two.")
        found[key, judge] = _text(reply)
    return found


def _text(reply: Any) -> str:
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


def read_judgments(file: Path) -> dict[str, Judgment]:
    """Return the replies in a file by the keys of their questions.

    Raises UsageRefused for mistakes in the file, each with its line.
    """
    findings = Findings()
    replies = read_replies(file, findings)
    if findings.errors:
        raise UsageRefused("\n".join(map(str, findings)))
    found: dict[str, Judgment] = {}
    for (key, judge), text in replies.items():
        before = found.get(key, Judgment(()))
        found[key] = Judgment((*before.replies, Reply(judge or file.name, text)))
    return found
