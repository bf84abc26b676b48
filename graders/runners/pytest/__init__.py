"""pytest, as a program or as a module of Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from posixpath import basename

from gradebox.graders.languages.language import ControlFile
from gradebox.graders.runners.pytest.conftest_code import deciding
from gradebox.graders.runners.pytest.pytest_files import PytestFiles
from gradebox.graders.runners.pytest.pytest_options import NO_TESTS
from gradebox.graders.runners.python_command import RENAMED, WITHOUT_SITE, module_head
from gradebox.graders.runners.runner import Head, Runner, SourceText, is_installed

_INSIDE = Path(__file__).parent / "inside"
_ADAPTER = SourceText((_INSIDE / "pytest_adapter.py",))
_APART = SourceText((_INSIDE / "pytest_apart.py",))
_LAUNCHER = SourceText((_INSIDE / "pytest_launcher.sh",))

_PROGRAMS = frozenset({"pytest", "py.test"})
# Configuration files whose settings are parsed, since most of them do not affect results.
_SETTINGS_FILES = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini")


def recognise(words: Sequence[str]) -> Head | None:
    """Return the replacement for a command of pytest, None for another command or one that runs no test."""
    if NO_TESTS.isdisjoint(words) and basename(words[0]) in _PROGRAMS and is_installed(words[0]):
        return Head(1, ("sh", "-c", _LAUNCHER, "gradebox", words[0], WITHOUT_SITE, _ADAPTER), RENAMED)
    return module_head(words, _PROGRAMS, NO_TESTS, _ADAPTER)


RUNNER = Runner(
    name="pytest",
    language="python",
    recognise=recognise,
    shape="`pytest ...` or `python3 -m pytest ...`",
    words=r"pytest|py\.test",
    sources=(_ADAPTER, _LAUNCHER, _APART),
    apart=_APART,
    # pytest loads these before any test, from any directory. (docs.pytest.org: "conftest.py", "Configuration")
    control_files=(
        ControlFile("conftest.py", "pytest", deciding),
        *(ControlFile(name, "pytest") for name in _SETTINGS_FILES),
    ),
    configuration=PytestFiles,
    settings_files=frozenset(_SETTINGS_FILES),
    modules=("pytest", "_pytest", "pluggy", "iniconfig"),
    counts_as_its_report=True,
)
