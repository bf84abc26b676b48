"""What every check has in common, whatever its type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from graders.model.case import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSpec:
    """One assertion of a case; each type of check derives its own fields from this.

    Attributes:
        type: The check's type as it is written in a case, with hyphens.
        name: Unique in the case; the type, numbered where needed, when the author gave none.
        place: Where it is written.
        weight: Its share of the score, zero or more.
        required: Whether missing it fails the verdict.
        min_score: The score at which a required check is met; None for the case's threshold.
        negate: Whether its score is turned round (1 - score). An error stays an error.
        timeout_seconds: Deadline of each of its commands, None for the case's.
        env: Added to the environment of its commands.
        cwd: Their working directory, relative to the workspace.
    """

    type: ClassVar[str]

    name: str
    place: Place
    weight: float = 1.0
    required: bool = False
    min_score: float | None = None
    negate: bool = False
    timeout_seconds: float | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
