"""The battery: every cheat as a submission of a case, or with the reason why it does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gradebox.graders.authoring.attack.planting import PLANTED, planted
from gradebox.graders.authoring.attack.programs import about, composed, filled, is_called, programs, suffix
from gradebox.graders.authoring.attack.surface import BroughtFile, Surface
from gradebox.graders.languages import languages
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import Tree
from gradebox.graders.submissions.answer import read_answer
from gradebox.sandbox.archive import ArchiveEntry, file_entry

STUBS = "nothing/stubs"
# What `mixed/steals` combines, in this order.
_STEALING = (
    "frames/caller", "frames/heap", "read/graders-files", "read/stdin", "read/command-line", "frames/constants",
)  # fmt: skip


class Cheat(NamedTuple):
    """One cheat."""

    name: str  # `family/name`.
    about: str  # A sentence that says what it does.
    submission: Submission | None = None  # The submission to grade; None if the cheat does not fit.
    misfit: str = ""  # Why it does not fit.

    @property
    def family(self) -> str:
        return self.name.partition("/")[0]


def names() -> tuple[str, ...]:
    """Return the names of all cheats, sorted by family."""
    return tuple(sorted({*programs(), *PLANTED}))


def battery(surface: Surface) -> Iterator[Cheat]:
    """Yield all cheats, including those that do not fit."""
    values: dict[str, Sequence[str]] = {
        "reports": surface.reports,
        "scripts": [path for path in surface.scripts if path in surface.own.entries],
        "imports": surface.imports,
        "words": surface.words,
        "brought": [file.path for file in surface.files],
        "expected": surface.expected,
        "defined": list({each.name: None for file in surface.files for each in file.defined}),
        "mocked": list(surface.mocked[0]),
        "uncalled": list(surface.mocked[1]),
        "stealing": [programs()[name][".py"] for name in _STEALING],
    }
    cheating = filter(None, (language.cheating() for language in languages().values()))
    nothing = {each.SUFFIX: f"{each.COMMENT} Defines what is asked for, and does nothing.\n" for each in cheating}
    yield _programmed(surface, STUBS, nothing, values)
    for name in names():
        if name in PLANTED:
            yield _planted(surface, name)
        else:
            yield _programmed(surface, name, programs()[name], values)


def _planted(surface: Surface, name: str) -> Cheat:
    said, _ = PLANTED[name]
    beside = planted(surface, name)
    if not beside:
        return Cheat(name, said, misfit="the case has no place for it")
    own = {
        file.path: _entry(file, composed(file.language, "", file.defined, file.source, file.start))
        for file in surface.files
        if file.language
    }
    return Cheat(name, said, _submission(surface, name, {**own, **beside}))


def _programmed(surface: Surface, name: str, texts: Mapping[str, str], values: Mapping[str, Sequence[str]]) -> Cheat:
    said = about(texts, suffix(surface.language()))
    if name == "words/likely":
        said = "Says the task again, and everything that an answer is likely to hold."
    if surface.answers and name == "words/likely" and not any(file.language for file in surface.files):
        return Cheat(name, said, read_answer(name, surface.words))
    entries: dict[str, ArchiveEntry] = {}
    idle = False
    for file in surface.files:
        program = texts.get(suffix(file.language))
        if program is None:
            continue
        if is_called(program) and not file.defined:
            idle = True
            continue
        program = filled(program, values)
        entries[file.path] = _entry(file, composed(file.language, program, file.defined, file.source, file.start))
    if not entries:
        languages = (
            ", ".join(sorted({file.language or file.path.rpartition("/")[2] for file in surface.files})) or "files"
        )
        return Cheat(
            name, said, misfit="a submission brings no function" if idle else f"it has no program for {languages}"
        )
    return Cheat(name, said, _submission(surface, name, entries))


def _entry(file: BroughtFile, text: str) -> ArchiveEntry:
    return file_entry(file.path, text.encode("utf-8", "replace"), mode=file.mode | 0o644)


def _submission(surface: Surface, name: str, entries: Mapping[str, ArchiveEntry]) -> Submission:
    if not surface.answers:
        return Submission(name, Form.DIRECTORY, Tree({path: entries[path] for path in sorted(entries)}))
    fence = "`" * 4
    blocks = (f"{fence}text {path}\n{(entry.data or b'').decode()}\n{fence}\n" for path, entry in entries.items())
    return read_answer(name, "\n".join(blocks))
