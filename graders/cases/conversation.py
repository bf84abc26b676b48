"""The turns of a conversation: what the user says in each, and the checks of the answer to it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from gradebox.graders.cases.documents import CaseEntry
from gradebox.graders.cases.message_documents import expected_output, messages
from gradebox.graders.cases.shared import check_files
from gradebox.graders.checks.base import Surroundings
from gradebox.graders.checks.reading import read_checks, with_unique_names
from gradebox.graders.documents.diagnostics import DocumentPath
from gradebox.graders.documents.paths import named_file
from gradebox.graders.documents.reader import Reader
from gradebox.graders.model.case import Turn


def read_turns(
    reader: Reader, entry: CaseEntry, path: DocumentPath, bases: tuple[Path, ...], suite_language: str | None
) -> tuple[Turn, ...]:
    """Convert the turns of the case at a path; `bases` are where its files are looked up."""
    find = partial(named_file, bases=bases)
    around = Surroundings(entry.language or suite_language)
    turns = []
    for index, turn in enumerate(entry.turns or ()):
        at = (*path, "turns", index)
        for name in ("input", "expected_output"):
            check_files(reader, getattr(turn, name), (*at, name), bases)
        checks = with_unique_names(read_checks(reader, turn.assertions, (*at, "assertions"), around))
        turns.append(Turn(messages(turn.input, find), checks, expected_output(turn.expected_output, find)))
    if entry.mode and not turns:
        reader.error((*path, "mode"), "a conversation has no `turns`", "Write what the user says in each.")
    return tuple(turns)
