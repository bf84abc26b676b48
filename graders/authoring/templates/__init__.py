"""The cases that ``grade init`` creates: a directory of files for each language.

Each is a whole case in small: its reference passes, its untouched workspace fails, and a wrong submission is kept
beside them, so that ``grade check`` finds nothing wrong with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_ROOT = Path(__file__).parent

# The most used language first.
LANGUAGES = ("python", "javascript", "typescript", "julia", "bash")


def template_files(language: str) -> Mapping[str, str]:
    """Return the texts of a new case by their path in its directory.

    Args:
        language: One of LANGUAGES.
    """
    directory = _ROOT / language
    files = sorted(path for path in directory.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(directory).as_posix(): path.read_text("utf-8") for path in files}
