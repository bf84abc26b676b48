"""Makes the stdin of code graders: one JSON object that describes the case and the submission. Pure.

User data keeps the author's keys. The submission is described by its answer, its transcript, and a unified diff of the
workspace. The diff has one hunk per file, from the first to the last differing line. This takes linear time for any
file, while a hostile file could make a minimal diff take very long.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from gradebox.graders.checks.grader_input import case_messages, trace
from gradebox.graders.checks.grader_input.old_names import old_names
from gradebox.graders.model.case import Case, CaseCheck
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.tree import Tree, changed_paths, content
from gradebox.sandbox.archive import ArchiveEntry, EntryKind
from gradebox.sandbox.types import WORKSPACE

CONTEXT_LINES = 3
MAX_FILE_BYTES = 256 * 1024
MAX_DIFF_BYTES = 1024 * 1024
# Whatever some program takes for the end of a line, quotes and backslashes.
_SPECIAL = re.compile(r'[\x00-\x1f\x7f-\x9f\u2028\u2029"\\]')
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def grader_input(
    case: Case,
    check: CaseCheck,
    submission_data: Mapping[str, Any],
    config: Mapping[str, Any] | None = None,
    *,
    older: bool = False,
) -> bytes:
    """Return the JSON object for a code grader, in UTF-8 with a final newline.

    `config` is the author's configuration for the command. `older` adds the older names of keys.
    """
    described: dict[str, Any] = {
        "id": case.id,
        "criteria": case.criteria,
        "note": case.note,
        "input": case_messages.input_messages(case),
        "input_files": case_messages.input_files(case),
        "expected_output": expected_output(case, older=older),
        "metadata": dict(case.metadata),
        **submission_data,
        "workspace_path": WORKSPACE,
        "config": {"name": check.name, "weight": check.weight, **(config or {})},
    }
    if older:
        described = {**old_names(described), **described}
    return json.dumps(described, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"


def hook_input(case: Case) -> bytes:
    """Return the stdin of a hook: the JSON object that AgentV passes to its hooks."""
    described = {
        "workspace_path": WORKSPACE,
        "test_id": case.id,
        "eval_run_id": "",
        "case_input": case_messages.text_of(case_messages.input_messages(case), "user") or None,
        "case_metadata": dict(case.metadata) or None,
    }
    return json.dumps(described, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"


def expected_output(case: Case, *, older: bool = False) -> Any:
    """Return the reference answer as messages; data is returned unchanged, except with `older`."""
    is_data = isinstance(case.expected_output, Mapping) and not older
    return case.expected_output if is_data else case_messages.expected_messages(case)


def asks_model(config: Mapping[str, Any]) -> bool:
    """Return whether a command needs a model, as AgentV offers with `target`. A sandbox has no network for that."""
    target = config.get("target")
    return isinstance(target, dict) and target.keys() <= {"max_calls"}


def describe_submission(submission: Submission, before: Tree, after: Tree) -> dict[str, Any]:
    """Return a description of a submission for JSON. `before` is the case's workspace, `after` has the submission.

    Raises OSError if a file cannot be read.
    """
    transcript, output = submission.transcript, submission.output
    if output is None and transcript is not None:
        output = transcript.output
    return {"output": output, **trace.described(transcript), "file_changes": file_changes(before, after)}


def file_changes(before: Tree, after: Tree) -> str:
    """Return the changes from one tree to another as a unified diff, cut off after MAX_DIFF_BYTES.

    Files that are not text, or larger than MAX_FILE_BYTES, are named without their content, as are links.
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
    before, after = _quoted(f"a/{name}") if old else "/dev/null", _quoted(f"b/{name}") if new else "/dev/null"
    yield f"--- {before}\n+++ {after}\n"
    if sides[0] is None or sides[1] is None:
        yield "Binary or large files differ\n"
        return
    yield from _hunk(sides[0], sides[1])


def _quoted(name: str) -> str:
    """Return a name as Git writes it: in quotes, if a character of it could end its line or its quotes."""
    return f'"{_SPECIAL.sub(_escaped, name)}"' if _SPECIAL.search(name) else name


def _escaped(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[0]) or "".join(f"\\{byte:03o}" for byte in found[0].encode())


def _lines(entry: ArchiveEntry | None) -> list[str] | None:
    if entry is None or entry.kind is EntryKind.DIRECTORY:
        return []
    if entry.kind is not EntryKind.FILE or entry.size > MAX_FILE_BYTES:
        return None
    data = content(entry)
    if b"\0" in data:
        return None
    # Only a newline ends a line of a diff; `str.splitlines` splits at other characters, too.
    lines = data.decode("utf-8", "replace").split("\n")
    if lines[-1]:
        lines[-1] += "\n\\ No newline at end of file"
        return lines
    return lines[:-1]


def _hunk(old: list[str], new: list[str]) -> Iterator[str]:
    if old == new:
        # A file without lines was added or removed, or only its permissions changed.
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
