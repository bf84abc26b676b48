"""What a ``targets.yaml`` holds, as pydantic models: the edge, where text from a file becomes typed data."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from graders.documents.commands import CommandLine
from graders.documents.diagnostics import shown
from graders.documents.entries import Entry
from graders.documents.fields import (
    Bytes,
    Env,
    Image,
    Name,
    Pids,
    Processors,
    Seconds,
    Text,
    WorkspaceFile,
    listed,
    refused,
)

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def _variable(text: str) -> str:
    if not _VARIABLE.match(text):
        raise refused(f"must not name a variable `{shown(text)}`", "Use letters, digits and `_`.")
    return text


Variable = Annotated[Name, AfterValidator(_variable)]


class RoomEntry(Entry):
    """What a target's sandbox may use; the case's own limits where it does not say."""

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
    image: Image | None = Field(default=None, description="Of its sandbox; the case's where it is not given.")
    network: Literal["none", "bridge"] = Field(default="none", description="What can be reached; loopback always can.")
    env: Env = Field(default_factory=dict)
    env_allow: Annotated[list[Variable], BeforeValidator(listed)] = Field(
        default_factory=list, description="Names of variables taken from the environment of `grade`; no other is."
    )
    timeout_seconds: Seconds | None = None
    output_file: WorkspaceFile | None = Field(default=None, description="Holds the answer; else stdout is it.")
    transcript_file: WorkspaceFile | None = Field(default=None, description="Holds a transcript.")
    limits: RoomEntry | None = None


class ReplayEntry(Entry):
    """Work that was recorded before."""

    name: Name
    provider: Literal["replay"]
    path: Name = Field(description="Of the recorded work; `{case_id}` and `{target}` are filled in.")


class MockEntry(Entry):
    """The same answer to every case."""

    name: Name
    provider: Literal["mock"]
    output: Text


class TargetsEntry(Entry):
    """A file of targets that is no mere list."""

    targets: list[Any]
