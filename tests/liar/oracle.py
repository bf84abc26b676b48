"""What an oracle's notes mean: the difference between a run with an honest candidate's process and one with a liar.

A finding is something that the grader's process did or lost only because the other side lied. A failing test does more
than a passing one: it formats a traceback, for which libraries are imported and sources are read. Such notes are no
findings, and neither is what the supervisor was asked for when a process had ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

# What no library or test of ours does because something fails.
_GRAVE = (
    "subprocess.",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "ctypes.",
    "pty.",
    "urllib.",
    "os.kill",
    "pickle.",
)
_SHOWING = ("program run", "program _run", "program _exc_info_to_string")
_NAMING = ("program named", "program made_value", "program exec_module")
_IMPORTING = ("import", "open", "exec", "compile", "marshal.loads")
# Of a liar's names.
_OWN_PATHS = ("/etc/passwd", "/proc/self/mem")
_CHANGING = (
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.chmod",
    "os.chown",
    "os.link",
    "os.symlink",
    "os.truncate",
    "shutil.",
)


def notes(path: Path) -> frozenset[str]:
    """Return what an oracle noted."""
    text = path.read_text("utf-8", "replace") if path.exists() else ""
    # Each run has temporary files of its own.
    return frozenset(re.sub(r"/tmp/tmp\w{8}", "TEMPORARY", text).splitlines())


def findings(honest: Iterable[str], lying: Iterable[str]) -> Iterator[str]:
    """Yield what only the run with the liar shows, if it must not be."""
    known = {*honest}
    loose = {tuple(note.split("\t")[:2]) for note in known}
    for note in lying:
        event, who, what = (*note.split("\t", 2), "", "")[:3]
        # `namedtuple` compiles names, of which it has checked that they are names. A name of the table is imported,
        # and a time zone is read.
        is_compiled = who == "program _named_tuple" and event in ("compile", "exec")
        is_named = who in _NAMING and event in _IMPORTING and not re.search("HERE|^write", what)
        # A failure is shown with its lines.
        is_shown = who in _SHOWING and event in ("compile", "open") and not what.startswith("write")
        if note in known or event == "end" or is_compiled or is_named or is_shown:
            continue
        is_new = (event, who) not in loose
        of_program = who.startswith("program")
        if (
            event == "changed"
            or event.startswith(_GRAVE)
            or (of_program and event == "open")
            # A module of the library that a value of the table needs is imported where others are.
            or (of_program and event in ("import", "exec", "compile") and is_new)
            or (event.startswith(_CHANGING) and is_new)
            or (event == "open" and what.startswith("write") and "HERE" in what)
            or any(path in what for path in _OWN_PATHS)
        ):
            yield note
