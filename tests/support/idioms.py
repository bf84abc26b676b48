"""Reads the idioms of test authors (idioms.yaml), and lays one as files of a case and of a submission."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import yaml
from apart_bench import lay

TABLE = Path(__file__).with_name("idioms.yaml")
_NOTHING: Mapping[str, str] = MappingProxyType({})


class Idiom(NamedTuple):
    """One idiom: a solution, and the tests that its author wrote for it."""

    name: str
    solution: str
    tests: str
    runner: str = "pytest"
    path: str = "solution.py"
    place: str = "tests/test_solution.py"
    files: Mapping[str, str] = _NOTHING
    case: Mapping[str, str] = _NOTHING
    limit: str = ""

    @property
    def module(self) -> str:
        return self.name.replace("-", "_")

    def named(self, files: Mapping[str, str]) -> dict[str, str]:
        """Return files with the idiom's own name in place of `solution`."""
        texts = ((path, text.replace("solution", self.module)) for path, text in files.items())
        return {path.replace("solution", self.module): text for path, text in texts}

    @property
    def of_the_case(self) -> dict[str, str]:
        return self.named({self.place: self.tests, **self.case})

    @property
    def submitted(self) -> dict[str, str]:
        return self.named({self.path: self.solution, **self.files})

    def lay(self, directory: Path) -> str:
        """Write its files, and return the path of its tests."""
        lay(directory, self.of_the_case, submitted=False)
        lay(directory, self.submitted, submitted=True)
        return self.place.replace("solution", self.module)


def idioms() -> tuple[Idiom, ...]:
    return tuple(Idiom(**entry) for entry in yaml.safe_load(TABLE.read_text("utf-8")))
