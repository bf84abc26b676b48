"""Reads honest submissions that differ from their reference (alternatives.yaml), each as a module of its own name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

TABLE = Path(__file__).with_name("alternatives.yaml")


class Alternative(NamedTuple):
    """One submission, with the tests of its case; the module of the tests is called as this one is."""

    case: str
    name: str
    source: str
    tests: str

    @property
    def module(self) -> str:
        return f"{self.case}_{self.name}".replace("-", "_")

    @property
    def files(self) -> tuple[dict[str, str], dict[str, str]]:
        """Its files, of the case and of the submission."""
        tests = self.tests.replace("solution", self.module)
        return {f"tests/test_{self.module}.py": tests}, {f"{self.module}.py": self.source}


def alternatives(language: str = "python") -> Iterator[Alternative]:
    """Yield all of a language, the reference of each case in front."""
    for entry in entries(language):
        for name, source in {"reference": entry["reference"], **entry["alternatives"]}.items():
            yield Alternative(entry["name"], name, source, entry["tests"])


def entries(language: str) -> Iterator[dict[str, Any]]:
    """Yield the cases of a language as they are written."""
    table = yaml.safe_load(TABLE.read_text("utf-8"))
    yield from (entry for entry in table if entry.get("language", "python") == language)


def renamed(contract: dict[str, list[str]], old: str, new: str) -> dict[str, list[str]]:
    """Return a contract for a module of another name."""
    return {
        path.replace(old, new, 1): [word.replace(f"same {old}", f"same {new}", 1) for word in words]
        for path, words in contract.items()
        if path == old or path.startswith((f"{old}.", f"{old}(", f"{old}["))
    }
