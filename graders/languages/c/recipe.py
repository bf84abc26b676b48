"""How the image of C and C++ is built."""

from __future__ import annotations

from pathlib import Path

from gradebox.sandbox.images.recipes import TRIXIE, Recipe

RECIPES = (Recipe("gcc", TRIXIE.name, Path(__file__).parent / "image", on_demand=True),)
