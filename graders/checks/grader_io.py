"""What a code-grader can read on stdin: one JSON object that describes the case. Pure.

User data keeps its keys as the author wrote them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graders.model.case import Case, Message
from sandbox.types import WORKSPACE

if TYPE_CHECKING:
    from graders.checks.base import CheckSpec


def grader_input(
    case: Case, spec: CheckSpec, handed_over: Mapping[str, Any], config: Mapping[str, Any] | None = None
) -> bytes:
    """Return the object as bytes of UTF-8, ended by a newline.

    Args:
        case: What is graded.
        spec: The check that is asked for a score.
        handed_over: What is known of the submission: answer, transcript, changes of files.
        config: What the author wrote for its command.
    """
    expected = case.expected_output
    described: dict[str, Any] = {
        "id": case.id,
        "criteria": case.criteria,
        "input": [_message(message) for message in case.input],
        "expected_output": [_message(m) for m in expected] if isinstance(expected, tuple) else expected,
        "metadata": dict(case.metadata),
        **handed_over,
        "workspace_path": WORKSPACE,
        "config": {"name": spec.name, "weight": spec.weight, **(config or {})},
    }
    return json.dumps(described, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"


def _message(message: Message) -> dict[str, Any]:
    found: dict[str, Any] = {
        "role": message.role,
        "content": message.content if isinstance(message.content, str) else [dict(block) for block in message.content],
    }
    if message.name is not None:
        found["name"] = message.name
    if message.tool_call_id is not None:
        found["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        found["tool_calls"] = [dict(call) for call in message.tool_calls]
    return found
