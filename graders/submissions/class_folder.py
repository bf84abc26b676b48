"""Lists the submissions in the folder of a class: every entry is one. Grades and unpacks nothing.

An entry is a directory, an archive or a file. Learning platforms make directories that contain only one archive or
notebook; such a directory counts as that file. What lies in an entry is hostile input: no link in it is followed, and
whatever cannot be read is one submission's own. Only links directly in the folder are the teacher's.
"""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from gradebox.graders.documents.paths import is_directory
from gradebox.graders.errors import SubmissionRefused, UsageRefused
from gradebox.graders.model.submission import HandIn, encodable, unused
from gradebox.graders.submissions.archive import is_archive
from gradebox.graders.submissions.layout import is_litter
from gradebox.graders.submissions.limited_files import opened
from gradebox.graders.submissions.notebook import SUFFIX

_MOST_FILES = 20_000
_NAMED = 5
# The signatures of all archive formats lie within this many bytes.
_HEAD = 1024
# The end of the last year that has a calendar. File systems can store later times.
_LAST_SECOND = 253_402_300_799
_LINK = "It is a link, and only links directly in the folder are followed. Submit the files themselves."


def hand_ins(
    folder: Path, *, name_from: str | None = None, strip: int = 0, runs: Path | None = None
) -> tuple[HandIn, ...]:
    """Return the submissions in a folder, in the order of their names.

    Args:
        folder: The folder of the class.
        name_from: A regular expression that finds the student in the path of an entry, relative to the folder: its
            group `name`, otherwise its first group, otherwise the whole match. A group `attempt` identifies attempts.
        strip: How many directories below the folder the entries lie.
        runs: The directory of runs, which is no submission.

    Raises UsageRefused if the expression does not match all entries, or two entries are the same attempt, and
    SubmissionRefused if the folder cannot be read or is empty.
    """
    if folder.is_file():
        raise SubmissionRefused(f"{folder} is a file.", remedy="Unpack it, and name the folder.")
    try:
        entries = _entries(folder, strip)
        if runs is not None and runs.exists():
            entries = [entry for entry in entries if not (is_directory(entry) and entry.samefile(runs))]
    except OSError as error:
        raise SubmissionRefused(f"{folder} cannot be read: {error.strerror or error}.") from error
    if not entries:
        raise SubmissionRefused(f"{folder} holds no submissions.")
    named = [_Named.of(folder, entry, _pattern(name_from)) for entry in entries]
    strangers = [one.relative for one in named if not one.student]
    if strangers:
        more = f" and {len(strangers) - _NAMED} more" if len(strangers) > _NAMED else ""
        listed = ", ".join(strangers[:_NAMED])
        raise UsageRefused(f"--name-from does not match {listed}{more}.", remedy="Correct it, or move these files.")
    return tuple(_numbered(named))


class _Named(NamedTuple):
    student: str
    attempt: str
    submitted: str
    relative: str
    path: str
    unreadable: str

    @classmethod
    def of(cls, folder: Path, entry: Path, pattern: re.Pattern[str] | None) -> _Named:
        relative = normalize("NFC", entry.relative_to(folder).as_posix())
        is_linked = entry.is_symlink() and entry.parent != folder
        submission = entry if is_linked else _only_file(entry) or entry
        student, attempt = _name(entry), ""
        if pattern is not None:
            found = pattern.search(relative)
            groups = found.groupdict() if found else {}
            first = groups.get("name") or (next(filter(None, found.groups()), found[0]) if found else "")
            student, attempt = first.strip(), groups.get("attempt") or ""
        submitted = _written(_time(entry) if is_linked else _changed(submission))
        return cls(student, attempt, submitted, relative, str(submission), _LINK if is_linked else "")


def _pattern(text: str | None) -> re.Pattern[str] | None:
    try:
        return None if text is None else re.compile(text)
    except re.error as error:
        raise UsageRefused(f"--name-from is not a regular expression: {error}.") from error


def _entries(folder: Path, strip: int) -> list[Path]:
    found = _children(folder)
    for _ in range(strip):
        found = [child for place in found if is_directory(place) for child in _children_or_itself(place, folder)]
    return found


def _children_or_itself(place: Path, folder: Path) -> list[Path]:
    """Return what lies in a directory; the directory itself if it cannot be read, or is a link in one."""
    if place.is_symlink() and place.parent != folder:
        return [place]
    try:
        return _children(place)
    except OSError:
        return [place]


def _children(place: Path) -> list[Path]:
    return sorted(child for child in place.iterdir() if not (is_litter(child.name) or child.name.startswith(".")))


def _only_file(entry: Path) -> Path | None:
    """Return the archive or notebook that is the only entry of a directory, None for anything else."""
    try:
        inner = _children(entry) if is_directory(entry) else []
        is_one = len(inner) == 1 and stat.S_ISREG(inner[0].lstat().st_mode)
        return inner[0] if is_one and _is_packed(inner[0]) else None
    except OSError:
        return None


def _is_packed(file: Path) -> bool:
    if file.name.endswith(SUFFIX):
        return True
    with opened(file) as stream:
        return is_archive(stream.read(_HEAD))


def _name(entry: Path) -> str:
    name = normalize("NFC", entry.name)
    if is_directory(entry):
        return name
    stem = name.rpartition(".")[0] or name
    return stem.removesuffix(".tar")


def _changed(path: Path) -> float:
    """Return the time of the newest file. Times inside an archive do not count, because the student controls them."""
    return max(map(_time, _files(path)), default=_time(path))


def _time(path: Path) -> float:
    """Return when a file was changed, in seconds; 0 if that cannot be read. A student may have set any time."""
    try:
        return min(max(0.0, path.lstat().st_mtime), _LAST_SECOND)
    except OSError:
        return 0.0


def _written(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _files(path: Path) -> Iterator[Path]:
    if not is_directory(path):
        yield path
        return
    count = 0
    for directory, _, names in os.walk(path):
        yield from (Path(directory, name) for name in names if not is_litter(name))
        count += len(names)
        if count > _MOST_FILES:
            return


def _numbered(named: Iterable[_Named]) -> list[HandIn]:
    """Return submissions with unique names: attempts of one student are numbered by submission time."""
    listed = sorted(named, key=lambda one: (one.student, one.attempt, one.submitted, one.relative))
    counts = Counter(one.student for one in listed)
    twice = [
        one for one, count in Counter((one.student, one.attempt) for one in listed if one.attempt).items() if count > 1
    ]
    if twice:
        raise UsageRefused(
            f"Two submissions are attempt {twice[0][1]} of {twice[0][0]}.", remedy="Correct --name-from."
        )
    numbers: Counter[str] = Counter()
    names: set[str] = set()
    made: dict[str, HandIn] = {}
    # Who has one submission keeps the name, whatever attempts of others would be called.
    for one in sorted(listed, key=lambda one: bool(one.attempt) or counts[one.student] > 1):
        numbers[one.student] += 1
        attempt = one.attempt
        if not attempt and counts[one.student] > 1:
            while encodable(f"{one.student} ({numbers[one.student]})") in names:
                numbers[one.student] += 1
            attempt = str(numbers[one.student])
        name = unused(f"{one.student} ({attempt})" if attempt else one.student, names)
        names.add(name)
        made[one.path] = HandIn(one.path, name, one.student, attempt, one.submitted, one.unreadable)
    return [made[one.path] for one in listed]
