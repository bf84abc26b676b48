"""Reads the tables of attacks and refuses what is wrong with them. README.md says what every key means."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator
from weakened_defences import Defence

from gradebox.sandbox.types import Ending

HERE = Path(__file__).parent
# A runtime of the engine's, such as runsc, or a container for `--engine here`; the engine's default without it.
RUNTIME = os.environ.get("GRADEBOX_HOSTILE_RUNTIME") or None
BASES = HERE / "bases"
# What is handed in as the file that it is, instead of being laid in a directory.
WHOLE = frozenset({".diff", ".patch", ".md"})
# Tables of what is known to pass, of variants that are tried together, and of honest work.
OTHER_TABLES = frozenset({"residual", "variants", "honest", "honest_projects"})

Secret = Literal["case", "grading", "reference", "neighbour", "environment"]


class Attack(BaseModel):
    """One entry of a table."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    group: str
    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    about: str
    base: str
    laid_as: str | None = Field(None, alias="as")
    make: str | None = None
    check: str | None = None
    ending: tuple[Ending, ...] = (Ending.EXITED,)
    exit_code: int | None = None
    verdict: Literal["failed"] = "failed"
    tampering: frozenset[str] | None = None
    must_not: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    fails: tuple[str, ...] | None = None
    may_fail: frozenset[str] = frozenset()
    may_print: frozenset[Secret] = frozenset()
    restored: tuple[str, ...] | None = None
    removed: tuple[str, ...] | None = None
    left_out: tuple[str, ...] | None = None
    defences: tuple[Defence, ...]
    not_under: dict[str, str] = {}
    under: dict[str, dict[str, Any]] = {}

    @model_validator(mode="before")
    @classmethod
    def _one_or_many(cls, data: Any) -> Any:
        ending = data.get("ending")
        return {**data, "ending": [ending]} if isinstance(ending, str) else data

    @model_validator(mode="after")
    def _has_what_it_names(self) -> Self:
        if not (BASES / self.base / "case.yaml").is_file():
            raise ValueError(f"{self.name}: there is no base {self.base}")
        if self.make is None and self.program is None:
            raise ValueError(f"{self.name}: there is no {self.group}/{self.name} or {self.group}/{self.name}.*")
        return self

    @property
    def program(self) -> Path | None:
        """The file or directory that it consists of, None for one that is made."""
        directory = HERE / self.group / self.name
        if directory.is_dir():
            return directory
        return next(iter(sorted(directory.parent.glob(f"{self.name}.*"))), None)

    @property
    def maker(self) -> Callable[[Path], Path | None] | None:
        if self.make is None:
            return None
        found: Callable[[Path], Path | None] = getattr(importlib.import_module(f"{self.group}_makers"), self.make)
        return found

    def seen_under(self, runtime: str) -> Attack:
        """Return what is expected of it under a runtime."""
        changes = self.under.get(runtime)
        return Attack.model_validate({**self.model_dump(), **changes}) if changes else self


def read_table(path: Path) -> tuple[Attack, ...]:
    """Read one table."""
    table = yaml.safe_load(path.read_text("utf-8"))
    assert set(table) <= {"defaults", "attacks"}, f"{path}: a table has `defaults` and `attacks`"
    defaults = table.get("defaults") or {}
    return tuple(Attack.model_validate({**defaults, **entry, "group": path.stem}) for entry in table["attacks"])


def read_corpus() -> tuple[Attack, ...]:
    """Read every table."""
    paths = (path for path in sorted(HERE.glob("*.yaml")) if path.stem not in OTHER_TABLES)
    return tuple(attack for path in paths for attack in read_table(path))
