"""Names of files by which a submission could steer a test runner or an interpreter instead of doing the task.

A control file that the case does not have is removed from the workspace; one that it has is put back as the case has
it. `allow:` in a case lets a submission bring some of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

CONTROL_FILES: tuple[str, ...] = (
    # pytest and unittest: loaded before any test, wherever they lie. (docs.pytest.org: "conftest.py", "Configuration")
    "conftest.py",
    "pytest.ini",
    ".pytest.ini",
    "pytest.toml",
    ".pytest.toml",
    "tox.ini",
    # The Python interpreter: run at every start, or taken in place of the source beside them.
    "sitecustomize.py",
    "usercustomize.py",
    "*.pth",
    "__pycache__",
    "*.pyc",
    "pyvenv.cfg",
    # Test runners of JavaScript and TypeScript: preloads, setup files, module resolution.
    "bunfig.toml",
    ".npmrc",
    ".mocharc*",
    "jest.config.*",
    "vitest.config.*",
    "vitest.workspace.*",
    "vite.config.*",
    ".env",
    ".env.*",
    # Julia: run at every start.
    "startup.jl",
    "LocalPreferences.toml",
    # Version control: hooks and filters that a tool in the sandbox might execute.
    ".git",
    ".hg",
    ".gitattributes",
)


# Names that test runners look for, and directories that hold tests by convention.
_TEST_NAMES = ("test_*", "*_test.*", "*.test.*", "*.spec.*", "*_spec.*", "runtests.*")
_TEST_DIRECTORIES = frozenset({"test", "tests", "__tests__", "spec", "specs"})


def is_test_file(path: str) -> bool:
    """Say whether a path has the name of a test, or lies in a directory of tests."""
    *directories, name = path.split("/")
    return not _TEST_DIRECTORIES.isdisjoint(directories) or any(fnmatchcase(name, glob) for glob in _TEST_NAMES)


def is_control_file(path: str) -> bool:
    """Say whether a path, or a directory that leads to it, has the name of a control file."""
    return any(fnmatchcase(part, pattern) for part in path.split("/") for pattern in CONTROL_FILES)


def matches(path: str, globs: Iterable[str]) -> bool:
    """Say whether one of these globs matches a relative path, or a directory that leads to it.

    ``*`` does not stop at slashes; a glob without a slash matches the last component alone, at any depth, and so does
    what follows a leading ``**/``.
    """
    patterns = [glob.removeprefix("./").rstrip("/") for glob in globs]
    parts = path.split("/")
    places = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    return any(_matches(place, pattern) for place in places for pattern in patterns)


def _matches(place: str, pattern: str) -> bool:
    if pattern.startswith("**/") and _matches(place, pattern[3:]):
        return True
    return fnmatchcase(place if "/" in pattern else place.rpartition("/")[2], pattern)
