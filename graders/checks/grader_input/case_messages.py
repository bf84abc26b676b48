"""The messages of a case in the form that code graders read, and the files that the messages name.

A file block has the file's text and its path in the sandbox. A file of the workspace keeps its path. Any other file is
delivered below INPUTS, where no file of a submission can replace it. Paths of the host never appear.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from gradebox.graders.checks.grader_input.preprocessing import made_texts, mark, preprocessor
from gradebox.graders.documents import strict_json
from gradebox.graders.model.case import Case, Message
from gradebox.graders.model.evidence import StepOutcome
from gradebox.graders.model.tree import read, take
from gradebox.sandbox.archive import ArchiveEntry
from gradebox.sandbox.types import WORKSPACE

INPUTS = ".inputs"
MAX_TEXT_BYTES = 256 * 1024


def input_messages(case: Case) -> list[dict[str, Any]]:
    return [_message(message, case) for message in case.input]


def expected_messages(case: Case) -> list[dict[str, Any]]:
    """Return the reference answer as messages, in whichever form it was written."""
    expected = case.expected_output
    if expected is None:
        return []
    if isinstance(expected, tuple):
        return [_message(message, case) for message in expected]
    return [{"role": "assistant", "content": expected}]


def text_of(messages: Iterable[Mapping[str, Any]], role: str) -> str:
    """Return the text of the last message with a role and a text; data is returned as JSON."""
    texts = (_text(message["content"]) for message in reversed(list(messages)) if message["role"] == role)
    return next(filter(None, texts), "")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (block.get("text") or block.get("value") for block in content if block.get("type") in ("text", "file"))
        return "\n".join(part for part in parts if isinstance(part, str))
    return json.dumps(content, ensure_ascii=False, default=str)


def with_made_texts(case: Case, done: Iterable[StepOutcome]) -> Case:
    """Return a case in which the `text` of file blocks is the text that preprocessors made from the files."""
    texts = made_texts(done)
    if not texts:
        return case

    def with_text(message: Message) -> Message:
        if isinstance(message.content, str):
            return message
        made = (texts.get(mark(_path(one, case))) if one.get("type") == "file" else None for one in message.content)
        blocks = ({**one, "text": text} if text else one for one, text in zip(message.content, made, strict=True))
        return replace(message, content=tuple(blocks))

    expected = case.expected_output
    answer = tuple(map(with_text, expected)) if isinstance(expected, tuple) else expected
    return replace(case, input=tuple(map(with_text, case.input)), expected_output=answer)


def input_files(case: Case) -> list[str]:
    """Return the paths in the sandbox of the files that the task names."""
    return list(dict.fromkeys(f"{WORKSPACE}/{_path(block, case)}" for block in _file_blocks(case.input)))


def named_files(case: Case) -> list[tuple[str, str]]:
    """Return the files that messages of the case name: each name as written, with the path in the workspace."""
    expected = case.expected_output if isinstance(case.expected_output, tuple) else ()
    blocks = _file_blocks((*case.input, *expected))
    return list(dict.fromkeys((str(block["value"]), _path(block, case)) for block in blocks))


def input_entries(case: Case) -> tuple[ArchiveEntry, ...]:
    """Return the files that are delivered because messages of the case name them; read-only, owned by root."""
    expected = case.expected_output if isinstance(case.expected_output, tuple) else ()
    found: dict[str, ArchiveEntry] = {}
    for block in _file_blocks((*case.input, *expected)):
        path, file = _path(block, case), Path(block["path"])
        if path.startswith(f"{INPUTS}/") and file.is_file():
            found |= take(file, path).entries
    return tuple(found.values())


def _file_blocks(messages: Iterable[Message]) -> Iterator[Mapping[str, Any]]:
    for message in messages:
        if not isinstance(message.content, str):
            yield from (block for block in message.content if block.get("type") == "file")


def _path(block: Mapping[str, Any], case: Case) -> str:
    """Return a file's path in the sandbox, relative to the workspace."""
    file = Path(block["path"])
    if case.workspace is not None and file.is_relative_to(case.workspace):
        return file.relative_to(case.workspace).as_posix()
    written = PurePosixPath(block["value"])
    return "/".join((INPUTS, *(part for part in written.parts if part not in ("..", "/"))))


def _message(message: Message, case: Case) -> dict[str, Any]:
    others = {
        "name": message.name,
        "tool_call_id": message.tool_call_id,
        "tool_calls": [_call(call) for call in message.tool_calls] or None,
    }
    stated = {name: value for name, value in others.items() if value is not None}
    return {"role": message.role, "content": _content(message.content, case), **stated}


def _content(content: str | tuple[Mapping[str, Any], ...], case: Case) -> Any:
    match content:
        case str():
            return content
        case ({"type": "json", "value": dict() as data},):
            # The content of this message is data, not blocks.
            return data
        case _:
            return [_block(block, case) for block in content]


def _block(block: Mapping[str, Any], case: Case) -> dict[str, Any]:
    described = dict(block)
    if block.get("type") == "file":
        path = _path(block, case)
        described["path"] = f"{WORKSPACE}/{path}"
        if "text" not in block:
            described["text"] = mark(path) if preprocessor(case, block["value"]) else _file_text(Path(block["path"]))
    elif block.get("type") == "text":
        described["text"] = block.get("value")
    return described


def _file_text(file: Path) -> str | None:
    """Return a file's text, cut off after MAX_TEXT_BYTES; None if it is not text or cannot be read."""
    try:
        data = read(file, MAX_TEXT_BYTES)
    except OSError:
        return None
    return None if b"\0" in data else data.decode("utf-8", "replace")


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call as a mapping with `tool` and `input`, in whichever form it was written."""
    function = call.get("function")
    if not isinstance(function, dict):
        return dict(call)
    arguments = strict_json.loads(function.get("arguments") or "{}")
    return {"tool": function.get("name"), "input": arguments, **call}
