"""The texts of a case that no candidate may read: the reference's additions, the tests, the items.

Candidates get the workspace and the task, so their text is not hidden, even if a hidden file repeats it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import chain
from typing import NamedTuple

from gradebox.graders.authoring.leaks.compiled_names import names_of_source
from gradebox.graders.authoring.leaks.shingles import shingles, skeleton
from gradebox.graders.checks.items import Items
from gradebox.graders.grading.prepare import arrange, read_files
from gradebox.graders.model.case import Case
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.tree import changed_paths, content
from gradebox.graders.submissions.answer import extract_code
from gradebox.graders.submissions.overlay import lay
from gradebox.sandbox.archive import ArchiveEntry, EntryKind
from gradebox.sandbox.limits import MIB

# A text with fewer shingles, or fewer names in compiled form, may match by chance.
LEAST_SHINGLES, LEAST_NAMES = 20, 6
# A larger file counts as data and is not searched for.
_MOST_BYTES = 2 * MIB


class HiddenText(NamedTuple):
    """A text that must not be found: its name, and the features that identify it."""

    name: str
    shingles: frozenset[int]
    lines: frozenset[bytes]
    names: frozenset[bytes]  # The names in its compiled form; empty if it is not Python.

    @property
    def is_telling(self) -> bool:
        return len(self.shingles) >= LEAST_SHINGLES and bool(self.lines)


class Hidden(NamedTuple):
    """The texts that must not be found, the names of those too short to search for, and a hash of all."""

    texts: tuple[HiddenText, ...]
    too_short: tuple[str, ...]
    digest: str


def hidden_of(case: Case, reference: Submission | None) -> Hidden:
    """Return the hidden texts of a case. Raises what `read_files` raises, and OSError if a file cannot be read."""
    files = read_files(case)
    before = files.workspace.entries
    told = [data for entry in before.values() if (data := _text(entry)) is not None]
    told += [str(message.content).encode() for message in case.input]
    told.append(case.criteria.encode())
    secrets = list(_of_case(case, files.own.entries.values()))
    if reference is not None:
        submission = arrange(case, extract_code(case, reference), files).submission
        after = lay(files.workspace, submission).tree
        changed = (after.entries[path] for path in changed_paths(files.workspace, after) if path in after.entries)
        found = ((entry.path, _text(entry)) for entry in changed)
        secrets += [(f"the reference's {path}", data) for path, data in found if data is not None]
        if reference.output is not None and not submission.tree.entries:
            secrets.append(("the reference's answer", reference.output.encode()))
    return _hidden(secrets, told)


def _hidden(secrets: Sequence[tuple[str, bytes]], told: Sequence[bytes]) -> Hidden:
    known = frozenset(chain.from_iterable(map(shingles, told)))
    lines = frozenset(chain.from_iterable(map(skeleton, told)))
    found = [
        HiddenText(name, shingles(data) - known, skeleton(data) - lines, _own_names(data, name, told))
        for name, data in secrets
    ]
    digest = sha256(repr((secrets, told)).encode()).hexdigest()
    # A text that candidates know completely is not secret.
    short = tuple(each.name for each in found if each.shingles and not each.is_telling)
    return Hidden(tuple(each for each in found if each.is_telling), short, digest)


def _own_names(data: bytes, name: str, told: Sequence[bytes]) -> frozenset[bytes]:
    names = names_of_source(data, name) if name.endswith(".py") else frozenset()
    return frozenset(each for each in names if not any(each in known for known in told))


def _of_case(case: Case, own: Iterable[ArchiveEntry]) -> Iterator[tuple[str, bytes]]:
    for entry in own:
        if (data := _text(entry)) is not None:
            yield entry.path, data
    for check in case.checks:
        if isinstance(check, Items):
            yield f"the items of {check.name}", "\n".join(item.code for item in check.items).encode()


def _text(entry: ArchiveEntry) -> bytes | None:
    if entry.kind is not EntryKind.FILE or entry.size > _MOST_BYTES:
        return None
    data = content(entry)
    return None if b"\0" in data else data
