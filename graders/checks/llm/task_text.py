"""Messages of a case as one text, for a target or a judge. Only reads files that the messages name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gradebox.graders.model.case import Case, Message
from gradebox.graders.model.tree import read

MAX_FILE_BYTES = 1024 * 1024


def task_text(case: Case) -> str:
    """Return the task of a case as text, as `messages_text` does.

    `criteria`, the reference answer and the checks are left out, since the candidate must not know them.
    """
    return messages_text(case.input)


def messages_text(messages: Sequence[Message]) -> str:
    """Return messages as text: a single message unchanged, several under the names of their roles.

    Raises OSError if a file that they name cannot be read.
    """
    if len(messages) == 1 and not messages[0].tool_calls:
        return _content(messages[0])
    return "\n\n".join(map(_message, messages))


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
        case "file" if "text" in block:
            return f"[file {value}]\n{block['text']}"
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
