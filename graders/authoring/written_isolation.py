"""Writes the isolation that the reference has decided into the case file."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from gradebox.graders.cases.discovery import CASE_FILES
from gradebox.graders.cases.load import load
from gradebox.graders.checks.evaluation import every, is_apart
from gradebox.graders.errors import GraderError
from gradebox.graders.grading.fingerprint import case_key
from gradebox.graders.grading.prepare import read_files
from gradebox.graders.model.case import Case

_LINE = re.compile(r"^isolation:.*$", re.MULTILINE)


def write_isolation(case: Case) -> str:
    """Write `isolation` into the file of a settled case, and return a sentence about it; empty if nothing was open.

    The file stays unchanged if the line would change anything else.
    """
    crossing, file = case.crossing, case.place.file
    if not case.is_open or crossing is None or crossing.problem:
        return ""
    line = f"isolation: {crossing.isolation}"
    said = replace(case, isolation=crossing.isolation)
    if other := next((one.name for one in every(case.checks) if is_apart(one, said) != is_apart(one, case)), ""):
        return f"`{line}` was not written: {other} would be judged otherwise, so write it into the checks."
    if file.name not in CASE_FILES:
        return f"`{line}` was not written: the case has no file of its own, so write it at {case.place}."
    before = file.read_text("utf-8")
    after = _LINE.sub(line, before) if _LINE.search(before) else f"{before.rstrip()}\n{line}\n"
    file.write_text(after, "utf-8")
    if not _is_same(file, said):
        file.write_text(before, "utf-8")
        return f"`{line}` was not written: {file} has another form than usual, so write it there."
    return f"`{line}` was written into {file}."


def _is_same(file: Path, case: Case) -> bool:
    """Return whether a file contains exactly this case."""
    try:
        found = load(file).cases
        wanted = replace(case, target=None, use_target=None)
        keys = {case_key(replace(one, target=None, use_target=None), read_files(one)) for one in found}
        return keys == {case_key(wanted, read_files(case))}
    except (GraderError, OSError):
        return False
