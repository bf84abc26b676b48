"""Exports and imports a run as one file: a gzipped tar archive whose only directory is the run directory.

Archives are untrusted, so they are read like submissions: in memory, within the same limits, and they may contain only
plain files of a run. The run directory gets its name after all files are written and the verdicts can be read.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

from gradebox.graders.documents.paths import exists, open_regular
from gradebox.graders.errors import RunRefused, SubmissionRefused
from gradebox.graders.runs.evidence_log import LOG
from gradebox.graders.runs.history.run_names import is_name
from gradebox.graders.runs.history.run_removal import IMPORTED, OF_RUN
from gradebox.graders.runs.saved_run import read_run
from gradebox.graders.runs.store import LOCK, RECORD, RESULTS
from gradebox.graders.submissions.archive import read_archive
from gradebox.graders.submissions.archive.archive_limits import MAX_UNPACKED_BYTES

_REMEDY = "`grade runs export` makes archives of runs."


def export_run(directory: Path, file: Path) -> None:
    """Write a run to an archive. Raises RunRefused if it is not a run directory, or the archive cannot be written."""
    saved = read_run(directory, light=True)
    unfinished = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        with tarfile.open(unfinished, "x:gz") as archive:
            for path in _files(directory):
                with open_regular(path) as stream:
                    info = archive.gettarinfo(arcname=f"{saved.id}/{path.relative_to(directory)}", fileobj=stream)
                    info.uid = info.gid = 0
                    info.uname = info.gname = ""
                    # Data that is appended meanwhile is not exported.
                    archive.addfile(info, stream)
        unfinished.replace(file)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise RunRefused(f"{file} cannot be written: {error.strerror or error}.") from error


def import_run(file: Path, root: Path, name: str = "") -> Path:
    """Make a run directory below `root` from an archive, and return it; `name` replaces the run's own name.

    Raises RunRefused if the archive is broken, too large, or contains anything but one run, or the name is taken.
    """
    members = _members(file)
    (own, *others) = {path.partition("/")[0] for path in members} or {""}
    inside = {path.partition("/")[2]: data for path, data in members.items()}
    strange = sorted(path for path in inside if path.partition("/")[0] not in OF_RUN - {LOCK})
    if others or strange or RECORD not in inside:
        raise RunRefused(f"{file} is not an archive of exactly one run.", remedy=_REMEDY)
    directory = root / (name or own)
    if not name and not is_name(own):
        raise RunRefused(f"{file} holds a run of the name {own[:100]!r}.", remedy="Give it another one with --name.")
    if exists(directory):
        raise RunRefused(f"{directory} exists.", remedy="Give the run another name with --name.")
    unfinished = root / f".import-{secrets.token_hex(4)}"
    try:
        for path, data in inside.items():
            place = unfinished / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        # The author of the archive may have forged verdicts, so `--reuse` must not reuse them.
        (unfinished / IMPORTED).touch()
        # Raises RunRefused if a line of the results is not a verdict.
        read_run(unfinished, light=True)
        unfinished.rename(directory)
    except OSError as error:
        raise RunRefused(f"{directory} cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return directory


def _files(directory: Path) -> Iterator[Path]:
    """Yield the files of a run, verdicts first: since evidence is written before its verdict, none is missing."""
    for path in (directory / RECORD, directory / RESULTS, directory / LOG):
        if path.is_file():
            yield path
    for place, _, names in os.walk(directory / "evidence"):
        yield from (Path(place, name) for name in sorted(names))


def _members(file: Path) -> dict[str, bytes]:
    try:
        with open_regular(file) as stream:
            data = stream.read(MAX_UNPACKED_BYTES + 1)
    except OSError as error:
        raise RunRefused(f"{file} cannot be read: {error.strerror or error}.") from error
    if len(data) > MAX_UNPACKED_BYTES:
        remedy = "If you trust who made it, unpack it with `tar -xzf`."
        raise RunRefused(f"{file} is larger than {MAX_UNPACKED_BYTES} bytes.", remedy=remedy)
    try:
        entries = read_archive(file.name, data).tree.entries
    except SubmissionRefused as refused:
        raise RunRefused(f"{file} is not an archive of a run. {refused.message}", remedy=_REMEDY) from refused
    return {entry.path: entry.data for entry in entries.values() if entry.data is not None}
