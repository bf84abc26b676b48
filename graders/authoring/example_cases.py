"""Whole cases for a purpose, besides those of a language or a check: a project, a class, work that a reader judges.

Each is a folder of ``template/``, which ``grade init`` copies unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_CASES = Path(__file__).parent / "template"


def example_cases() -> tuple[str, ...]:
    """Return the names of the example cases."""
    return tuple(sorted(path.name for path in _CASES.iterdir() if path.is_dir()))


def example_files(name: str) -> Mapping[str, str]:
    """Return the texts of a new case by path in its directory."""
    files = sorted(path for path in (_CASES / name).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(_CASES / name).as_posix(): path.read_text("utf-8") for path in files}
