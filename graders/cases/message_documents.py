"""The forms of messages in a case file, and their conversion to `Message`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from gradebox.graders.documents import strict_json
from gradebox.graders.documents.commands import CommandLine
from gradebox.graders.documents.diagnostics import DocumentPath
from gradebox.graders.documents.entries import Entry, by_shape, by_type, optional
from gradebox.graders.documents.fields import Free, Name, Number, Text, WrittenText
from gradebox.graders.documents.scalars import Trap
from gradebox.graders.documents.validators import After, refused
from gradebox.graders.model.case import Message


class TextBlock(Entry):
    """Text in a message."""

    type: Literal["text"] = Field(description="The kind of the block.")
    value: Text = Field(description="The text.")


class FileBlock(Entry):
    """A file whose text belongs to the message; it must exist."""

    type: Literal["file"] = Field(description="The kind of the block.")
    value: Name = Field(description="Its path.")


class ImageBlock(Entry):
    """An image: a path, a URL or base64."""

    type: Literal["image"] = Field(description="The kind of the block.")
    value: Name = Field(description="The image.")


class JsonBlock(Entry):
    """Structured data in a message."""

    type: Literal["json"] = Field(description="The kind of the block.")
    value: Free = Field(description="The data.")


class PreprocessorEntry(Entry):
    """A command that converts files of one type to text."""

    type: Name = Field(description="A suffix such as `xlsx`, or a media type.")
    command: CommandLine = Field(description="Reads JSON with the file's `path` on stdin, and prints the text.")


def _json_text(text: str) -> str:
    try:
        strict_json.loads(text or "{}")
    except ValueError as error:
        raise refused(f"must be JSON text: {error}", """Write it like '{"city": "Bern"}'.""") from None
    return text


class FunctionCall(Entry):
    """The function of a tool call; its arguments are JSON text."""

    name: Name = Field(description="Name of the function.")
    arguments: Annotated[Text, After(_json_text)] = optional("The arguments as JSON text.", default="")


class ToolCallEntry(Entry):
    """A call of a tool, in either of two shapes: with `function`, or with `tool`, `input` and `output`."""

    id: WrittenText | None = optional("Id of the call.")
    type: Literal["function"] | None = optional("For the shape with `function`.")
    function: FunctionCall | None = optional("The function that is called.")
    tool: Name | None = optional("The tool that is called.")
    input: Free = optional("Arguments of the call.")
    output: Free = optional("The result of the call.")
    status: Text | None = optional("The status of the call.")
    duration_ms: Number | None = optional("The duration of the call.", "durationMs", ge=0)
    start_time: Text | None = optional("Time at which the call began.", "startTime", "timestamp")
    end_time: Text | None = optional("Time at which the call ended.", "endTime")


Block = Annotated[
    Annotated[TextBlock, Tag("|text")]
    | Annotated[FileBlock, Tag("|file")]
    | Annotated[ImageBlock, Tag("|image")]
    | Annotated[JsonBlock, Tag("|json")],
    by_type("must be a block of `type` text, file, image or json", "text", "file", "image", "json"),
]


class MessageEntry(Entry):
    """One message."""

    role: Literal["system", "user", "assistant", "tool"] = Field(description="Role of the sender.")
    content: (
        Annotated[
            Annotated[WrittenText, Tag("|text")]
            | Annotated[list[Block], Tag("|list")]
            | Annotated[Free, Tag("|mapping")],
            by_shape("must be text, a list of blocks or a mapping", "text", "list", "mapping"),
        ]
        | None
    ) = optional("Text, or a list of blocks.")
    name: Text | None = optional("Name of the sender.")
    tool_call_id: WrittenText | None = optional("The call that it answers.")
    tool_calls: list[ToolCallEntry] = optional("The tools that it calls.", default_factory=list)


def _output_shape(value: Any) -> str:
    """Return the shape of an expected output. Messages differ from data by their `role`."""
    match value:
        case str() | Trap():
            return "|text"
        case {"role": _}:
            return "|message"
        case [{"role": _}, *_]:
            return "|messages"
        case _:
            return "|data"


def _as_message(value: Any) -> Any:
    """Turn data or a list of blocks into the user message that it stands for; return other values unchanged."""
    match value:
        case {"role": _} | {"content": _} | []:
            return value
        case dict():
            return {"role": "user", "content": value}
        case [{"type": _}, *_] if not any(isinstance(block, dict) and "role" in block for block in value):
            return {"role": "user", "content": value}
        case _:
            return value


Messages = Annotated[list[MessageEntry], Field(min_length=1)]
Input = Annotated[
    Annotated[Text, Tag("|text")] | Annotated[Messages, Tag("|list")] | Annotated[MessageEntry, Tag("|mapping")],
    by_shape("must be text, a message or a list of messages", "text", "list", "mapping"),
    BeforeValidator(_as_message),
]
ExpectedOutput = Annotated[
    Annotated[Text, Tag("|text")]
    | Annotated[Messages, Tag("|messages")]
    | Annotated[MessageEntry, Tag("|message")]
    | Annotated[Free, Tag("|data")],
    Discriminator(_output_shape),
]


FindFile = Callable[[str], Path | None]


def messages(written: Any, find: FindFile) -> tuple[Message, ...]:
    """Convert the value of an `Input` field; a text is one user message.

    `find` returns the path of a file block's file, which the block keeps as `path`.
    """
    match written:
        case None:
            return ()
        case str():
            return (Message(role="user", content=written),)
        case MessageEntry():
            return (_message(written, find),)
        case _:
            return tuple(_message(entry, find) for entry in written)


def with_files(listed: tuple[Message, ...], files: Iterable[str], find: FindFile) -> tuple[Message, ...]:
    """Return messages with blocks for `files` inserted before the content of the first user message."""
    blocks = tuple(_block(FileBlock(type="file", value=file), find) for file in files)
    first = next((index for index, message in enumerate(listed) if message.role == "user"), None)
    if not blocks or first is None:
        return listed
    said = listed[first]
    rest = ({"type": "text", "value": said.content},) if isinstance(said.content, str) else said.content
    return (*listed[:first], replace(said, content=(*blocks, *rest)), *listed[first + 1 :])


def expected_output(written: Any, find: FindFile) -> tuple[Message, ...] | str | Mapping[str, Any] | None:
    """Convert the value of an `ExpectedOutput` field; data stays data."""
    match written:
        case MessageEntry() | [MessageEntry(), *_]:
            return messages(written, find)
        case None | str() | dict():
            return written
        case _:
            return json.dumps(written, ensure_ascii=False)


def named_files(written: Any) -> Iterator[tuple[DocumentPath, str]]:
    """Yield the file names in blocks of an `Input` or `ExpectedOutput`, each after its path in that value."""
    single = isinstance(written, MessageEntry)
    for index, entry in enumerate([written] if single else written if isinstance(written, list) else []):
        content = entry.content if isinstance(entry, MessageEntry) else None
        for number, block in enumerate(content if isinstance(content, list) else []):
            if isinstance(block, FileBlock):
                yield (*(() if single else (index,)), "content", number, "value"), block.value


def _message(entry: MessageEntry, find: FindFile) -> Message:
    return Message(
        role=entry.role,
        content=_content(entry.content, find),
        name=entry.name,
        tool_call_id=entry.tool_call_id,
        tool_calls=tuple(call.model_dump(exclude_unset=True) for call in entry.tool_calls),
    )


def _content(written: Any, find: FindFile) -> str | tuple[Mapping[str, Any], ...]:
    match written:
        case None:
            return ""
        case str():
            return written
        case dict():
            return ({"type": "json", "value": written},)
        case _:
            return tuple(_block(block, find) for block in written)


def _block(block: TextBlock | FileBlock | ImageBlock | JsonBlock, find: FindFile) -> Mapping[str, Any]:
    content: dict[str, Any] = block.model_dump()
    if isinstance(block, FileBlock):
        content["path"] = str(find(block.value) or block.value)
    return content
