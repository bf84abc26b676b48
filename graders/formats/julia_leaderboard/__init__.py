"""The files of the Julia LLM Leaderboard: recorded answers to read, evaluations to write, in its tree, by its names.

How an answer is graded is elsewhere: `checks.definition`. Nothing here runs anything. What a plug-in of a
format offers is here and imports the rest when it is used, since every load of a case asks for the names of the files.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradebox.graders.cases import Loaded
    from gradebox.graders.documents.diagnostics import Findings

CASE_FILES = ("definition.toml",)


def load_cases(file: Path, findings: Findings) -> Loaded:
    """Load the task of a ``definition.toml``."""
    from gradebox.graders.formats.julia_leaderboard.definition_toml import load_definition  # noqa: PLC0415 - see above

    return load_definition(file, findings)


def recorded_answer(file_name: str, data: bytes) -> str | None:
    """Return the answer of a recorded ``conversation__...json``."""
    from gradebox.graders.formats.julia_leaderboard.recorded import is_conversation, read_conversation  # noqa: PLC0415 - the same

    return read_conversation(data).answer if is_conversation(file_name) else None
