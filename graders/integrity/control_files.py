"""Names of files by which a submission could steer a test runner or an interpreter instead of doing the task.

A control file that the case does not have is removed from the workspace; one that it has is put back as the case has
it. `allow:` in a case lets a submission bring some of them. Most of them are also what honest work leaves behind, so
removing is one thing and accusing another: only a file that says something to a runner in use is held against anybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase, translate
from functools import lru_cache


class Tool(StrEnum):
    """What runs the candidate's code, or the tests of it."""

    PYTHON = "python"
    PYTEST = "pytest"
    UNITTEST = "unittest"
    NODE = "node"
    BUN = "bun"
    JEST = "jest"
    VITEST = "vitest"
    MOCHA = "mocha"
    JULIA = "julia"


@dataclass(frozen=True, slots=True)
class ControlFile:
    """A kind of control file.

    Attributes:
        glob: Of the last component of its path.
        tool: What reads it, None for what no runner is steered by.
        signs: What such a file says when it does more than honest work needs; None where anything that it says does.
            Who writes the same in other words gains nothing, since the file is removed either way.
    """

    glob: str
    tool: Tool | None = None
    signs: re.Pattern[str] | None = None


_HARMLESS_HOOKS = "configure|unconfigure|addoption|report_header|sessionstart"
# Hooks, plugins, fixtures that nobody asks for, ends of the process, other people's objects changed.
_CONFTEST = re.compile(
    rf"def\s+pytest_(?!(?:{_HARMLESS_HOOKS})\b)|collect_ignore|\bautouse\b|\b__eq__\b|\bos\.(?:kill|abort|exec)"
    # As many blanks as anybody writes: more would take the square of their number.
    r"|pytest_plugins\s*=(?!\s{0,9}[\[(]?\s{0,9}[\"']pytest)|\bunittest\.(?!mock)|\b(?:exec|eval|__import__)\s*\("
    r"|\b_?exit\s*\(|\batexit\b|\b_pytest\b|\bsetattr\s*\(|\bsys\.modules\b|builtins|\bset(?:trace|profile)\b|\bctypes\b"
)
_BUNFIG = re.compile(r"\bpreload\b|\[\s*test\b|\bdefine\b|\bloader\b|\bplugins\b")
JAVASCRIPT_RUNNER = re.compile(
    r"setupFiles|globalSetup|globalTeardown|passWithNoTests|testRunner|\brunner\b|[rR]eporter|[sS]equence"
    r"|testPathIgnore|testResultsProcessor|reallyExit|process\.exit"
)
_MOCHARC = re.compile(r"reporter|grep|ignore|require|import|dry|\bfile\b")
# A line of a .pth file that is executed, or a directory that is put on the path; a binary file is somebody's data.
_PTH = re.compile(r"\A[^\0]*\Z")

_KINDS = (
    # pytest and unittest: loaded before any test, wherever they lie. (docs.pytest.org: "conftest.py", "Configuration")
    ControlFile("conftest.py", Tool.PYTEST, _CONFTEST),
    ControlFile("pytest.ini", Tool.PYTEST),
    ControlFile(".pytest.ini", Tool.PYTEST),
    ControlFile("pytest.toml", Tool.PYTEST),
    ControlFile(".pytest.toml", Tool.PYTEST),
    ControlFile("tox.ini", Tool.PYTEST),
    # The Python interpreter: run at every start, or taken in place of the source beside them.
    ControlFile("sitecustomize", Tool.PYTHON),
    ControlFile("sitecustomize.py", Tool.PYTHON),
    ControlFile("sitecustomize.*so", Tool.PYTHON),
    ControlFile("usercustomize", Tool.PYTHON),
    ControlFile("usercustomize.py", Tool.PYTHON),
    ControlFile("usercustomize.*so", Tool.PYTHON),
    ControlFile("*.pth", Tool.PYTHON, _PTH),
    ControlFile("__pycache__"),
    ControlFile("*.pyc"),
    ControlFile("pyvenv.cfg", Tool.PYTHON),
    # Test runners of JavaScript and TypeScript: preloads, setup files, module resolution, sources rewritten.
    ControlFile("bunfig.toml", Tool.BUN, _BUNFIG),
    ControlFile(".npmrc"),
    ControlFile(".mocharc*", Tool.MOCHA, _MOCHARC),
    ControlFile("jest.config.*", Tool.JEST, JAVASCRIPT_RUNNER),
    ControlFile("vitest.config.*", Tool.VITEST, JAVASCRIPT_RUNNER),
    ControlFile("vitest.workspace.*", Tool.VITEST, JAVASCRIPT_RUNNER),
    ControlFile("vitest.projects.*", Tool.VITEST, JAVASCRIPT_RUNNER),
    ControlFile("vite.config.*", Tool.VITEST, JAVASCRIPT_RUNNER),
    ControlFile("babel.config.*"),
    ControlFile(".babelrc*"),
    ControlFile(".env"),
    ControlFile(".env.*"),
    # Julia: run at every start.
    ControlFile("startup.jl", Tool.JULIA),
    ControlFile("LocalPreferences.toml"),
    # Version control: hooks and filters that a tool in the sandbox might execute.
    ControlFile(".git"),
    ControlFile(".hg"),
    ControlFile(".gitattributes"),
)

CONTROL_FILES: tuple[str, ...] = tuple(kind.glob for kind in _KINDS)

# All in one, since a hostile tree has very many names.
_ANY = re.compile("|".join(translate(glob) for glob in CONTROL_FILES))

_ANYWHERE = re.compile(r"\A(?:\*\*/)+")

# Configuration of pytest that is read as such: most of what it can say decides nothing.
PYTEST_FILES = frozenset({"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini"})

# Modules that a test runner of Python is made of. In the directory that a check runs in, one of that name is loaded
# in place of the real one (`python -m pytest` looks there first); nothing honest is called so.
RUNNER_MODULES = ("pytest", "_pytest", "pluggy", "iniconfig", "unittest")

# Vitest loads these as a program into its main process, whatever it tests; others build with it. (vite.dev: PostCSS)
STYLE_FILES = ("postcss.config.*", ".postcssrc", ".postcssrc.*")

# Programs that are told what to do by a file that no command names. The first of them that is there counts.
IMPLICIT_FILES = {"make": ("GNUmakefile", "makefile", "Makefile"), "just": ("justfile", "Justfile", ".justfile")}


# Names that test runners look for, and directories that hold tests by convention.
_TEST_NAMES = ("test_*", "*_test.*", "*.test.*", "*.spec.*", "*_spec.*", "runtests.*")
_TEST_DIRECTORIES = frozenset({"test", "tests", "__tests__", "spec", "specs"})


def is_test_file(path: str) -> bool:
    """Say whether a path has the name of a test, or lies in a directory of tests."""
    *directories, name = path.split("/")
    return not _TEST_DIRECTORIES.isdisjoint(directories) or any(fnmatchcase(name, glob) for glob in _TEST_NAMES)


def is_control_file(path: str) -> bool:
    """Say whether a path, or a directory that leads to it, has the name of a control file."""
    return any(_ANY.match(part) for part in path.split("/"))


def control_file(path: str) -> ControlFile | None:
    """Return the kind of control file that a path is by its own name, None if it is none.

    What a Python package begins with has the name of its directory.
    """
    head, _, name = path.rpartition("/")
    name = head.rpartition("/")[2] if name.partition(".")[0] == "__init__" else name
    return next((kind for kind in _KINDS if fnmatchcase(name, kind.glob)), None) if _ANY.match(name) else None


def matches(path: str, globs: Iterable[str]) -> bool:
    """Say whether one of these globs matches a relative path, or a directory that leads to it.

    ``*`` does not stop at slashes; a glob without a slash matches the last component alone, at any depth, and so does
    what follows a leading ``**/``.
    """
    # Said more than once, it says no more.
    patterns = [_ANYWHERE.sub("**/", glob.removeprefix("./").rstrip("/")) for glob in globs]
    if not patterns:
        return False
    parts = path.split("/")
    places = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    return any(_matches(place, pattern) for place in places for pattern in patterns)


def _matches(place: str, pattern: str) -> bool:
    if pattern.startswith("**/") and _matches(place, pattern[3:]):
        return True
    return _glob(pattern).match(place if "/" in pattern else place.rpartition("/")[2]) is not None


@lru_cache(maxsize=1024)
def _glob(pattern: str) -> re.Pattern[str]:
    # Not fnmatchcase, which remembers thirty times as many: some are a candidate's, who can make each a long one.
    return re.compile(translate(pattern))
