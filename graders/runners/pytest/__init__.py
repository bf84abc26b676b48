"""pytest, as a program or as a module of Python."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from posixpath import basename

from graders.languages.language import ControlFile
from graders.runners.pytest.pytest_files import PytestFiles
from graders.runners.python_command import RENAMED, module_head
from graders.runners.runner import Head, Runner, SourceText, is_installed

_INSIDE = Path(__file__).parent / "inside"
_ADAPTER = SourceText((_INSIDE / "pytest_adapter.py",))
_LAUNCHER = SourceText((_INSIDE / "pytest_launcher.sh",))

_PROGRAMS = frozenset({"pytest", "py.test"})
# With these no test is run.
_NO_TESTS = frozenset(
    {"--co", "--collect-only", "--collectonly", "--setup-plan", "--setup-only", "--fixtures", "--funcargs"}
    | {"--fixtures-per-test", "--markers", "--cache-show", "--help", "-h", "--version", "-V"}
)

_HARMLESS_HOOKS = "configure|unconfigure|addoption|report_header|sessionstart"
# Hooks, plugins, fixtures that nobody asks for, ends of the process, other people's objects changed.
_CONFTEST = re.compile(
    rf"def\s+pytest_(?!(?:{_HARMLESS_HOOKS})\b)|collect_ignore|\bautouse\b|\b__eq__\b|\bos\.(?:kill|abort|exec)"
    # As many blanks as anybody writes: more would take the square of their number.
    r"|pytest_plugins\s*=(?!\s{0,9}[\[(]?\s{0,9}[\"']pytest)|\bunittest\.(?!mock)|\b(?:exec|eval|__import__)\s*\("
    r"|\b_?exit\s*\(|\batexit\b|\b_pytest\b|\bsetattr\s*\(|\bsys\.modules\b|builtins|\bset(?:trace|profile)\b|\bctypes\b"
)
# Configuration that is read as such: most of what it can say decides nothing.
_SETTINGS_FILES = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini")


def recognise(words: Sequence[str]) -> Head | None:
    """Return what to run in place of a command of pytest, None for another command or one that runs no test."""
    if _NO_TESTS.isdisjoint(words) and basename(words[0]) in _PROGRAMS and is_installed(words[0]):
        return Head(1, ("sh", "-c", _LAUNCHER, "gradebox", words[0], _ADAPTER), RENAMED)
    return module_head(words, _PROGRAMS, _NO_TESTS, _ADAPTER)


RUNNER = Runner(
    name="pytest",
    language="python",
    recognise=recognise,
    shape="`pytest ...` or `python3 -m pytest ...`",
    words=r"pytest|py\.test",
    sources=(_ADAPTER, _LAUNCHER),
    # Loaded before any test, wherever they lie. (docs.pytest.org: "conftest.py", "Configuration")
    control_files=(
        ControlFile("conftest.py", "pytest", _CONFTEST),
        *(ControlFile(name, "pytest") for name in _SETTINGS_FILES),
    ),
    configuration=PytestFiles,
    settings_files=frozenset(_SETTINGS_FILES),
    modules=("pytest", "_pytest", "pluggy", "iniconfig"),
    counts_as_its_report=True,
)
