"""Finds hidden tests in C, C++ and Rust that take names of the submission, which can change what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from gradebox.graders.authoring.hazards import MEANT, Hazard
from gradebox.graders.documents.diagnostics import shown
from gradebox.graders.documents.globs import matches
from gradebox.graders.model.case import Case, Place

_SUFFIXES = frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx"})
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"(?:[^"\n]*/)?(?P<name>[^"/\n]+)"[^\n]*', re.MULTILINE)
_HINT = "Put the header into grading/ and compile the submission for itself, or judge its program by an `io` check."
# In Rust, names that come by `*` also replace `i64` and `String`.
_CRATE = re.compile(r'^[ \t]*name[ \t]*=[ \t]*"(?P<name>[\w-]+)"', re.MULTILINE)
_USE = re.compile(r"^[ \t]*(?:pub[ \t]+)?use[ \t]+(?:::)?(?P<name>\w+)(?:::\w+)*::\*[^\n]*", re.MULTILINE)
_USE_HINT = "Name what the test uses, as in `use sum::{add, Sum}`, or judge a program by an `io` check."
_MOST_FILES, _MOST_BYTES = 200, 1024 * 1024


def native_hazards(case: Case) -> Iterator[Hazard]:
    """Yield a hazard for each line of a hidden file by which names of the submission come into it."""
    if case.grading is None:
        return
    hidden = [file for file in sorted(case.grading.rglob("*")) if file.is_file() and not file.is_symlink()]
    roots = [root for root in (case.workspace, case.reference) if root is not None]
    names = {case.answer_file or ""}
    for root in roots:
        names |= {each.name for each in root.rglob("*") if not matches(each.relative_to(root).as_posix(), case.protect)}
    names -= {file.name for file in hidden}
    crates = {
        found["name"].replace("-", "_")
        for root in roots
        for file in islice(root.rglob("Cargo.toml"), _MOST_FILES)
        for found in _CRATE.finditer(_text(file))
    }
    for file in islice((file for file in hidden if file.suffix in (*_SUFFIXES, ".rs")), _MOST_FILES):
        text = _text(file)
        is_rust = file.suffix == ".rs"
        for found in (_USE if is_rust else _INCLUDE).finditer(text):
            name = shown(found["name"])
            if found["name"] not in (crates if is_rust else names) or MEANT in found[0]:
                continue
            message, hint = f"`{name}` of the submission is compiled into a test, which its macros can change", _HINT
            if is_rust:
                message = f"all names of `{name}` come into a test, where the submission's `i64` would replace Rust's"
                hint = _USE_HINT
            yield Hazard(Place(file, text.count("\n", 0, found.start()) + 1, 1), message, hint)


def _text(file: Path) -> str:
    with file.open("rb") as stream:
        return stream.read(_MOST_BYTES).decode("utf-8", "replace")
