"""The cases that ``grade init`` creates: ``template/`` in the folder of a language or of a type of check.

Each is a small but complete case in which ``grade check`` finds no fault: its reference passes, its untouched workspace
fails, and it has a wrong submission.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gradebox.graders import checks, languages

_CHECKS = Path(checks.__file__).parent
DEFAULT_LANGUAGE = "python"
"""The language of a new case if the user names none."""


def with_template() -> tuple[str, ...]:
    """Return the names of the languages that have a template."""
    return tuple(name for name, each in languages.languages().items() if each.folder("template"))


def check_templates() -> tuple[str, ...]:
    """Return the types of check that have a template."""
    return tuple(sorted(directory.parent.name for directory in _CHECKS.glob("*/template")))


def template_files(language: str, check: str = "") -> Mapping[str, str]:
    """Return the texts of a new case by path in its directory: for a type of check, or else for a language.

    If the template of a language has no `case.yaml`, its files are programs for the case of the `io` check.
    """
    own = _CHECKS / check / "template" if check else languages.get(language).folder("template")
    assert own is not None
    if (own / "case.yaml").is_file():
        return _texts(own)
    file = languages.get(language).answer_file
    files = {
        path.replace("solution.py", file): text.replace("solution.py", file).replace("python", language)
        for path, text in _texts(_CHECKS / "io" / "template").items()
    }
    return files | _texts(own)


def _texts(directory: Path) -> dict[str, str]:
    files = sorted(path for path in directory.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(directory).as_posix(): path.read_text("utf-8") for path in files}
