"""How the image of Java is built."""

from __future__ import annotations

from pathlib import Path

from gradebox.graders.languages.language import INSIDE
from gradebox.sandbox.images.recipes import TRIXIE, Recipe

_JUNIT = INSIDE.parents[1] / "runners" / "junit5" / "inside"

RECIPES = (
    Recipe(
        "java",
        TRIXIE.name,
        Path(__file__).parent / "image",
        files=("junit",),
        programs=(_JUNIT / "GradeboxJunit.java", _JUNIT / "junit_adapter.sh"),
        on_demand=True,
    ),
)
