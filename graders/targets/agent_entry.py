"""How a target of the provider `cli` is written in ``targets.yaml``. What it does: `agent`."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from graders.documents.commands import CommandLine, command_spec
from graders.documents.diagnostics import DocumentPath, shown
from graders.documents.entries import Entry
from graders.documents.fields import Bytes, Env, Image, Listed, Name, Pids, Processors, Seconds, WorkspaceFile, refused
from graders.documents.reader import Reader
from graders.targets.agent import DEFAULT_SECONDS, CliTarget
from sandbox.types import Network

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def _variable(text: str) -> str:
    if not _VARIABLE.match(text):
        raise refused(f"must not name a variable `{shown(text)}`", "Use letters, digits and `_`.")
    return text


Variable = Annotated[Name, AfterValidator(_variable)]


class AgentLimitsEntry(Entry):
    """What a target's sandbox may use. Default: the limits of the case."""

    memory: Annotated[Bytes, Field(ge=6 * 1024 * 1024)] | None = Field(
        default=None, description="Of the whole container."
    )
    cpus: Processors | None = Field(default=None, description="Processors.")
    pids: Pids | None = Field(default=None, description="Processes and threads.")
    disk: Bytes | None = Field(default=None, description="Size of the workspace.")


class CliEntry(Entry):
    """A command that is given the prompt."""

    name: Name
    provider: Literal["cli"]
    command: CommandLine = Field(description="The prompt is on its stdin, and in the file `{prompt_file}`.")
    image: Image | None = Field(default=None, description="Image of its sandbox. Default: the image of the case.")
    network: Literal["none", "bridge"] = Field(default="none", description="What can be reached; loopback always can.")
    env: Env = Field(default_factory=dict)
    env_allow: Listed[Variable] = Field(
        default=(), description="Names of variables taken from the environment of `grade`; no other is."
    )
    timeout_seconds: Seconds | None = None
    output_file: WorkspaceFile | None = Field(default=None, description="Holds the answer. Default: stdout.")
    transcript_file: WorkspaceFile | None = Field(default=None, description="Holds a transcript.")
    limits: AgentLimitsEntry | None = None

    def target(self, reader: Reader, path: DocumentPath) -> CliTarget:
        """Return the target that is written here; mistakes are among the reader's findings."""
        for index, name in enumerate(self.env_allow):
            if name in self.env:
                message = f"`{name}` is set by `env` and taken from the host, too"
                reader.error((*path, "env_allow", index), message, "Keep one of the two.")
        if self.output_file is not None and self.output_file == self.transcript_file:
            reader.error((*path, "transcript_file"), "`transcript_file` is the `output_file`", "Name two files.")
        limits = self.limits or AgentLimitsEntry()
        return CliTarget(
            name=self.name,
            place=reader.document.place(path),
            command=command_spec(self.command),
            image=self.image,
            network=Network(self.network),
            env=dict(self.env),
            env_allow=tuple(dict.fromkeys(self.env_allow)),
            timeout_seconds=self.timeout_seconds or DEFAULT_SECONDS,
            output_file=self.output_file,
            transcript_file=self.transcript_file,
            memory_bytes=limits.memory,
            cpus=limits.cpus,
            pids=limits.pids,
            disk_bytes=limits.disk,
        )
