"""The provider `command`: a program in its own throwaway sandbox reads the question and prints the reply.

The program gets one JSON object on its stdin: `key`, `messages` as a model would get them, and `criteria`. The sandbox
contains the files beside the document that the command names. It contains no files of the case or the submission; only
the messages quote them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from gradebox.graders.documents.commands import CommandLine, command_spec
from gradebox.graders.documents.diagnostics import DocumentPath, shown
from gradebox.graders.documents.entries import WrittenAs, optional
from gradebox.graders.documents.fields import Env, Image, Seconds
from gradebox.graders.documents.paths import is_file
from gradebox.graders.documents.reader import Reader, read_bytes
from gradebox.graders.documents.suggest import did_you_mean
from gradebox.graders.errors import GraderError
from gradebox.graders.judges.provider import Host, Judge, JudgeFailed, Messages, RawReply
from gradebox.graders.model.case import CommandSpec
from gradebox.graders.model.judgment import MAX_REPLY_CHARACTERS, Question
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry
from gradebox.sandbox.errors import SandboxError
from gradebox.sandbox.limits import Network
from gradebox.sandbox.types import Ending

_LAST_CHARACTERS = 300
_SCRIPT = re.compile(r"(?![-/]).*\.(?:py|sh|jl|[cm]?[jt]s)|\.\.?/.+")


class CommandJudge(Judge):
    """A judge that is a program: it reads the question and prints the reply."""

    internal = frozenset({"place", "files"})

    provider: Literal["command"] = optional("A program in a sandbox of its own.", default="command")
    command: Annotated[CommandSpec, WrittenAs(CommandLine, command_spec)] = Field(
        description="Reads the question on stdin, as JSON, and prints the reply."
    )
    image: Image = optional("The image of its sandbox.", default="gradebox/python")
    network: Annotated[Network, WrittenAs(Literal["none", "bridge"], Network)] = optional(
        "What the judge can reach besides loopback: nothing, or any network.", default=Network.NONE
    )
    # Never shown, since it may contain keys.
    env: Env = optional("Variables that are added to its environment.", default_factory=dict, repr=False)
    timeout_seconds: Seconds = optional("Time limit of one reply.", default=120.0)
    files: SkipJsonSchema[Annotated[Mapping[str, bytes], WrittenAs(Any)]] = Field(default_factory=dict, repr=False)

    def completed(self, reader: Reader, path: DocumentPath) -> Judge | None:
        beside = reader.document.file.parent
        named = [word for line in self.command.argv for word in (line.split() if self.command.shell else [line])]
        inside = (word for word in sorted({*named}) if not word.startswith("/") and ".." not in Path(word).parts)
        files = {word: read_bytes(beside / word, reader.findings) for word in inside if is_file(beside / word)}
        script = next(filter(_SCRIPT.fullmatch, named), None)
        if script is not None and script not in files:
            hint = did_you_mean(beside / script) or f"It must lie in {beside}."
            reader.error((*path, "command"), f"the command runs `{shown(script)}`, which does not exist", hint)
        return None if None in files.values() else self.but(files=files)

    def reply(self, question: Question, messages: Messages, host: Host) -> RawReply:
        asked = {
            "key": question.key,
            "messages": list(messages),
            "criteria": [asdict(criterion) for criterion in question.criteria],
        }
        stdin = json.dumps(asked).encode() + b"\n"
        try:
            outcome = host.run(
                self.image, self.network, _entries(self.files), self.command.argv, self.env, stdin, self.timeout_seconds
            )
        except (GraderError, SandboxError) as error:
            raise JudgeFailed(f"it could not run: {error}") from None
        if outcome.ending is not Ending.EXITED or outcome.exit_code != 0:
            said = outcome.stderr.text()[-_LAST_CHARACTERS:].strip().rpartition("\n")[2]
            how = f"exit status {outcome.exit_code}" if outcome.ending is Ending.EXITED else outcome.ending.value
            # The environment is left out: its values may be keys.
            for value in filter(None, self.env.values()):
                said = said.replace(value, "[...]")
            raise JudgeFailed(": ".join(filter(None, (f"it ended with {how}", outcome.detail, said))))
        if not outcome.stdout.complete or outcome.stdout.total_bytes > MAX_REPLY_CHARACTERS:
            raise JudgeFailed(f"it printed more than {MAX_REPLY_CHARACTERS} bytes")
        return RawReply(outcome.stdout.text(), input_tokens=0, output_tokens=0, cost_usd=0.0)


JUDGE = CommandJudge


def _entries(files: Mapping[str, bytes]) -> list[ArchiveEntry]:
    """Return the files as entries, each directory before its content."""
    above = {str(parent) for name in files for parent in Path(name).parents} - {"."}
    directories = [ArchiveEntry(path, EntryKind.DIRECTORY, 0o755) for path in sorted(above)]
    return [*directories, *(file_entry(str(Path(name)), data) for name, data in sorted(files.items()))]
