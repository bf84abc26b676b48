"""What a code-grader can read on stdin: one JSON object that describes the case and the submission. Pure.

User data keeps its keys as the author wrote them. Of the submission there are the answer, the transcript, and a unified
diff of the workspace. The diff has one hunk a file: what lies between the first and the last line that differ. It is
found in linear time, whatever the files hold; a diff with the fewest lines would take time that a hostile file chooses.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import takewhile
from typing import Any

from graders.model.case import Case, CaseCheck, Message
from graders.model.submission import Submission
from graders.model.transcript import Transcript, TranscriptMessage
from graders.model.tree import Tree, changed_paths, content
from sandbox.archive import ArchiveEntry, EntryKind
from sandbox.types import WORKSPACE

CONTEXT_LINES = 3
MAX_FILE_BYTES = 256 * 1024
MAX_DIFF_BYTES = 1024 * 1024
MAX_MESSAGES_BYTES = 8 * 1024 * 1024


def grader_input(
    case: Case, check: CaseCheck, submission_data: Mapping[str, Any], config: Mapping[str, Any] | None = None
) -> bytes:
    """Return the object as bytes of UTF-8, ended by a newline; `config` is what the author wrote for the command."""
    expected = case.expected_output
    described: dict[str, Any] = {
        "id": case.id,
        "criteria": case.criteria,
        "input": [_case_message(message) for message in case.input],
        "expected_output": [_case_message(m) for m in expected] if isinstance(expected, tuple) else expected,
        "metadata": dict(case.metadata),
        **submission_data,
        "workspace_path": WORKSPACE,
        "config": {"name": check.name, "weight": check.weight, **(config or {})},
    }
    return json.dumps(described, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"


def _case_message(message: Message) -> dict[str, Any]:
    content = message.content if isinstance(message.content, str) else [dict(block) for block in message.content]
    others = {
        "name": message.name,
        "tool_call_id": message.tool_call_id,
        "tool_calls": [dict(call) for call in message.tool_calls] or None,
    }
    stated = {name: value for name, value in others.items() if value is not None}
    return {"role": message.role, "content": content, **stated}


def describe_submission(submission: Submission, before: Tree, after: Tree) -> dict[str, Any]:
    """Return what is known of a submission, for JSON: `before` is the case's workspace, `after` has the submission.

    Raises:
        OSError: If a file cannot be read.
    """
    transcript, output = submission.transcript, submission.output
    if output is None and transcript is not None:
        output = transcript.output
    return {"output": output, **_of_transcript(transcript), "file_changes": file_changes(before, after)}


def _of_transcript(transcript: Transcript | None) -> dict[str, Any]:
    if transcript is None:
        return {"messages": [], "trace": None, "token_usage": None, "cost_usd": None, "duration_ms": None}
    counts = Counter(call.name for call in transcript.tool_calls)
    messages = [_message(message) for message in transcript.messages]
    if len(json.dumps(messages, default=str)) > MAX_MESSAGES_BYTES:
        # They would not fit into a command's stdin; the counts below do.
        messages = []
    return {
        "messages": messages,
        "trace": {
            "tool_calls": counts.total(),
            "tools": dict(sorted(counts.items())),
            "llm_calls": transcript.llm_calls,
        },
        "token_usage": {
            "input": transcript.input_tokens,
            "output": transcript.output_tokens,
            "total": transcript.total_tokens,
        },
        "cost_usd": transcript.cost_usd,
        "duration_ms": transcript.duration_ms,
    }


def _message(message: TranscriptMessage) -> dict[str, Any]:
    calls = [{field.name: getattr(call, field.name) for field in fields(call)} for call in message.tool_calls]
    return {**{field.name: getattr(message, field.name) for field in fields(message)}, "tool_calls": calls}


def file_changes(before: Tree, after: Tree) -> str:
    """Return the changes from one tree to another as a unified diff, cut off after MAX_DIFF_BYTES.

    Files that are no text, or larger than MAX_FILE_BYTES, are named without their content, as are links.
    """
    parts: list[str] = []
    size = 0
    for path in changed_paths(before, after):
        part = "".join(_change(path, before.entries.get(path), after.entries.get(path)))
        size += len(part)
        if size > MAX_DIFF_BYTES:
            parts.append("... more files changed\n")
            break
        parts.append(part)
    return "".join(parts)


def _change(path: str, old: ArchiveEntry | None, new: ArchiveEntry | None) -> Iterator[str]:
    name = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    sides = [_lines(entry) for entry in (old, new)]
    yield f"--- {f'a/{name}' if old else '/dev/null'}\n+++ {f'b/{name}' if new else '/dev/null'}\n"
    if sides[0] is None or sides[1] is None:
        yield "Binary or large files differ\n"
        return
    yield from _hunk(sides[0], sides[1])


def _lines(entry: ArchiveEntry | None) -> list[str] | None:
    if entry is None or entry.kind is EntryKind.DIRECTORY:
        return []
    if entry.kind is not EntryKind.FILE or entry.size > MAX_FILE_BYTES:
        return None
    data = content(entry)
    if b"\0" in data:
        return None
    # Only a newline ends a line of a diff; str.splitlines knows more of them.
    lines = data.decode("utf-8", "replace").split("\n")
    if lines[-1]:
        lines[-1] += "\n\\ No newline at end of file"
        return lines
    return lines[:-1]


def _hunk(old: list[str], new: list[str]) -> Iterator[str]:
    if old == new:
        # A file without lines came or went, or only its permissions changed.
        return
    pairs = zip(old, new, strict=False)
    head = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    room = min(len(old), len(new)) - head
    backwards = zip(reversed(old[head:]), reversed(new[head:]), strict=False)
    tail = min(room, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], backwards)))
    begin = max(0, head - CONTEXT_LINES)
    ends = [min(len(side), len(side) - tail + CONTEXT_LINES) for side in (old, new)]
    counts = [ends[0] - begin, ends[1] - begin]
    yield f"@@ -{begin + bool(counts[0])},{counts[0]} +{begin + bool(counts[1])},{counts[1]} @@\n"
    yield from (f" {line}\n" for line in old[begin:head])
    yield from (f"-{line}\n" for line in old[head : len(old) - tail])
    yield from (f"+{line}\n" for line in new[head : len(new) - tail])
    yield from (f" {line}\n" for line in old[len(old) - tail : ends[0]])
