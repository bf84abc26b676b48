"""A case's input as the one text that a target is given. Files that it names are read; nothing else is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graders.model.case import Case, Message
from graders.model.tree import read

MAX_FILE_BYTES = 1024 * 1024


def prompt(case: Case) -> str:
    """Return the task as text: a single message as it is, several under the names of their roles.

    What success is (`criteria`), the reference answer and the checks are not the candidate's to know. Raises an
    `OSError` if a file that the input names cannot be read.
    """
    if len(case.input) == 1 and not case.input[0].tool_calls:
        return _content(case.input[0])
    return "\n\n".join(_message(message) for message in case.input)


def _message(message: Message) -> str:
    calls = [json.dumps(dict(call), ensure_ascii=False, default=str) for call in message.tool_calls]
    name = f" {message.name}" if message.name else ""
    return "\n\n".join(part for part in (f"[{message.role}{name}]", _content(message), *calls) if part)


def _content(message: Message) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n\n".join(_block(block) for block in message.content)


def _block(block: Mapping[str, Any]) -> str:
    value = block.get("value")
    match block.get("type"):
        case "file":
            data = read(Path(str(block.get("path", value))), MAX_FILE_BYTES + 1)
            if len(data) > MAX_FILE_BYTES:
                raise OSError(f"{block.get('path')} is larger than {MAX_FILE_BYTES} bytes")
            return f"[file {value}]\n{data.decode('utf-8', 'replace')}"
        case "image":
            return f"[image {value}]"
        case "json":
            return json.dumps(value, ensure_ascii=False, indent=2, default=str)
        case _:
            return str(value)
