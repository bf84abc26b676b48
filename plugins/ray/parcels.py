"""The data sent between machines: files of cases, submissions and results, as bytes that any process can read."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter

from gradebox.graders.errors import SubmissionRefused, UsageRefused
from gradebox.graders.model.case import Case
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.tree import read, scan
from gradebox.graders.model.verdict import OwnDetails
from gradebox.graders.runs import outcomes
from gradebox.graders.submissions.packed_submission import Packed, packed
from gradebox.sandbox.archive import ArchiveEntry, pack

MAX_BYTES = 512 * 1024 * 1024
# Grading reads neither the history of the files nor submissions that lie beside their case.
_LEFT = (".git", "submissions")
_CONFIG = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64", defer_build=True)
_RESULT = TypeAdapter(tuple[Result], config=_CONFIG)


def case_files(paths: Iterable[Path], cases: Iterable[Case]) -> bytes:
    """Return an archive of all directories that cases use, under their absolute paths.

    Args:
        paths: The paths from which the cases were loaded.
        cases: All cases of the run.

    Raises:
        UsageRefused: If the directories hold more than MAX_BYTES.
        OSError: If a file cannot be read.
    """
    wanted = {path if path.is_dir() else path.parent for path in map(Path.absolute, paths)}
    for case in cases:
        named = (case.directory, *case.roots, case.workspace, case.grading, case.reference, case.place.file)
        wanted |= {path if path.is_dir() else path.parent for path in named if path is not None}
    roots = [path for path in sorted(wanted) if wanted.isdisjoint(path.parents)]
    entries: list[ArchiveEntry] = []
    for root in roots:
        prefix = str(root).lstrip("/")
        entries += (replace(one, path=f"{prefix}/{one.path}") for one in scan(root, leave=_LEFT).entries.values())
    size = sum(entry.size for entry in entries)
    if size > MAX_BYTES:
        where = " and ".join(map(str, roots[:3]))
        raise UsageRefused(
            f"The cases hold {size >> 20} MiB, and {MAX_BYTES >> 20} MiB can be sent at most: {where}.",
            remedy="Put cases into a directory of their own.",
        )
    return b"".join(pack(entries, read))


def lay_down(archive: bytes, directory: Path) -> None:
    """Write the files of cases below a directory. Raises OSError if they cannot be written."""
    with tarfile.open(fileobj=io.BytesIO(archive), encoding="utf-8", errors="surrogateescape") as tar:
        # A verdict depends on modes, which a filter of the standard library would change.
        tar.extractall(directory, filter="fully_trusted")  # noqa: S202 - who sends it chooses what runs here anyway


def packed_submission(submission: Submission) -> Packed:
    """Return a submission as bytes.

    Raises:
        SubmissionRefused: If the files hold more than MAX_BYTES.
        OSError: If a file cannot be read.
        WorkspaceRefused: If the size of a file has changed since its scan.
    """
    if submission.tree.size_bytes > MAX_BYTES:
        raise SubmissionRefused(f"The submission holds more than {MAX_BYTES >> 20} MiB, the most that can be sent.")
    return packed(submission)


def packed_result(result: Result) -> dict[str, Any]:
    """Return a result with all of its evidence."""
    own = [isinstance(check.details, OwnDetails) for check in result.verdict.checks]
    decided_by = result.outcomes and outcomes.encode(result.outcomes)
    return {"result": _encoded(_RESULT, replace(result, outcomes=None)), "outcomes": decided_by, "own_details": own}


def unpacked_result(reply: Mapping[str, Any]) -> Result:
    """Return the result that `packed_result` packed.

    Raises:
        ValueError: If the reply is no such result, or longer than MAX_BYTES.
        RunRefused: If its outcomes cannot be read.
    """
    data, decided_by = reply["result"], reply["outcomes"]
    if (size := len(data) + len(decided_by or b"")) > MAX_BYTES:
        raise ValueError(f"a result of {size} bytes, and {MAX_BYTES} are read at most")
    (result,) = _RESULT.validate_json(data)
    checks = [
        replace(check, details=OwnDetails(check.details)) if is_own else check
        for check, is_own in zip(result.verdict.checks, reply["own_details"], strict=True)
    ]
    verdict = replace(result.verdict, checks=tuple(checks))
    return replace(result, verdict=verdict, outcomes=outcomes.decode(decided_by) if decided_by else None)


def _encoded(adapter: TypeAdapter[Any], value: object) -> bytes:
    # Half a surrogate pair becomes a question mark. A hash later checks the inputs of the verdict.
    found: Sequence[Any] = adapter.dump_python((value,), mode="json", fallback=str)
    return json.dumps(found, ensure_ascii=False).encode("utf-8", "replace")
