"""How the image of Go is built."""

from __future__ import annotations

from pathlib import Path

from gradebox.graders.languages.language import INSIDE
from gradebox.sandbox.images.recipes import TRIXIE, Recipe

_ADDED = INSIDE.parents[1] / "runners" / "go_test" / "inside"

RECIPES = (
    Recipe(
        "go",
        TRIXIE.name,
        Path(__file__).parent / "image",
        files=("warm_test.go",),
        programs=tuple(_ADDED / f"gradebox_{package}.go" for package in ("goarch", "runtime", "testing")),
        on_demand=True,
    ),
)
