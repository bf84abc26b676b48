"""Finds hidden tests in C and C++ that include a file of the submission, which can change what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from gradebox.graders.authoring.hazards import MEANT, Hazard
from gradebox.graders.documents.diagnostics import shown
from gradebox.graders.documents.globs import matches
from gradebox.graders.model.case import Case, Place

_SUFFIXES = frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx"})
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"(?:[^"\n]*/)?(?P<name>[^"/\n]+)"[^\n]*', re.MULTILINE)
_HINT = "Put the header into grading/ and compile the submission for itself, or judge its program by an `io` check."
_MOST_FILES, _MOST_BYTES = 200, 1024 * 1024


def native_hazards(case: Case) -> Iterator[Hazard]:
    """Yield a hazard for each line of a hidden file that includes what only the submission brings."""
    if case.grading is None:
        return
    hidden = [file for file in sorted(case.grading.rglob("*")) if file.is_file() and not file.is_symlink()]
    names = {case.answer_file or ""}
    for root in (root for root in (case.workspace, case.reference) if root is not None):
        names |= {each.name for each in root.rglob("*") if not matches(each.relative_to(root).as_posix(), case.protect)}
    names -= {file.name for file in hidden}
    for file in islice((file for file in hidden if file.suffix in _SUFFIXES), _MOST_FILES):
        text = file.read_bytes()[:_MOST_BYTES].decode("utf-8", "replace")
        for found in _INCLUDE.finditer(text):
            if found["name"] in names and MEANT not in found[0]:
                message = (
                    f"`{shown(found['name'])}` of the submission is compiled into a test, which its macros can change"
                )
                yield Hazard(Place(file, text.count("\n", 0, found.start()) + 1, 1), message, _HINT)
