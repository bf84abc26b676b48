"""Installs JSON Schemas of case files in a project, and the editor settings that use them.

    .gradebox/case.schema.json      named in the first line of case files that `grade init` writes below the project
    .gradebox/suite.schema.json

The user's settings are kept: ours are added to them, and a file that cannot be read as JSON stays unchanged.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gradebox.graders.cases.discovery import CASE_FILES
from gradebox.graders.cases.schema import file_schema

FOLDER = ".gradebox"
VS_CODE = Path(".vscode/settings.json")
_PATTERNS = {
    "case": [f"**/{name}" for name in CASE_FILES],
    "suite": ["**/EVAL.yaml", "**/*.eval.yaml", "**/*.EVAL.yaml"],
}
_KEY = "yaml.schemas"


def schema_texts() -> Mapping[str, str]:
    """Return the texts of the schemas by path in a project."""
    return {_path(kind): f"{json.dumps(file_schema(kind), indent=1)}\n" for kind in _PATTERNS}


def _path(kind: str) -> str:
    return f"{FOLDER}/{kind}.schema.json"


def schema_line(directory: Path) -> str:
    """Return the first line for a case file in a directory: a comment with the path of the nearest schema above it.

    It is empty if there is no schema above, since editors report a missing schema.
    """
    here = directory.resolve()
    found = next((place / _path("case") for place in here.parents if (place / _path("case")).is_file()), None)
    return f"# yaml-language-server: $schema={os.path.relpath(found, here)}\n" if found else ""


def install(directory: Path) -> list[str]:
    """Write the schemas into a project, and add them to the settings of VS Code; return a sentence about each file.

    Raises:
        OSError: If a file cannot be written.
    """
    said = []
    for name, text in schema_texts().items():
        file = directory / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
        said.append(f"Wrote {file}.")
    settings = directory / VS_CODE
    before = settings.read_text("utf-8") if settings.is_file() else ""
    after = with_schemas(before)
    if after is None:
        said.append(f"{settings} stays as it is: it is not plain JSON. Add to it: {json.dumps({_KEY: vs_code()})}")
    elif after == before:
        said.append(f"{settings} has these schemas already.")
    else:
        settings.parent.mkdir(exist_ok=True)
        settings.write_text(after, "utf-8")
        said.append(f"Added `{_KEY}` to {settings}.")
    return said


def vs_code() -> dict[str, list[str]]:
    """Return the value of the setting ``yaml.schemas``."""
    return {f"./{_path(kind)}": patterns for kind, patterns in _PATTERNS.items()}


def with_schemas(text: str) -> str | None:
    """Return settings of VS Code with our schemas added, None if they cannot be read as JSON."""
    try:
        settings: Any = json.loads(text or "{}")
    except ValueError:
        return None
    if not isinstance(settings, dict) or not isinstance(known := settings.get(_KEY, {}), dict):
        return None
    added = {path: patterns for path, patterns in vs_code().items() if path not in known}
    if not added:
        return text
    return json.dumps({**settings, _KEY: {**known, **added}}, indent=2, ensure_ascii=False) + "\n"


OTHER_EDITORS = f"""\
JetBrains: Settings, Languages & Frameworks, Schemas and DTDs, JSON Schema Mappings. Add the file {_path("case")}, \
schema version 7, with the file path pattern case.yaml.

Neovim with nvim-lspconfig:
  vim.lsp.config('yamlls', {{settings = {{yaml = {{schemas = {{
    ['{_path("case")}'] = 'case.y*ml', ['{_path("suite")}'] = {{'EVAL.yaml', '*.eval.yaml'}},
  }}}}}}}})

Any editor with yaml-language-server: the first line of a case file, as `grade init` writes it:
  # yaml-language-server: $schema=PATH/{_path("case")}"""
"""Instructions for editors other than VS Code."""
