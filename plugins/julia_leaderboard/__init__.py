"""The files of the Julia LLM Leaderboard: reads recorded answers and writes evaluations, in its tree and by its names.

    definition_toml     `definition.toml` -> a case
    definition          its four checks; `answer_protocol` is the protocol of the runner in the sandbox
    recorded            the recorded tree; `evaluations` writes evaluations into one, for `leaderboard_option`
    counters            the leaderboard's counters of a verdict, for the reports `leaderboard` and `leaderboard_csv`

This module has the interface of a format plug-in. It imports the other modules only when needed, since every load of a
case imports this one for the file names.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradebox.graders.cases import Loaded
    from gradebox.graders.documents.diagnostics import Findings
    from gradebox.graders.model.case import Case
    from gradebox.plugins.julia_leaderboard.evaluations import RecordedTree

CASE_FILES = ("definition.toml",)


def load_cases(file: Path, findings: Findings) -> Loaded:
    """Load the task of a ``definition.toml``."""
    from gradebox.plugins.julia_leaderboard.definition_toml import load_definition  # noqa: PLC0415 - see above

    return load_definition(file, findings)


def recorded_run(path: Path, cases: Iterable[Case], _left_out: Container[str]) -> RecordedTree | None:
    """Return the answers of a tree of conversations, None if a path is not a directory or no case has a definition."""
    from gradebox.plugins.julia_leaderboard.evaluations import RecordedTree, is_definition  # noqa: PLC0415 - the same

    cases = [case for case in cases if is_definition(case)] if path.is_dir() else []
    return RecordedTree.read(path, cases) if cases else None


def recorded_answer(file_name: str, data: bytes) -> str | None:
    """Return the answer of a recorded ``conversation__...json``."""
    from gradebox.plugins.julia_leaderboard.recorded import is_conversation, read_conversation  # noqa: PLC0415 - the same

    return read_conversation(data).answer if is_conversation(file_name) else None
