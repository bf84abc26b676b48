"""Control files: files by which a submission could configure a test runner or an interpreter.

Languages and test runners list their control files, and this module gathers them. A control file that the case does not
have is removed from the workspace; one that it has is restored. ``allow:`` in a case lets a submission bring some of
them.

Honest work leaves many such files behind. So a removed file counts as tampering only if it can change the behaviour of
a runner in use.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase, translate
from functools import cache

from gradebox.graders.languages import languages
from gradebox.graders.languages.language import ControlFile
from gradebox.graders.runners import runners

# Version control: hooks and filters that a tool in the sandbox might run.
_OF_ANY_TOOL = (ControlFile(".git"), ControlFile(".hg"), ControlFile(".gitattributes"))

# Files below HOME that other programs read when they start, and that can name a program or change an answer. Git's
# files are left out, since honest graders start with `git config --global`.
_HOME_FILES = (
    ".curlrc", ".wgetrc", ".sqliterc", ".psqlrc", ".my.cnf", ".gdbinit", ".octaverc", ".erlang", ".sbclrc",
)  # fmt: skip

# Programs that read a file which no command names. Only the first of these files that exists counts.
IMPLICIT_FILES = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "cargo": ("Cargo.toml",),
    **dict.fromkeys(("cmake", "ctest"), ("CMakeLists.txt",)),
}


@cache
def kinds() -> tuple[ControlFile, ...]:
    """Return all kinds of control files: those of languages, of test runners, and of any tool."""
    of_languages = (kind for language in languages().values() for kind in language.control_files)
    of_runners = (kind for runner in runners().values() for kind in runner.control_files)
    return (*of_languages, *of_runners, *_OF_ANY_TOOL)


@cache
def control_globs() -> tuple[str, ...]:
    return tuple(kind.glob for kind in kinds())


@cache
def _any() -> re.Pattern[str]:
    # One pattern for all of them, since a hostile tree can have very many names.
    return re.compile("|".join(map(translate, control_globs())))


@cache
def home_files() -> tuple[str, ...]:
    """Return the paths below HOME that no process in a sandbox can open; directories end with a slash."""
    return (*dict.fromkeys(place for language in languages().values() for place in language.home_files), *_HOME_FILES)


@cache
def env() -> Mapping[str, str]:
    """Return environment variables that stop interpreters from loading code that a submission may have left."""
    return {name: value for language in languages().values() for name, value in language.env.items()}


def is_control_file(path: str) -> bool:
    """Return whether a path, or a directory on the way to it, has the name of a control file."""
    return any(_any().match(part) for part in path.split("/"))


def control_file(path: str) -> ControlFile | None:
    """Return the kind of control file that the last part of a path names; None if it is not a control file.

    The `__init__.py` of a Python package has the name of its directory here.
    """
    head, _, name = path.rpartition("/")
    name = head.rpartition("/")[2] if name.partition(".")[0] == "__init__" else name
    return next((kind for kind in kinds() if fnmatchcase(name, kind.glob)), None) if _any().match(name) else None
