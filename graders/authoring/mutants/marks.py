"""`mutants.yaml` beside a case: marks mutants that are equivalent to the reference, each with a reason.

- file: words.py
  from: "if count > 0:"
  to: "if count >= 0:"
  reason: A count of 0 adds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import yaml

from gradebox.graders.authoring.mutants.mutation import Mutant
from gradebox.graders.errors import CaseRefused

MARKS_FILE = "mutants.yaml"
_FIELDS = ("file", "from", "to", "reason")


class Mark(NamedTuple):
    """An equivalent mutant, identified by its original and its changed line, anywhere in the file."""

    file: str
    before: str
    after: str
    reason: str

    def fits(self, mutant: Mutant) -> bool:
        return (self.file, self.before, self.after) == (mutant.path, mutant.before, mutant.after)


def read_marks(directory: Path) -> tuple[Mark, ...]:
    """Read the marks of a case, none if it has no `mutants.yaml`. Raises CaseRefused if the file has a mistake."""
    path = directory / MARKS_FILE
    try:
        written = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise CaseRefused(f"{path} cannot be read: {error}.") from error
    entries = written if isinstance(written, list) else [written] if written else []
    for number, entry in enumerate(entries, 1):
        words = entry if isinstance(entry, dict) else {}
        if set(words) != set(_FIELDS) or not all(isinstance(each, str) and each.strip() for each in words.values()):
            raise CaseRefused(f"{path}: mark {number} needs the texts {', '.join(_FIELDS)}, and nothing else.")
    return tuple(Mark(*(entry[name].strip() for name in _FIELDS)) for entry in entries)


def idle_marks(marks: Iterable[Mark], mutants: Iterable[Mutant]) -> tuple[Mark, ...]:
    """Return the marks that no longer fit a mutant."""
    found = tuple(mutants)
    return tuple(mark for mark in marks if not any(map(mark.fits, found)))
