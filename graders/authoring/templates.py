"""The cases that ``grade init`` creates: ``template/`` in the folder of a language.

Each is a whole case in small: its reference passes, its untouched workspace fails, and a wrong submission is kept
beside them, so that ``grade check`` finds nothing wrong with it.
"""

from __future__ import annotations

from collections.abc import Mapping

from gradebox.graders import languages


def with_template() -> tuple[str, ...]:
    """Return the names of the languages that have a template."""
    return tuple(name for name, each in languages.languages().items() if each.folder("template"))


def template_files(language: str) -> Mapping[str, str]:
    """Return the texts of a new case of a language with a template, by their path in its directory."""
    directory = languages.get(language).folder("template")
    assert directory is not None
    files = sorted(path for path in directory.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(directory).as_posix(): path.read_text("utf-8") for path in files}
